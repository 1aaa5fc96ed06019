"""The pen of a comic strip: draws a panel with its people, its bubble, its marks and how sure it left whom."""

from collections.abc import Iterable

from ledger_service.domain.story_time import day_of, hour_of_day
from ledger_service.reporting import drawing
from ledger_service.reporting.comic_layout import (
    CAPTION,
    GAP,
    LEVELS,
    LISTENER,
    NAME,
    NOTE_LINE,
    PAD,
    PANEL,
    SPIKE,
    TELLER,
    Placed,
    leading,
    noted,
)
from ledger_service.reporting.comic_panels import Panel
from ledger_service.reporting.drawing import Box, Look
from ledger_service.reporting.lettering import BOLD, clean, clip, escape, isolated, width_of
from ledger_service.rumours.provenance import Naming, first_hand, known_to, when_in_words


class Pen:
    """Draws panels with one set of names."""

    def __init__(self, called: Naming, *, rungs: int, last: int, prefix: str) -> None:
        self.called = called
        self.rungs = rungs
        self.last = last
        self.prefix = prefix

    @property
    def has_ladder(self) -> bool:
        """Wordings can be better or worse than one another."""
        return self.rungs > 1

    def panel(self, placed: Placed) -> str:
        """Draw one panel."""
        panel, box = placed.panel, placed.box
        parts = (
            f"<title>{escape(self._spoken(panel))}</title>",
            f'<rect class="frame{" join" if panel.again else ""}" width="{box.w}" height="{box.h}" rx="7"/>',
            *self._caption(panel),
            *(self._marks(panel) if self.has_ladder else ()),
            *self._speech(placed),
            *self._people(placed),
            *self._meter(panel, placed.ground + NAME),
        )
        arrow = drawing.arrow(box.x - GAP + 6, box.y + box.h // 2, GAP - 12) if placed.follows else ""
        return f'<g role="img" transform="translate({box.x} {box.y})">{"".join(parts)}</g>{arrow}'

    def _spoken(self, panel: Panel) -> str:
        link = panel.link
        who = self.called.person(link.teller) if link.teller is not None else known_to(link, self.called)
        did = f"told {self.called.person(link.holder)}" if link.teller is not None else first_hand(link.how)
        where = f" at {self.called.place(link.place)}" if link.place else ""
        rung = f" Rung {panel.severity} of {self.rungs}." if self.has_ladder else ""
        sure = f"How sure: {panel.sure:.2f}, {self.called.band(panel.sure)}."
        note = f" {panel.note}." if panel.note else ""
        begin = f"Panel {panel.number} of {self.last}. {when_in_words(link.tick)}{where}:"
        return f"{begin} {who} {did}: {panel.wording}.{rung} {sure}{note}"

    def _caption(self, panel: Panel) -> Iterable[str]:
        link = panel.link
        yield f'<path class="caption" d="M1 8 q0 -7 7 -7 H{PANEL - 8} q7 0 7 7 V{CAPTION - 6} H1 Z"/>'
        yield f'<circle class="dark" cx="24" cy="22" r="14"/>{drawing.text(str(panel.number), 24, 27, 14, "number")}'
        aside = f"from {panel.comes_from}" if panel.comes_from is not None else ""
        room = PANEL - 46 - PAD
        place = clean(self.called.place(link.place)) or "somewhere"
        yield drawing.text(clip(isolated(place), 14 * BOLD, room), 46, 19, 14, "strong start")
        when = f"day {day_of(link.tick)}, {hour_of_day(link.tick):02d}:00 · tick {link.tick}"
        left = room - (width_of(aside, 12 * BOLD) + 8 if aside else 0)
        yield drawing.text(clip(when, 12, left), 46, 36, 12, "quiet start")
        if aside:
            yield drawing.text(aside, PANEL - PAD, 36, 12, "strong end")

    def _marks(self, panel: Panel) -> Iterable[str]:
        yield drawing.marks(PAD, CAPTION + 4, panel.severity, self.rungs, praises=self.called.praises)
        words = f"rung {panel.severity} of {self.rungs}"
        yield drawing.text(words, PANEL - PAD, CAPTION + 16, 12, "quiet end")

    def level(self, severity: int) -> int:
        """Return how far up its ladder a wording is, from 0 to LEVELS."""
        span = max(1, self.rungs - 1)
        return -(-LEVELS * (min(severity, self.rungs) - 1) // span)

    def _speech(self, placed: Placed) -> Iterable[str]:
        bubble = placed.bubble
        tip = (TELLER + 16, placed.ground - drawing.TALL + 4)
        if placed.panel.link.teller is None:
            yield drawing.thought(bubble, tip)
        else:
            manner = "even" if not self.has_ladder else "puffed" if self.called.praises else "ragged"
            yield drawing.bubble(bubble, tip, self.level(placed.panel.severity), manner=manner, reach=SPIKE)
        down = leading(placed.size)
        top = bubble.y + (bubble.h - down * len(placed.lines)) // 2 + placed.size
        for n, line in enumerate(placed.lines):
            yield drawing.text(line, bubble.x + bubble.w // 2, top + n * down, placed.size, "said", turned=True)

    def _people(self, placed: Placed) -> Iterable[str]:
        link, ground = placed.panel.link, placed.ground
        yield f'<path class="fine" d="M{PAD} {ground} H{PANEL - PAD}"/>'
        if link.teller is None:
            look = Look.SEES if link.how == "witnessed" else Look.LISTENS
            yield drawing.figure(link.holder, TELLER, ground, look, prefix=self.prefix, faces_right=True)
            yield drawing.sight(LISTENER, ground - 52, seen=link.how != "document")
            yield drawing.text(first_hand(link.how), LISTENER, ground - 8, 14, "strong middle")
            yield self._name(known_to(link, self.called), TELLER, ground)
            return
        top = self.level(placed.panel.severity) >= LEVELS - 1
        look = Look.PLEASED if self.called.praises else Look.STARTLED if top and self.has_ladder else Look.LISTENS
        yield drawing.figure(link.teller, TELLER, ground, Look.TALKS, prefix=self.prefix, faces_right=True)
        yield drawing.figure(link.holder, LISTENER, ground, look, prefix=self.prefix, faces_right=False)
        yield self._name(self.called.person(link.teller), TELLER, ground)
        yield self._name(self.called.person(link.holder), LISTENER, ground)

    def _name(self, called: str, x: int, ground: int) -> str:
        name = clip(clean(called), 13 * BOLD, 2 * TELLER - 12)
        return drawing.text(name, x, ground + 17, 13, "strong middle", turned=True)

    def _meter(self, panel: Panel, y: int) -> Iterable[str]:
        teller = None if panel.again else panel.link.teller_held
        band = clip(clean(self.called.band(panel.sure)), 13, 100)
        yield drawing.text(f"{panel.sure:.2f}", PAD, y + 16, 16, "strong start")
        yield drawing.text(band, PAD + 48, y + 16, 13, "start")
        room = PANEL - 2 * PAD - 48 - width_of(band, 13) - 12
        if panel.joins is not None:
            yield drawing.text(f"joins {panel.joins}", PANEL - PAD, y + 16, 12, "strong end")
        else:
            name = isolated(self.called.person(panel.link.holder))
            yield drawing.text(clip(name, 12, room), PANEL - PAD, y + 16, 12, "quiet end")
        bar = Box(PAD, y + 24, PANEL - 2 * PAD, 11)
        yield drawing.meter(bar, base=panel.base, sure=panel.sure, teller=teller, prefix=self.prefix)
        for n, line in enumerate(noted(panel)):
            yield drawing.text(line, PAD, y + 53 + n * NOTE_LINE, 12, "quiet start")
