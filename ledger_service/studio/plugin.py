"""The pytest plugin: fixtures, and where pytest-bdd is loaded, ready steps.

It comes with every pytest of a place where the ledger is installed, so that nothing of the ledger is imported before a
test asks for it.
"""

import statistics
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # what these name takes two seconds to import
    from ledger_service.studio.scene import Scene
    from ledger_service.studio.speaker import Speaker
    from ledger_service.studio.stage import Stage
    from ledger_service.studio.theatre import Theatre

FOLDERS = ("stories", "probes", ".")
"""Where stories are looked for, below the root of the tests, where `continuity_stories` names nothing."""
WORDS = ("setting", "events", "knowledge", "packet", "line")
_theatre: pytest.StashKey["Theatre"] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare where stories are, and the switch that shows what clean playthroughs cost."""
    parser.addini("continuity_stories", "folders that hold stories, each a folder with its world.yaml", type="paths")
    group = parser.getgroup("continuity", "continuity ledger")
    group.addoption(
        "--continuity-times", action="store_true", help="show at the end how long clean playthroughs took to open"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let features speak, where pytest-bdd is loaded."""
    if config.pluginmanager.hasplugin("pytest-bdd"):
        for name in ("reporting", *(f"words.{word}" for word in WORDS)):
            config.pluginmanager.import_plugin(f"ledger_service.studio.{name}")


@pytest.fixture(scope="session")
def continuity_theatre(pytestconfig: pytest.Config) -> Iterator["Theatre"]:
    """Return the house in which playthroughs are opened, for the whole run."""
    from ledger_service.studio.theatre import Theatre  # noqa: PLC0415  (see above)

    folders = pytestconfig.getini("continuity_stories") or [pytestconfig.rootpath / name for name in FOLDERS]
    with Theatre(folders) as theatre:
        pytestconfig.stash[_theatre] = theatre
        yield theatre


@pytest.fixture(scope="session")
def continuity_speaker() -> "Speaker":
    """Return who says the lines: None is the template. Override it in your conftest.py with your own speaker."""
    return None


@pytest.fixture
def continuity_playthrough(
    continuity_theatre: "Theatre", continuity_speaker: "Speaker"
) -> Callable[..., "Stage"]:  # fmt: skip
    """Return a way to a clean playthrough of a story: `continuity_playthrough("harbour")`."""

    def opened(story: str, *, seed: int | None = None, history: bool = True) -> "Stage":
        return continuity_theatre.open(story, seed=seed, history=history, speaker=continuity_speaker)

    return opened


@pytest.fixture
def continuity_scene(continuity_playthrough: Callable[..., "Stage"], request: pytest.FixtureRequest) -> "Scene":
    """Return what the steps of a feature play on."""
    from ledger_service.studio.reporting import step_of  # noqa: PLC0415  (needs no ledger, and is used by features only)
    from ledger_service.studio.scene import Scene  # noqa: PLC0415  (see above)

    return Scene(continuity_playthrough, lambda: step_of(request.node))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show what clean playthroughs cost, where it was asked for."""
    theatre = config.stash.get(_theatre, None)
    if not config.getoption("continuity_times") or theatre is None:
        return
    terminalreporter.section("continuity")
    for story, seconds in theatre.grounds.items():
        terminalreporter.write_line(f"{story}: played once, in {seconds * 1e3:.0f} ms")
    took = [seconds * 1e3 for seconds in theatre.opened]
    spread = f"p50 {statistics.median(took):.2f} ms, longest {max(took):.2f} ms" if took else "none"
    terminalreporter.write_line(f"clean playthroughs: {len(took)}, {spread}")
