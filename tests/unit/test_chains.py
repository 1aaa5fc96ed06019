"""The chain behind a belief: its order, its depth, and how it is told."""

from itertools import pairwise

import pytest

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.rumours import ProvenanceChain, Telling, TellingOutcome, build_chain, version_of_entry
from ledger_service.domain.visibility import Knower
from ledger_service.rumours.provenance import Naming, in_words
from ledger_service.services.gossip.explain_belief import own_teller_only
from tests.builders import a_hearsay, an_observation, known_by

ROOT = an_observation(entry_id="root", statement="Tomas took an apple", knowers=known_by("tomas"), seq=1)


def told(
    source: str, target: str | None, *, seq: int = 2, outcome: TellingOutcome = TellingOutcome.BELIEVED
) -> Telling:
    return Telling(
        telling_id=f"{source}>{target}", from_entry=source, to_entry=target, teller=f"{source}-holder",
        listener=f"{target}-holder", origin="root", seq=seq, tick=seq, outcome=outcome,
    )  # fmt: skip


def heard(name: str, seq: int = 2) -> LedgerEntry:
    return a_hearsay(entry_id=name, statement=f"version {name}", knowers=known_by(f"{name}-holder"), seq=seq)


def chain_of(entry_id: str, entries: list[LedgerEntry], tellings: list[Telling]) -> ProvenanceChain:
    return build_chain(entry_id, map(version_of_entry, entries), tellings, store="here")


@pytest.mark.parametrize("hops", [9, 40])
def test_a_chain_of_any_length_reaches_its_witness(hops: int) -> None:
    names = ["root", *(f"v{i}" for i in range(hops))]
    entries = [ROOT, *(heard(n, seq=i + 2) for i, n in enumerate(names[1:]))]
    chain = chain_of(names[-1], entries, [told(a, b) for a, b in pairwise(names)])
    assert [k.entry_id for k in chain.links] == names[::-1]
    assert [k.depth for k in chain.links] == list(range(hops + 1))
    assert (chain.links[-1].how, chain.links[-1].teller) == ("witnessed", None)


def test_a_diamond_stands_once_for_each_teller_at_its_shortest_distance() -> None:
    entries = [ROOT, heard("left", 3), heard("right", 2), heard("end", 4)]
    tellings = [told("root", "left"), told("root", "right"), told("left", "end", seq=4), told("right", "end", seq=5),
                told("root", "end", seq=6, outcome=TellingOutcome.CORROBORATED)]  # fmt: skip
    chain = chain_of("end", entries, tellings)
    assert [(k.entry_id, k.depth, k.told_by_entry) for k in chain.links] == [
        ("end", 0, "left"), ("end", 0, "right"), ("end", 0, "root"), ("root", 1, None), ("right", 1, "root"),
        ("left", 1, "root"),
    ]  # fmt: skip


def test_the_order_in_which_a_store_finds_rows_changes_nothing() -> None:
    entries = [ROOT, heard("left"), heard("right"), heard("end")]
    tellings = [told("root", "left"), told("root", "right"), told("left", "end"), told("right", "end")]
    assert chain_of("end", entries, tellings) == chain_of("end", entries[::-1], tellings[::-1])


@pytest.mark.parametrize("outcome", [TellingOutcome.IGNORED, TellingOutcome.ECHO, TellingOutcome.UNCHANGED])
def test_tellings_that_left_nothing_are_no_part_of_a_chain(outcome: TellingOutcome) -> None:
    chain = chain_of("end", [ROOT, heard("end")], [told("root", "end", outcome=outcome)])
    assert [k.entry_id for k in chain.links] == ["end"]


def test_who_was_there_saw_it() -> None:
    assert chain_of("root", [ROOT], []).saw_it
    assert not chain_of("end", [heard("end")], []).saw_it


def test_confidence_is_given_in_whole_millionths() -> None:
    (link,) = chain_of("root", [an_observation(entry_id="root", confidence=0.123456789)], []).links
    assert link.confidence == 0.123457


def test_a_character_learns_of_their_own_teller_and_no_further() -> None:
    chain = chain_of("v1", [ROOT, heard("v0"), heard("v1")], [told("root", "v0"), told("v0", "v1")])
    (own,) = own_teller_only(chain, Knower(who="ilsa")).links
    assert (own.holder, own.teller, own.told_by_entry) == ("ilsa", "v0-holder", None)


def test_a_chain_is_told_from_the_belief_back_to_who_saw_it() -> None:
    chain = chain_of("v0", [ROOT, heard("v0")], [told("root", "v0")])
    people = {"root-holder": "Root", "v0-holder": "Vera", "tomas": "Tomas"}
    told_in_words = in_words(chain, naming=Naming(people=people))
    assert "Root told Vera: version v0" in told_in_words[0]
    assert "Tomas took an apple (confirmed, 1.00)" in told_in_words[1]
