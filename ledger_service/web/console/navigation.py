"""Where one can go: places of the console and tabs of one playthrough; a link is shown once its page is there."""

from collections.abc import Collection
from typing import NamedTuple


class Place(NamedTuple):
    """A link of the navigation; `within` is the same thing of one playthrough, for who has looked at one."""

    word: str
    path: str
    key: str
    """With `g` before it, the key that leads there."""
    within: str = ""
    admins_only: bool = False


class Tab(NamedTuple):
    """A page of one playthrough."""

    word: str
    path: str


PLACES: tuple[tuple[str, tuple[Place, ...]], ...] = (
    (
        "Stories",
        (
            Place("Playthroughs", "/playthroughs", "s"),
            Place("Packets", "/packets", "k", "/playthroughs/{playthrough_id}/packets"),
            Place("Ledger", "/ledger", "l", "/playthroughs/{playthrough_id}/entries"),
            Place("Boards", "/boards", "b", "/playthroughs/{playthrough_id}/boards"),
            Place("Worlds", "/worlds", "w"),
        ),
    ),
    ("Quality", (Place("Probes", "/probes", "p"), Place("Triage", "/triage", "t"))),
    (
        "Play",
        (
            Place("Spyglass", "/spyglass", "y", "/playthroughs/{playthrough_id}/spyglass"),
            Place("Try it", "/try", "r", "/playthroughs/{playthrough_id}/try"),
            Place("Village", "/village", "v", "/playthroughs/{playthrough_id}/village"),
        ),
    ),
    ("House", (Place("People", "/people", "e", admins_only=True), Place("Audit", "/audit", "a"))),
)
TABS = (
    Tab("Timeline", "/playthroughs/{playthrough_id}"),
    Tab("Replay", "/playthroughs/{playthrough_id}/replay"),
    Tab("Ledger", "/playthroughs/{playthrough_id}/entries"),
    Tab("Packets", "/playthroughs/{playthrough_id}/packets"),
    Tab("Boards", "/playthroughs/{playthrough_id}/boards"),
    Tab("Spyglass", "/playthroughs/{playthrough_id}/spyglass"),
    Tab("Try it", "/playthroughs/{playthrough_id}/try"),
    Tab("Village", "/playthroughs/{playthrough_id}/village"),
)
CHOOSE = "/playthroughs"
"""Where to go for something of one playthrough while none was looked at."""


class Link(NamedTuple):
    """A link as it is drawn."""

    word: str
    path: str
    key: str
    is_here: bool


class Standing(NamedTuple):
    """From where somebody looks."""

    template: str
    """The address of the page at hand, as its route is written."""
    pages: Collection[str]
    """The address of every page that there is."""
    recent: str
    """The playthrough that was looked at last."""
    is_admin: bool


def places(at: Standing) -> list[tuple[str, list[Link]]]:
    """Return the navigation for somebody: the pages that there are, and that they may see."""
    shown = [(group, [_link(p, at) for p in members if _is_shown(p, at)]) for group, members in PLACES]
    return [(group, links) for group, links in shown if links]


def _is_shown(place: Place, at: Standing) -> bool:
    return (place.path in at.pages or place.within in at.pages) and (at.is_admin or not place.admins_only)


def _link(place: Place, at: Standing) -> Link:
    path = place.path
    if path not in at.pages:
        path = place.within.format(playthrough_id=at.recent) if at.recent else CHOOSE
    return Link(place.word, path, place.key, place is _place_of(at.template))


def _place_of(template: str) -> Place | None:
    """Return the place to which a page belongs: the one whose address its own begins with, the longest first."""
    named = [(path, place) for _, members in PLACES for place in members for path in (place.path, place.within) if path]
    fitting = [(path, place) for path, place in named if template == path or template.startswith(f"{path}/")]
    return max(fitting, key=lambda pair: len(pair[0]))[1] if fitting else None


def tabs(at: Standing, playthrough_id: str) -> list[Link]:
    """Return the pages of a playthrough."""
    return [
        Link(tab.word, tab.path.format(playthrough_id=playthrough_id), "", at.template == tab.path)
        for tab in TABS
        if tab.path in at.pages
    ]
