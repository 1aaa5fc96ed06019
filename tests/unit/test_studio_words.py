"""The ready steps: each sentence of the sample means one of them, and each of them is in the sample."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry

from ledger_service.studio.plugin import WORDS

FEATURES = sorted((Path(__file__).parents[1] / "sample_studio" / "features").glob("*.feature"))
OWN = {"nobody but Teo and Wren has been told", "the packet flags nothing about lamps"}
"""Steps that are the sample's own."""


def ready_steps() -> list[StepFunctionContext]:
    names = {f"ledger_service.studio.words.{word}" for word in WORDS}
    for name in names:
        import_module(name)
    return [c for c in step_function_context_registry.values() if c.step_func.__module__ in names]


def sentences() -> list[tuple[str, str]]:
    """Each step of the sample as (given, when or then, its words)."""
    found, kind = [], ""
    for line in "\n".join(f.read_text() for f in FEATURES).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word in {"Given", "When", "Then", "And"}:
            kind = kind if word == "And" else word.casefold()
            found.append((kind, rest))
    return sorted(set(found) - {("then", own) for own in OWN})


STEPS = ready_steps()
SENTENCES = sentences()


def meant_by(kind: str, words: str) -> list[StepFunctionContext]:
    return [s for s in STEPS if s.type in {None, kind} and s.parser.is_matching(words)]


@pytest.mark.parametrize(("kind", "words"), SENTENCES, ids=[f"{kind} {words}" for kind, words in SENTENCES])
def test_a_sentence_means_one_step(kind, words):
    assert len(meant_by(kind, words)) == 1


def test_every_step_is_shown_in_the_sample():
    shown = {id(s.step_func) for kind, words in SENTENCES for s in meant_by(kind, words)}
    assert [s.parser.name for s in STEPS if id(s.step_func) not in shown] == []


@pytest.mark.parametrize("outer", ["nobody", "only Teo", "nobody but Teo and Wren", "Teo, Wren and Orla"])
def test_knowing_is_one_step_whoever_knows(outer):
    (step,) = meant_by("then", f'{outer} know "player mended the torn net"')
    said = step.parser.parse_arguments(f'{outer} know "player mended the torn net"')
    assert re.sub(r"^(only|nobody but) ", "", outer) == said["whom"]
