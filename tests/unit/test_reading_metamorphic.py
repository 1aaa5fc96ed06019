"""What must not change a verdict does not: a polite sentence, other names, passive for active, other quotes."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ledger_service.domain.rubric import State
from ledger_service.probing.labelled import Labelled, decode_labelled
from ledger_service.probing.source import read_source
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.services.probes.check_replies import judge_labelled
from tests.speaking import READING

FOLDER = Path(__file__).parent.parent.parent / "probes" / "calibration"
FILES = ("own.yaml", "further.yaml")
READER = PatternClaimReader()
NAMES = {
    "brann": "torvald",
    "sefa": "agnete",
    "dorrit": "pernille",
    "juno": "kestrel",
    "varga": "lindqvist",
    "ines": "marta",
    "hadi": "yusuf",
    "nesrin": "farah",
    "kerem": "tarik",
    "odile": "clarice",
    "lorcan": "desmond",
    "aldith": "gunhild",
    "wulf": "edric",
    "noor": "samira",
}


@cache
def raws() -> dict[str, Any]:
    """Both files as one: their ledgers and their items."""
    files = [read_source((FOLDER / f).read_bytes(), f, unfolding=50).values for f in FILES]
    return {
        "ledgers": {name: ledger for f in files for name, ledger in f["ledgers"].items()},
        "items": [item for f in files for item in f["items"]],
    }


def items() -> list[Labelled]:
    return [i for i in decode_labelled(raws()) if i.lang == "en" and i.expected["response"] != "na"]


def fails(item: Labelled) -> bool:
    return judge_labelled(item, reading=READING, reader=READER)[0]["response"].state is State.FAIL


def changed(item: Labelled, **fields: Any) -> Labelled:
    (again,) = decode_labelled({"ledgers": raws()["ledgers"], "items": [{**item.raw, **fields}]})
    return again


@cache
def verdicts() -> dict[str, bool]:
    return {item.id: fails(item) for item in items()}


def flips(reworded: list[Labelled]) -> list[str]:
    return [i.id for i in reworded if fails(i) != verdicts()[i.id]]


@pytest.mark.slow
@pytest.mark.parametrize("polite", ["Sit down, please.", "It is cold tonight."])
def test_an_irrelevant_polite_sentence_changes_no_verdict(polite: str) -> None:
    assert flips([changed(i, reply=f"{i.reply} {polite}") for i in items()]) == []


@pytest.mark.slow
def test_other_quotation_marks_change_no_verdict() -> None:
    reworded = [changed(i, reply=re.sub(r'"([^"]*)"', r"“\1”", i.reply).replace("'", "’")) for i in items()]
    assert flips(reworded) == []


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {_renamed(k): _renamed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_renamed(v) for v in value]
    if isinstance(value, str):
        for old, new in NAMES.items():
            value = re.sub(rf"\b{old}\b", new, value)
            value = re.sub(rf"\b{old.title()}\b", new.title(), value)
    return value


@pytest.mark.slow
def test_other_names_change_no_verdict() -> None:
    renamed = list(decode_labelled(_renamed(raws())))
    assert flips([i for i in renamed if i.id in verdicts()]) == []


ACTIVE_AND_PASSIVE = [
    ("Juno welded the coolant pipe.", "The coolant pipe was welded by Juno."),
    ("You welded the coolant pipe.", "The coolant pipe was welded by you."),
    ("I welded the coolant pipe.", "The coolant pipe was welded by me."),
]
BOTH_WAYS = [
    ("Who found us water out here?", "Kerem found the buried well.", "The buried well was found by Kerem."),
    ("Who saved the relics?", "Osric carried the relics out.", "The relics were carried out by Osric."),
    ("Who saved the relics?", "You carried the relics out.", "The relics were carried out by you."),
    ("Is the salt gorge safe?", "Bandits hold the salt gorge.", "The salt gorge is held by bandits."),
]


@pytest.mark.parametrize(("line", "active", "passive"), BOTH_WAYS)
def test_active_and_passive_are_judged_alike_in_other_worlds(line: str, active: str, passive: str) -> None:
    asked = next(i for i in items() if i.raw["player_line"] == line)
    assert fails(changed(asked, reply=active)) == fails(changed(asked, reply=passive))


@pytest.mark.parametrize(("active", "passive"), ACTIVE_AND_PASSIVE)
def test_active_and_passive_are_judged_alike(active: str, passive: str) -> None:
    asked = next(i for i in items() if i.raw["player_line"] == "Who patched up the coolant line?")
    assert fails(changed(asked, reply=active)) == fails(changed(asked, reply=passive))


@pytest.mark.parametrize(
    ("line", "faulty", "negated"),
    [
        ("Who patched up the coolant line?", "Juno welded the coolant pipe.", "Juno did not weld the coolant pipe."),
        ("Which way out to sea, with this draught?", "The east channel is closed.", "The east channel is not closed."),
        ("What became of the Gull?", "The Gull ran aground on the north bar.", "I can't say the Gull ran aground."),
        ("Who told you about the Gull?", "Dorrit told me.", "Dorrit never told me. Sefa did."),
        ("Who found us water out here?", "Kerem found the buried well.", "Kerem did not find the buried well."),
        ("Shall we take the north road?", "The north road is flooded.", "The north road is not flooded."),
        ("Does Dagny seem odd to you?", "Dagny drinks the engine spirit.", "I can't say that of Dagny."),
        ("Where in the navy did you serve?", "I was in the navy.", "I was not in the navy."),
        ("How many cows did we lose?", "Five cows died.", "Five cows did not die."),
    ],
)
def test_negating_the_faulty_sentence_changes_the_verdict(line: str, faulty: str, negated: str) -> None:
    asked = next(i for i in items() if i.raw["player_line"] == line)
    assert fails(changed(asked, reply=faulty))
    assert not fails(changed(asked, reply=negated))
