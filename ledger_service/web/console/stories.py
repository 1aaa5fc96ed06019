"""The stories that a graph holds: one for each origin, with who holds which version, and who told whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.spyglass import SeenStory, SeenTelling


class Held(Struct, frozen=True, kw_only=True):
    """The version that somebody holds, and how surely."""

    version: SeenStory
    sure: float


class ToldStory(Struct, frozen=True, kw_only=True):
    """Every version of one story."""

    origin: EntryId
    title: str
    """Its mildest wording, or the one it began with."""
    versions: tuple[SeenStory, ...]
    held: Mapping[CharacterId, Held]
    told: tuple[SeenTelling, ...]

    @property
    def rungs(self) -> tuple[tuple[int, str, int], ...]:
        """Each rung that somebody holds: its number, its wording, and by how many."""
        count: dict[int, int] = defaultdict(int)
        for one in self.held.values():
            count[one.version.severity] += 1
        wording = {v.severity: v.statement for v in reversed(self.versions)}
        return tuple((rung, wording[rung], count[rung]) for rung in sorted(count))


def stories_of(seen: Iterable[SeenStory]) -> tuple[ToldStory, ...]:
    """Put versions together by where they come from; the most widely held comes first."""
    by_origin: dict[EntryId, list[SeenStory]] = defaultdict(list)
    for one in seen:
        by_origin[one.origin].append(one)
    found = [_story(origin, versions) for origin, versions in by_origin.items()]
    return tuple(sorted(found, key=lambda s: (-len(s.held), -max(v.tick for v in s.versions), s.origin)))


def _story(origin: EntryId, versions: list[SeenStory]) -> ToldStory:
    held: dict[CharacterId, Held] = {}
    for version in versions:
        for who, sure in version.holders.items():
            if who not in held or held[who].sure < sure:
                held[who] = Held(version=version, sure=sure)
    root = min(versions, key=lambda v: (v.entry_id != origin, v.severity, v.tick, v.entry_id))
    tellings = {(t.teller, t.listener): t for v in versions for t in v.heard}
    return ToldStory(
        origin=origin, title=root.statement, versions=tuple(versions), held=held,
        told=tuple(sorted(tellings.values(), key=lambda t: (t.tick, t.teller, t.listener))),
    )  # fmt: skip


def chosen_story(stories: Iterable[ToldStory], origin: str) -> ToldStory | None:
    """Return the story that was asked for, or the first; with `none`, no story at all."""
    found = tuple(stories)
    if origin == "none":
        return None
    return next((s for s in found if s.origin == origin), found[0] if found else None)
