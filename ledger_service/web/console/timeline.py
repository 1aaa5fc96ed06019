"""The line of a story as a drawing: where one stands on it, and its named points, each a link."""

from collections.abc import Mapping

from msgspec import Struct

from ledger_service.services.reviewing.standpoint import Standpoint
from ledger_service.web.console.addresses import with_query

WIDTH, LEFT, RIGHT = 1000, 14, 14
LETTER = 7
LONGEST = 24


class Flag(Struct, frozen=True, kw_only=True):
    """A named point."""

    x: int
    level: int
    name: str
    title: str
    path: str
    anchor: str
    """Whether its name stands before or after its mark."""


class TimelineView(Struct, frozen=True, kw_only=True):
    """The line, ready to be drawn."""

    x: int
    """Where one stands."""
    last: int
    flags: tuple[Flag, ...]
    height: int
    earlier: str | None
    later: str | None
    now: str


def timeline_of(here: Standpoint, path: str, kept: Mapping[str, str]) -> TimelineView:
    """Lay out a playthrough's line; `kept` is what links keep of the page's query."""
    last = max(here.state.seq, 1)
    flags: list[Flag] = []
    ends: dict[int, int] = {}
    for save in sorted(here.saves, key=lambda s: (s.seq, s.name)):
        x = _x(save.seq, last)
        name = save.name if len(save.name) <= LONGEST else f"{save.name[: LONGEST - 1]}…"
        is_late = x > WIDTH * 0.7
        first = x - len(name) * LETTER if is_late else x
        level = next((n for n in range(3) if ends.get(n, -1) < first), None)
        if level is None:
            continue
        ends[level] = first + len(name) * LETTER + 20
        flags.append(
            Flag(
                x=x, level=level, name=name, title=f"{save.name}, event {save.seq}", path=_to(path, kept, save.seq),
                anchor="end" if is_late else "start",
            )
        )  # fmt: skip
    levels = 1 + max((flag.level for flag in flags), default=-1)
    return TimelineView(
        x=_x(here.seq, last),
        last=here.state.seq,
        flags=tuple(flags),
        height=26 + 20 * levels,
        earlier=_to(path, kept, here.seq - 1) if here.seq > 1 else None,
        later=_to(path, kept, here.seq + 1) if here.is_past else None,
        now=_to(path, kept, None),
    )


def _x(seq: int, last: int) -> int:
    return LEFT + round((WIDTH - LEFT - RIGHT) * seq / last)


def _to(path: str, kept: Mapping[str, str], seq: int | None) -> str:
    return with_query(path, {name: value for name, value in kept.items() if name != "after"} | {"at": seq})
