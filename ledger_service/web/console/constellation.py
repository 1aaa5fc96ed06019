"""Who stands where in the drawing of a graph: people, the trust between them, one story's versions and its way."""

from collections.abc import Iterable, Mapping, Sequence
from math import hypot
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.bootstrap import lay_out
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.spyglass import GraphPicture, SeenStory, SeenTrust
from ledger_service.web.console.stories import ToldStory

MOST_PEOPLE: Final = 300
MOST_LINES: Final = 600
FEW: Final = 40
"""Up to so many, everybody is drawn large, with name and place."""
MARGIN: Final = 60
LETTER: Final = 0.56
"""How wide a letter is, in heights."""
BEND: Final = 0.09
"""How far a line leaves the straight way, so that both directions are seen."""


class Dot(Struct, frozen=True, kw_only=True):
    """Somebody, as they are drawn."""

    who: CharacterId
    name: str
    short: str
    x: float
    y: float
    r: float
    place: str
    version: SeenStory | None = None
    sure: float = 0.0
    is_named: bool = True
    is_player: bool = False
    is_chosen: bool = False
    is_faint: bool = False

    @property
    def rung(self) -> int:
        """The rung of the version that they hold; 0 for none."""
        return 0 if self.version is None else self.version.severity

    @property
    def saw_it(self) -> bool:
        """Whether nobody told them."""
        return self.version is not None and not self.version.is_hearsay


class Line(Struct, frozen=True, kw_only=True):
    """A line from a teller to a listener."""

    teller: CharacterId
    listener: CharacterId
    said: str
    """What it stands for, in words."""
    label: str
    path: str
    x: float
    y: float
    width: float
    sort: str
    """`trust`, `strong`, `told` or `way`."""
    is_labelled: bool = False
    is_faint: bool = False


class Constellation(Struct, frozen=True, kw_only=True):
    """A drawing, and what was left out of it."""

    width: int
    height: int
    letters: float
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    people: int
    """How many there are in all."""
    trusts: int
    is_crowded: bool

    @property
    def cut_people(self) -> int:
        """How many people are not drawn."""
        return self.people - len(self.dots)

    @property
    def drawn_trusts(self) -> int:
        """How many lines of trust are drawn."""
        return sum(line.sort in {"trust", "strong"} for line in self.lines)


class Wanted(Struct, frozen=True, kw_only=True):
    """What the drawing is to show besides people and trust."""

    story: ToldStory | None = None
    who: CharacterId | None = None
    way: Sequence[CharacterId] = ()
    has_labels: bool = False
    rank: Mapping[CharacterId, int] = {}
    """The place of each among the most believed; drawn first where not all can be."""
    names: Mapping[CharacterId, str] = {}
    places: Mapping[str, str] = {}


def constellation(picture: GraphPicture, wanted: Wanted) -> Constellation:
    """Draw a graph; of more people than fit, those of the story, of the way and the most believed."""
    drawn = chosen_people(picture, wanted)
    kept = set(drawn)
    among = [t for t in picture.trusts if t.listener in kept and t.teller in kept]
    is_crowded = len(drawn) > FEW
    width, height = (1500, 1150) if is_crowded else (1080, 720)
    radius = 11.0 if is_crowded else 23.0
    letters = 17.0 if is_crowded else 14.0
    spots = _spots(drawn, among, width, height)
    near = {who for t in among for who in (t.listener, t.teller) if wanted.who in {t.listener, t.teller}}
    faint = set() if wanted.who not in kept else kept - near - {wanted.who}
    place_of = {c.id: c.place for c in picture.characters}
    dots = [
        _dot(who, spots[who], radius, wanted, place=place_of.get(who) or "", is_faint=who in faint) for who in drawn
    ]  # fmt: skip
    return Constellation(
        width=width,
        height=height,
        letters=letters,
        dots=_named(dots, letters) if is_crowded else tuple(dots),
        lines=tuple(_lines(among, {d.who: d for d in dots}, wanted, is_crowded=is_crowded)),
        people=len(picture.characters),
        trusts=len(picture.trusts),
        is_crowded=is_crowded,
    )


def chosen_people(picture: GraphPicture, wanted: Wanted) -> list[CharacterId]:
    """Return who is drawn: all, or of a crowd those who matter most."""
    everybody = [c.id for c in picture.characters]
    if len(everybody) <= MOST_PEOPLE:
        return sorted(everybody)
    holders = () if wanted.story is None else wanted.story.held
    first = dict.fromkeys((*((wanted.who,) if wanted.who else ()), *wanted.way, *holders))
    last = len(everybody)
    ordered = sorted(everybody, key=lambda who: (who not in first, wanted.rank.get(who, last), who))
    return sorted(ordered[:MOST_PEOPLE])


def _spots(
    drawn: Sequence[CharacterId], among: Iterable[SeenTrust], width: int, height: int
) -> dict[CharacterId, tuple[float, float]]:
    ties: dict[tuple[str, str], float] = {}
    for t in among:
        pair = (min(t.listener, t.teller), max(t.listener, t.teller))
        ties[pair] = max(ties.get(pair, 0.0), t.trust)
    found = lay_out(drawn, [(a, b, trust) for (a, b), trust in sorted(ties.items())])
    wide, high = width - 2 * MARGIN, height - 2 * MARGIN
    return {who: (MARGIN + found[who].x * wide, MARGIN + found[who].y * high) for who in drawn}


def _dot(
    who: CharacterId, spot: tuple[float, float], radius: float, wanted: Wanted, *, place: str, is_faint: bool
) -> Dot:
    name = wanted.names.get(who, who)
    held = None if wanted.story is None else wanted.story.held.get(who)
    return Dot(
        who=who,
        name=name,
        short="".join(word[0] for word in name.split()[:2]).upper(),
        x=round(spot[0], 1),
        y=round(spot[1], 1),
        r=radius,
        place=wanted.places.get(place, place.replace("_", " ")),
        version=None if held is None else held.version,
        sure=0.0 if held is None else held.sure,
        is_player=who == "player",
        is_chosen=who == wanted.who,
        is_faint=is_faint,
    )


def _named(dots: Sequence[Dot], letters: float) -> tuple[Dot, ...]:
    """Write as many names as fit on no other name or person; holders of the story come first, and cover people."""
    people = [(d.x - d.r, d.y - d.r, d.x + d.r, d.y + d.r) for d in dots]
    names: list[tuple[float, float, float, float]] = []
    named: set[CharacterId] = set()
    for d in sorted(dots, key=lambda d: (not d.is_chosen, not d.rung, d.who)):
        half = len(d.name) * letters * LETTER / 2
        box = (d.x - half, d.y + d.r + 2, d.x + half, d.y + d.r + 4 + letters)
        in_the_way = names if d.is_chosen or d.rung else [*names, *people]
        if not any(_meet(box, other) for other in in_the_way):
            names.append(box)
            named.add(d.who)
    return tuple(replace(d, is_named=d.who in named) for d in dots)


def _meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _lines(
    among: Sequence[SeenTrust], dots: Mapping[CharacterId, Dot], wanted: Wanted, *, is_crowded: bool
) -> Iterable[Line]:
    for t in drawn_trusts(among, wanted.who):
        is_near = wanted.who in {t.listener, t.teller}
        line = _line(dots[t.teller], dots[t.listener])
        yield Line(
            teller=t.teller, listener=t.listener,
            said=f"{dots[t.listener].name} believes {dots[t.teller].name}: {t.trust:.2f}", label=f"{t.trust:.2f}",
            path=line.path, x=line.x, y=line.y, width=_width(t.trust, is_crowded=is_crowded),
            sort="strong" if t.is_strong else "trust",
            is_labelled=is_near or wanted.has_labels,
            is_faint=wanted.who in dots and not is_near,
        )  # fmt: skip
    for told in () if wanted.story is None else wanted.story.told:
        if told.teller in dots and told.listener in dots:
            line = _line(dots[told.teller], dots[told.listener])
            yield Line(
                teller=told.teller, listener=told.listener, path=line.path, x=line.x, y=line.y,
                said=f"{dots[told.teller].name} told {dots[told.listener].name}: {told.outcome}", label="",
                width=2.0 if is_crowded else 3.5, sort="told",
                is_faint=wanted.who in dots and wanted.who not in {told.teller, told.listener},
            )  # fmt: skip
    for teller, listener in zip(wanted.way, wanted.way[1:], strict=False):
        if teller in dots and listener in dots:
            line = _line(dots[teller], dots[listener])
            yield Line(
                teller=teller, listener=listener, path=line.path, x=line.x, y=line.y,
                said=f"the likeliest way leads from {dots[teller].name} to {dots[listener].name}", label="",
                width=7.0, sort="way",
            )  # fmt: skip


def _width(trust: float, *, is_crowded: bool) -> float:
    return round(0.4 + 1.6 * trust if is_crowded else 0.8 + 4.4 * trust, 2)


def drawn_trusts(among: Sequence[SeenTrust], who: CharacterId | None) -> list[SeenTrust]:
    """Return the lines that are drawn: all, or of very many everybody's strongest, the chosen one's, the strongest."""
    if len(among) <= MOST_LINES:
        return list(among)
    strongest: dict[CharacterId, SeenTrust] = {}
    for t in sorted(among, key=lambda t: (-t.trust, t.listener, t.teller)):
        strongest.setdefault(t.listener, t)
    first = {id(t) for t in strongest.values()} | {id(t) for t in among if who in {t.listener, t.teller}}
    ordered = sorted(among, key=lambda t: (id(t) not in first, -t.trust, t.listener, t.teller))
    return ordered[:MOST_LINES]


class _Bent(Struct, frozen=True):
    path: str
    x: float
    y: float


def _line(a: Dot, b: Dot) -> _Bent:
    """Lead from the rim of one to the rim of another, a little to the side."""
    far = hypot(b.x - a.x, b.y - a.y) or 1.0
    ux, uy = (b.x - a.x) / far, (b.y - a.y) / far
    x0, y0 = a.x + ux * (a.r + 2), a.y + uy * (a.r + 2)
    x1, y1 = b.x - ux * (b.r + 6), b.y - uy * (b.r + 6)
    cx, cy = (x0 + x1) / 2 - uy * far * BEND, (y0 + y1) / 2 + ux * far * BEND
    mx, my = (x0 + 2 * cx + x1) / 4, (y0 + 2 * cy + y1) / 4
    return _Bent(f"M{x0:.0f} {y0:.0f}Q{cx:.0f} {cy:.0f} {x1:.0f} {y1:.0f}", round(mx, 1), round(my, 1))
