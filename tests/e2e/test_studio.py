"""The pytest plugin, as a studio meets it: a repository of its own, really run; steps that fail; and what it costs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[1] / "sample_studio"
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}

FAILING = {
    "It holds something, and in another way": (
        ['When the player asks Orla "Where does the wreck lie?"', 'Then the packet holds "wreck" as witnessed'],
        'features/failing.feature:6: Then the packet holds "wreck" as witnessed\n'
        "It holds it, but not as witnessed. the wreck lies on the sandbar: hearsay, unverified, told by teo, active, "
        "second hand\n\n"
        "orla speaks to player at tick 9, scene 0\nto answer: Where does the wreck lie?\nselected:\n  1. the wreck ",
    ),
    "What is not held says why": (
        ['When the player asks Orla "Who mended the net?"', 'Then the packet holds "net"'],
        "It does not hold it. player mended the torn net: withheld as not_visible, orla does not know it",
    ),
    "What is held is not withheld": (
        ['When the player asks Teo "Who mended the net?"', 'Then the packet withholds "net"'],
        "It holds: player mended the torn net",
    ),
    "What nobody ever wrote cannot be missing": (
        ['When the player asks Teo "Any news?"', 'Then the packet does not hold "player mended the torn neet"'],
        "nothing on record says so, at any time, to anybody; the nearest are: player mended the torn net",
    ),
    "A reason has to be one": (
        ['When the player asks Orla "Who mended the net?"', 'Then the packet withholds "net" as invisible'],
        "'invisible' is no reason; there are: not visible, derived from hidden,",
    ),
    "A flag has to be one": (
        ['When the player asks Orla "Who mended the net?"', 'Then the packet does not flag "no recrod"'],
        "'no recrod' is no flag; there are: no record, false premise,",
    ),
    "A leak is shown with its words": (
        [
            'When the player asks Orla "Any news?"',
            'And Orla answers "I have sold the lighthouse to a buyer in the city."',
            "Then all five verdicts hold",
        ],
        "the line, by the feature: “I have sold the lighthouse to a buyer in the city.”",
    ),
    "A secret is not for saying": (
        ['When the player asks Orla "Have you sold the lighthouse?"', 'Then the packet holds "buyer"'],
        "orla has sold the lighthouse to a buyer in the city: acted on and never said (it is a secret)",
    ),
    "Who else knows is named": (
        ['Then nobody but Orla knows "player mended the torn net"'],
        '"player mended the torn net" is not known to orla. Known to:\n'
        '  player: "player mended the torn net", witnessed, 1.00 sure\n',
    ),
    "Nobody of that name": (
        ['When the player asks Orlando "Who mended the net?"'],
        "unknown character 'Orlando'; the cast is player, orla, teo, wren",
    ),
    "A promise stands otherwise": (
        ['Then the promise "lamp" is kept'],
        'the promise "player will bring the storm lamp back" is open',
    ),
    "No such action": (
        ['When the player asks Orla "May I take the boat out?"', 'Then the line grants "yacht"'],
        "'yacht' is no action of this world; there are: take_boat",
    ),
    "The line refuses": (
        ['When the player asks Orla "May I take the boat out?"', 'Then the line grants "boat"'],
        "The line refuses.",
    ),
    "Events are checked where they are written": (
        ["When these events happen:", '"""', "- {kind: moved, who: player, too: quay}", '"""'],
        "the events of this step:1: [0].too: unknown field `too`; did you mean `to`? (allowed: ",
    ),
    "Asking comes first": (["Then the packet flags nothing"], "Nothing has been said yet."),
}  # fmt: skip


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def failing_feature() -> str:
    lines = ["Feature: What fails", ""]
    for title, (steps, _) in FAILING.items():
        lines += [f"  Scenario: {title}", '    Given the ledger of "harbour"', *(f"    {s}" for s in steps), ""]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What the run of a studio's repository prints, to which features were added that all fail."""
    own = tmp_path_factory.mktemp("home") / "a studio's repository"
    shutil.copytree(SAMPLE, own, ignore=shutil.ignore_patterns("__pycache__"))
    (own / "features" / "failing.feature").write_text(failing_feature())
    (own / "test_failing.py").write_text('from pytest_bdd import scenarios\n\nscenarios("failing.feature")\n')
    done = run(own, "-q", "--no-header", "--continuity-times", "-rA")
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def failed(printed):
    """What was printed of each scenario that failed, by its name."""
    parts = re.split(r"^_+ (test_\w+) _+$", printed.partition("= FAILURES =")[2], flags=re.MULTILINE)
    return {name.removeprefix("test_"): text for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_a_studio_holds_its_own_world_in_its_own_repository(printed):
    passed = re.findall(r"^PASSED (\w+)\.py::", printed, flags=re.MULTILINE)
    assert (passed.count("test_features"), passed.count("test_own_speaker")) == (13, 6)
    assert set(re.findall(r"^(?:FAILED|ERROR) (\w+)\.py::", printed, flags=re.MULTILINE)) == {"test_failing"}
    assert f"{len(FAILING)} failed, 19 passed" in printed


def test_what_clean_playthroughs_cost_is_shown(printed):
    (took,) = re.findall(r"^clean playthroughs: .*$", printed, flags=re.MULTILINE)
    print(took)
    assert re.fullmatch(r"clean playthroughs: 33, p50 [0-9.]+ ms, longest [0-9.]+ ms", took)


@pytest.mark.parametrize("title", FAILING)
def test_a_step_that_fails_says_why_in_the_words_of_the_story(failed, title):
    shown = failed[re.sub(r"\W+", "_", title).casefold()]
    assert FAILING[title][1] in shown
    assert "Traceback" not in shown
    assert "ledger_service" not in shown


def test_a_bad_line_is_shown_with_packet_and_verdicts(failed):
    shown = failed["a_leak_is_shown_with_its_words"]
    assert "generation is at fault." in shown
    assert "acts on, never says:\n  orla has sold the lighthouse to a buyer in the city  (it is a secret)" in shown
    assert "response validity: fail" in shown
    assert "leak:" in shown


@pytest.mark.parametrize("features", ["", "-pno:pytest-bdd"])
def test_whoever_has_no_use_for_it_loads_nothing_of_the_ledger(tmp_path, features):
    (tmp_path / "conftest.py").write_text(
        "import sys\n\n\ndef pytest_unconfigure():\n"
        "    print('loaded:', *sorted(m for m in sys.modules if m.split('.')[0] in\n"
        "          {'ledger_service', 'msgspec', 'sqlalchemy', 'litestar', 'numpy', 'httpx'}))\n"
    )
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    assert True\n")
    done = run(tmp_path, "-q", *([features] if features else []))
    assert done.returncode == 0, done.stdout + done.stderr
    (loaded,) = re.findall(r"^loaded: (.*)$", done.stdout, flags=re.MULTILINE)
    words = {m for m in loaded.split() if ".studio.words" in m or m.endswith(".reporting")}
    assert set(loaded.split()) - words == {"ledger_service", "ledger_service.studio", "ledger_service.studio.plugin"}
    assert bool(words) is (not features)
