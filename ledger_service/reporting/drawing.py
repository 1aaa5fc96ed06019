"""What a comic strip is drawn with: people, bubbles, marks, meters, and the style sheet of all of it."""

import math
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from ledger_service.domain.ids import digest
from ledger_service.reporting.lettering import clean, encode, reads_right_to_left

PATTERNS = ("plain", "stripes", "dots", "checks", "slant")
HEADS = ("round", "long", "square")
HATS = ("none", "cap", "bun", "hood", "brim", "curls", "braids")
TALL = 96
"""From the top of the tallest hat to the feet."""


INK, THICKER = 1.6, 0.8
PAPER_LIGHT = {"paper": "#fffdf6", "white": "#ffffff", "ink": "#1d1b26", "quiet": "#55525f", "caption": "#fbe7a6",
               "skin": "#f6e3c8", "fill": "#3d3a4a", "join": "#f3f1ea"}  # fmt: skip
PAPER_DARK = {"paper": "#17161c", "white": "#26242e", "ink": "#f1eee6", "quiet": "#b9b5c2", "caption": "#4c4322",
              "skin": "#5d5042", "fill": "#d8d3e2", "join": "#1f1e26"}  # fmt: skip
FLOORS = (0.3, 0.7, 0.95)
MOST_MARKS = 9


class Box(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    w: int
    h: int


class Look(StrEnum):
    """What a face does."""

    TALKS = "talks"
    LISTENS = "listens"
    STARTLED = "startled"
    PLEASED = "pleased"
    SEES = "sees"


def figure(who: str, x: int, y: int, look: Look, *, prefix: str, faces_right: bool) -> str:
    """Draw somebody whose middle is at x and whose feet are at y; `prefix` names the patterns to fill them with."""
    mark = int(digest("figure", clean(who))[:8], 16)
    pattern = PATTERNS[mark % 5]
    head = HEADS[mark // 5 % 3]
    hat = HATS[mark // 15 % 7]
    turn = 1 if faces_right else -1
    fill = "none" if pattern == "plain" else f"url(#{prefix}-{pattern})"
    body = f'<path class="skin" d="{_body()}"/><path class="ink" fill="{fill}" d="{_body()}"/>'
    parts = (_arms(look, turn), body, _behind(hat), _head(head), _hat(hat), _face(look, turn))
    return f'<g transform="translate({x} {y})">{"".join(parts)}</g>'


def _body() -> str:
    return "M-22 0 C-22 -18 -20 -36 0 -37 C20 -36 22 -18 22 0 Z"


def _arms(look: Look, turn: int) -> str:
    if look is Look.TALKS:
        return f'<path class="limb" d="M{17 * turn} -24 L{30 * turn} -30 L{36 * turn} -41"/>'
    if look is Look.SEES:
        return f'<path class="limb" d="M{17 * turn} -24 L{29 * turn} -33 L{41 * turn} -34"/>'
    if look is Look.STARTLED:
        return "".join(f'<path class="limb" d="M{17 * s} -24 L{31 * s} -27 L{27 * s} -46"/>' for s in (-1, 1))
    return ""


def _head(head: str) -> str:
    match head:
        case "long":
            return '<ellipse class="skin ink" cx="0" cy="-57" rx="17" ry="22"/>'
        case "square":
            return '<rect class="skin ink" x="-18" y="-77" width="36" height="40" rx="10"/>'
        case _:
            return '<circle class="skin ink" cx="0" cy="-57" r="20"/>'


def _behind(hat: str) -> str:
    match hat:
        case "hood":
            return '<path class="dark" d="M-26 -34 C-32 -96 32 -96 26 -34 Z"/>'
        case "braids":
            return "".join(f'<path class="hair" d="M{17 * s} -62 q{9 * s} 12 {4 * s} 30"/>' for s in (-1, 1))
        case "bun":
            return '<circle class="dark" cx="0" cy="-84" r="9"/>'
        case _:
            return ""


def _hat(hat: str) -> str:
    match hat:
        case "cap":
            return '<path class="dark" d="M-21 -66 C-20 -88 20 -88 21 -66 Z"/>'
        case "brim":
            return '<path class="dark" d="M-33 -69 H33 L19 -73 L15 -91 H-15 L-19 -73 Z"/>'
        case "bun" | "braids":
            return '<path class="dark" d="M-20 -62 C-19 -86 19 -86 20 -62 C10 -72 -10 -72 -20 -62 Z"/>'
        case "curls":
            curls = ((-17, -68), (-9, -77), (1, -80), (11, -76), (18, -67))
            return "".join(f'<circle class="dark" cx="{x}" cy="{y}" r="7"/>' for x, y in curls)
        case "none":
            return '<path class="fine" d="M-4 -78 q3 -7 8 -5 M2 -78 q4 -5 9 -2"/>'
        case _:
            return ""


def _face(look: Look, turn: int) -> str:
    """Draw eyes, brows and a mouth, a little to the side that is looked at."""
    side = 4 * turn
    wide = look in {Look.STARTLED, Look.SEES}
    eyes = "".join(_eye(side + dx, wide=wide, turn=turn) for dx in (-7, 7))
    match look:
        case Look.TALKS:
            mouth = f'<ellipse class="dark" cx="{side}" cy="-47" rx="5" ry="4"/>'
        case Look.STARTLED:
            mouth = f'<ellipse class="dark" cx="{side}" cy="-46" rx="3.5" ry="5"/>'
            mouth += f'<path class="fine" d="M{side - 11} -71 l7 -3 M{side + 11} -71 l-7 -3"/>'
        case Look.PLEASED:
            mouth = f'<path class="fine" d="M{side - 7} -49 q7 8 14 0"/>'
        case Look.SEES:
            mouth = f'<path class="fine" d="M{side - 4} -46 h8"/>'
        case _:
            mouth = f'<path class="fine" d="M{side - 5} -47 h10"/>'
    return eyes + mouth


def _eye(x: int, *, wide: bool, turn: int) -> str:
    if not wide:
        return f'<circle class="dark" cx="{x}" cy="-59" r="2.4"/>'
    return (
        f'<circle class="white" cx="{x}" cy="-60" r="4.6"/><circle class="dark" cx="{x + 2 * turn}" cy="-60" r="2.2"/>'
    )


# ---- words


def text(words: str, x: int, y: int, size: int, kind: str, *, turned: bool = False) -> str:
    """Set a line; `turned` lets a line of a script that reads right to left begin at its right."""
    way = ' direction="rtl"' if turned and reads_right_to_left(words) else ""
    return f'<text class="{kind}" x="{x}" y="{y}" font-size="{size}"{way}>{encode(words)}</text>'


# ---- bubbles


def bubble(box: Box, tip: tuple[int, int], level: int, *, manner: str, reach: int) -> str:
    """Draw a speech bubble: the higher the level, the thicker, and the more ragged (or the more puffed)."""
    points = _round_about(box, tip[0], 16 if manner != "even" and level else 8)
    out = 0.0 if manner == "even" else level * reach / 4
    way = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for n, ((x0, y0, nx0, ny0), (x, y, nx, ny)) in enumerate(pairwise(points)):
        far = out * (1.0, 0.72, 0.88)[n % 3]
        mx, my = (x0 + x) / 2 + (nx0 + nx) / 2 * far, (y0 + y) / 2 + (ny0 + ny) / 2 * far
        if out == 0:
            way.append(f"L{x:.1f} {y:.1f}")
        elif manner == "puffed":
            way.append(f"Q{mx:.1f} {my:.1f} {x:.1f} {y:.1f}")
        else:
            way.append(f"L{mx:.1f} {my:.1f} L{x:.1f} {y:.1f}")
    way.append(f"L{tip[0]} {tip[1]} Z")
    return f'<path class="speech" stroke-width="{INK + THICKER * level:.1f}" d="{" ".join(way)}"/>'


def thought(box: Box, tip: tuple[int, int]) -> str:
    """Draw what somebody has in mind, joined to them by small rings."""
    foot = box.y + box.h
    rings = "".join(
        f'<circle class="speech" stroke-width="{INK}" cx="{tip[0] + 8 - 4 * n}"'
        f' cy="{foot + 6 + n * (tip[1] - foot) // 4}" r="{6 - 1.5 * n}"/>'
        for n in range(3)
    )
    frame = f'x="{box.x}" y="{box.y}" width="{box.w}" height="{box.h}" rx="{min(24, box.h // 2)}"'
    return f'<rect class="speech" stroke-width="{INK}" {frame}/>{rings}'


def _round_about(box: Box, near: int, step: int) -> list[tuple[float, float, float, float]]:
    """Return points on a rounded outline with their outward directions, from one side of the tail to the other."""
    r = min(22.0, box.h / 2, box.w / 2)
    tail = min(max(near + 14.0, box.x + r + 9), box.x + box.w - r - 9)
    left, top, right, foot = float(box.x), float(box.y), float(box.x + box.w), float(box.y + box.h)
    corners = ((left + r, foot - r, 90), (left + r, top + r, 180), (right - r, top + r, 270), (right - r, foot - r, 0))
    path: list[tuple[float, float, float, float]] = [(tail - 8, foot, 0.0, 1.0)]
    for x, y, start in corners:
        for degrees in range(start, start + 91, 3):
            nx, ny = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            path.append((x + r * nx, y + r * ny, nx, ny))
    path.append((tail + 8, foot, 0.0, 1.0))
    return _evenly(path, step)


def _evenly(
    path: list[tuple[float, float, float, float]], step: int
) -> list[tuple[float, float, float, float]]:  # fmt: skip
    """Return points at even distances along a way, both ends included."""
    lengths = [math.dist(a[:2], b[:2]) for a, b in pairwise(path)]
    count = max(2, round(sum(lengths) / step))
    spacing = sum(lengths) / count
    found, behind, leg = [path[0]], 0.0, 0
    for n in range(1, count):
        while leg < len(lengths) - 1 and behind + lengths[leg] < n * spacing:
            behind += lengths[leg]
            leg += 1
        share = (n * spacing - behind) / lengths[leg] if lengths[leg] else 0.0
        a, b = path[leg], path[leg + 1]
        x, y, nx, ny = (p + (q - p) * share for p, q in zip(a, b, strict=True))
        found.append((x, y, nx, ny))
    return [*found, path[-1]]


# ---- signs


def marks(x: int, y: int, reached: int, of: int, *, praises: bool) -> str:
    """Draw one mark a rung, filled up to the one that is reached: blows for blame, stars for praise."""
    shown = min(of, MOST_MARKS)
    filled = reached if of <= MOST_MARKS else max(1, reached * MOST_MARKS // of)
    shape = (
        "M0 -8 L2.2 -2.6 L8 -2.4 L3.4 1.2 L5 7 L0 3.6 L-5 7 L-3.4 1.2 L-8 -2.4 L-2.2 -2.6 Z"
        if praises
        else ("M-3.4 -9 H3.4 L1.7 2.5 H-1.7 Z M-2.4 5 H2.4 V9 H-2.4 Z")
    )
    step = 20 if praises else 14
    drawn = (
        f'<path class="{"dark" if n < filled else "hollow"}"'
        f' transform="translate({x + 8 + n * step} {y + 9})" d="{shape}"/>'
        for n in range(shown)
    )
    return "".join(drawn)


def meter(bar: Box, *, base: float, sure: float, teller: float | None, prefix: str) -> str:
    """Draw how sure somebody is: solid, hatched for what was added, dashed up to how sure the teller was."""
    end, solid = _along(bar, sure), _along(bar, min(base, sure))
    parts = [f'<rect class="white" x="{bar.x}" y="{bar.y}" width="{bar.w}" height="{bar.h}"/>']
    parts.append(f'<rect class="fill" x="{bar.x}" y="{bar.y}" width="{solid - bar.x}" height="{bar.h}"/>')
    if end > solid:
        hatched = f'x="{solid}" y="{bar.y}" width="{end - solid}" height="{bar.h}"'
        parts.append(f'<rect fill="url(#{prefix}-slant)" {hatched}/><rect class="hollow" {hatched}/>')
    if teller is not None and _along(bar, teller) > end:
        parts.append(f'<path class="dashed" d="M{end} {bar.y + bar.h / 2} H{_along(bar, teller)} m0 -9 v18"/>')
    elif teller is not None and _along(bar, teller) < end:
        parts.append(f'<path class="dark" d="M{_along(bar, teller)} {bar.y} l-5 -7 h10 Z"/>')
    parts.append(f'<rect class="hollow" x="{bar.x}" y="{bar.y}" width="{bar.w}" height="{bar.h}"/>')
    parts += [f'<path class="fine" d="M{_along(bar, floor)} {bar.y + bar.h} v5"/>' for floor in FLOORS]
    return "".join(parts)


def _along(bar: Box, share: float) -> int:
    return bar.x + round(bar.w * min(1.0, max(0.0, share)))


def sight(x: int, y: int, *, seen: bool) -> str:
    """Draw an eye, or a page for what was read."""
    if not seen:
        return f'<path class="skin ink" d="M{x - 17} {y - 22} h26 l8 9 v35 h-34 Z"/>' + "".join(
            f'<path class="fine" d="M{x - 11} {y - 8 + 8 * n} h22"/>' for n in range(3)
        )
    lid = f"M{x - 34} {y} Q{x} {y - 34} {x + 34} {y} Q{x} {y + 30} {x - 34} {y} Z"
    return (
        f'<path class="white ink" d="{lid}"/><circle class="dark" cx="{x}" cy="{y - 2}" r="11"/>'
        f'<circle class="white" cx="{x + 4}" cy="{y - 6}" r="3.5"/>'
    )


def arrow(x: int, y: int, length: int) -> str:
    """Draw an arrow to the right."""
    return f'<path class="dark" d="M{x} {y - 8} l{length} 8 l-{length} 8 Z"/>'


# ---- style


def patterns(prefix: str) -> str:
    """Return the fills that clothes and hatched bars are made of."""
    drawn = {
        "stripes": '<path class="fine" d="M3 0 V8"/>',
        "dots": '<circle class="dark" cx="4" cy="4" r="1.6"/>',
        "checks": '<path class="dark" d="M0 0 h4 v4 h-4 Z M4 4 h4 v4 h-4 Z"/>',
        "slant": '<path class="fine" d="M-2 2 l4 -4 M0 8 l8 -8 M6 10 l4 -4"/>',
    }
    return "".join(
        f'<pattern id="{prefix}-{name}" width="8" height="8" patternUnits="userSpaceOnUse">{shape}</pattern>'
        for name, shape in drawn.items()
    )


_LETTERS = "'Comic Neue','Comic Sans MS','Chalkboard SE',ui-rounded,'DejaVu Sans',Verdana,system-ui,sans-serif"


def style(prefix: str) -> str:
    """Return the style sheet: light, dark where the reader's screen is, and light again on paper."""
    dark = _rules(prefix, PAPER_DARK)
    return (
        f".{prefix}{{max-width:100%;height:auto}}.{prefix} text{{font-family:{_LETTERS}}}"
        f".{prefix} .strong,.{prefix} .number{{font-weight:700}}"
        f".{prefix} .said,.{prefix} .middle,.{prefix} .number{{text-anchor:middle}}.{prefix} .end{{text-anchor:end}}"
        f".{prefix} .ink,.{prefix} .speech,.{prefix} .frame{{stroke-linejoin:round}}"
        f".{prefix} .limb,.{prefix} .hair,.{prefix} .fine{{fill:none;stroke-linecap:round;stroke-linejoin:round}}"
        f".{prefix} .dashed{{fill:none;stroke-width:2;stroke-dasharray:4 3}}.{prefix} .hollow{{fill:none}}"
        f"{_rules(prefix, PAPER_LIGHT)}@media screen and (prefers-color-scheme:dark){{{dark}}}"
    )


def _rules(prefix: str, colour: dict[str, str]) -> str:
    ink = colour["ink"]
    rules = {
        "text": f"fill:{ink}",
        ".quiet": f"fill:{colour['quiet']}",
        ".number": f"fill:{colour['paper']}",
        ".paper": f"fill:{colour['paper']}",
        ".white": f"fill:{colour['white']}",
        ".frame": f"fill:{colour['paper']};stroke:{ink};stroke-width:2.2",
        ".join": f"fill:{colour['join']};stroke-dasharray:9 4",
        ".caption": f"fill:{colour['caption']}",
        ".speech": f"fill:{colour['white']};stroke:{ink}",
        ".skin": f"fill:{colour['skin']}",
        ".ink": f"stroke:{ink};stroke-width:2",
        ".dark": f"fill:{ink}",
        ".fill": f"fill:{colour['fill']}",
        ".hollow": f"stroke:{ink};stroke-width:1.2",
        ".dashed": f"stroke:{ink}",
        ".fine": f"stroke:{ink};stroke-width:1.6",
        ".limb": f"stroke:{ink};stroke-width:3.4",
        ".hair": f"stroke:{ink};stroke-width:7",
    }
    return "".join(f".{prefix} {part}{{{rule}}}" for part, rule in rules.items())
