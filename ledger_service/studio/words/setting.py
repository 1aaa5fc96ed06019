"""Steps that set the scene: which story, how much of it has passed, on which branch, and who talks to whom."""

from typing import TYPE_CHECKING

from pytest_bdd import given, parsers, step

if TYPE_CHECKING:  # imported when the first scenario asks for it
    from ledger_service.studio.scene import Scene

NUMBERS = "an|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_VALUE = {word: max(1, i) for i, word in enumerate(NUMBERS.split("|"), start=-1)}
N = rf"(?P<n>{NUMBERS}|\d+)"


def number(word: str) -> int:
    """Return the number that a word or digits say.

    >>> [number(word) for word in ("a", "an", "one", "two", "twelve", "17")]
    [1, 1, 1, 2, 12, 17]
    """
    return int(word) if word.isdigit() else _VALUE[word]


@given(parsers.re(r'the ledger of "(?P<story>[^"]+)"(?: by seed (?P<seed>\d+))?'))
def _ledger(continuity_scene: "Scene", story: str, seed: str | None) -> None:
    continuity_scene.begin(story, seed=None if seed is None else int(seed))


@given(parsers.re(r'the world of "(?P<story>[^"]+)"(?: by seed (?P<seed>\d+))?'))
def _world(continuity_scene: "Scene", story: str, seed: str | None) -> None:
    continuity_scene.begin(story, seed=None if seed is None else int(seed), history=False)


@step(parsers.re(rf"{N} scenes? pass(?:es)?"))
def _scenes(continuity_scene: "Scene", n: str) -> None:
    continuity_scene.stage.pass_scenes(number(n))


@step(parsers.re(rf"{N} hours?(?P<gossip> of gossip)? pass(?:es)?"))
def _hours(continuity_scene: "Scene", n: str, gossip: str | None) -> None:
    continuity_scene.stage.pass_hours(number(n), gossip=gossip is not None)


@step(parsers.re(r'the game is saved as "(?P<name>[^"]+)"'))
def _save(continuity_scene: "Scene", name: str) -> None:
    continuity_scene.stage.save(name)


@step(parsers.re(r'the save "(?P<name>[^"]+)" is loaded'))
def _load(continuity_scene: "Scene", name: str) -> None:
    continuity_scene.stage.load(name)


@step(parsers.re(r"the game is saved and loaded"))
def _reload(continuity_scene: "Scene") -> None:
    continuity_scene.stage.reload()


@step(parsers.re(r'the story branches(?: after "(?P<what>[^"]+)")?'))
def _branch(continuity_scene: "Scene", what: str | None) -> None:
    continuity_scene.stage.branch(after=what)


@step(parsers.re(r"the main story goes on"))
def _main(continuity_scene: "Scene") -> None:
    continuity_scene.stage.back_to_main()


@step(parsers.re(r'(?P<asker>[^"]+) talks? to (?P<speaker>[^"]+?)(?: while (?P<others>[^"]+) listens?)?'))
def _talk(continuity_scene: "Scene", asker: str, speaker: str, others: str | None) -> None:
    stage = continuity_scene.stage
    continuity_scene.talk(stage.someone(asker), stage.someone(speaker))
    continuity_scene.listeners = stage.people(others) if others else ()
