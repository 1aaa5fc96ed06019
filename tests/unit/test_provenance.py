"""What each hop cost or added, the branches of a chain, and how it is told."""

import pytest
from msgspec.structs import replace

from ledger_service.domain.confidence import corroborated
from ledger_service.domain.rumours import ChainLink, ProvenanceChain, build_chain
from ledger_service.rumours.provenance import Naming, in_words, retrace, strands
from tests.chains import NAMES, THEFT, a_fan, a_line, again, held, seen, the_worked_chain, told


def of(chain: ProvenanceChain, entry_id: str) -> list[ChainLink]:
    return [k for k in chain.links if k.entry_id == entry_id]


def test_the_worked_chain_comes_out_exactly() -> None:
    chain = the_worked_chain()
    found = [(k.holder, f"{k.confidence:.2f}", k.statement) for e in ("root", "p", "b", "i") for k in of(chain, e)[:1]]
    assert found == [
        ("tomas", "1.00", "took an apple"), ("pip", "0.45", "stole a basket"),
        ("bertha", "0.75", "robbed the stall"), ("ilsa", "0.51", "ransacked the market"),
    ]  # fmt: skip


def test_each_hop_says_what_it_lost_or_gained_against_the_first_teller() -> None:
    chain = the_worked_chain()
    assert of(chain, "p")[0].named == "lost 0.55 in the retelling"
    first, second = of(chain, "b")
    assert (first.teller_held, first.after, first.named) == (0.45, 0.324, "lost 0.13 in the retelling")
    assert (second.teller_held, second.after, second.named) == (1.0, 0.74988, "gained 0.30 by a second teller")
    assert of(chain, "i")[0].teller_held == second.after
    assert of(chain, "root")[0].named == ""


def test_a_teller_was_as_sure_as_they_were_when_they_spoke() -> None:
    versions = [seen(), held("b", THEFT[1], "bertha", 0.324, seq=2), held("i", THEFT[1], "ilsa", 0.2187, seq=3)]
    tellings = [told("root", "b", "tomas", "bertha", 0.324, seq=2), told("b", "i", "bertha", "ilsa", 0.2187, seq=3),
                again("root2", "b", "mira", "bertha", 0.63, seq=4)]  # fmt: skip
    chain = retrace(build_chain("i", versions, tellings, store="here"))
    assert of(chain, "i")[0].teller_held == 0.324
    assert of(chain, "b")[0].confidence == 0.74988


def test_two_tellers_of_one_hour_both_spoke_from_what_they_held_when_it_began() -> None:
    versions = [seen(), held("b", THEFT[1], "bertha", 0.5, seq=2), held("i", THEFT[1], "ilsa", 0.3, seq=3)]
    tellings = [told("root", "b", "tomas", "bertha", 0.5, seq=2), told("b", "i", "bertha", "ilsa", 0.3, seq=3),
                again("root2", "b", "mira", "bertha", 0.5, seq=3)]  # fmt: skip
    assert of(retrace(build_chain("i", versions, tellings, store="here")), "i")[0].teller_held == 0.5


def test_the_record_has_the_last_word_on_how_sure_somebody_was() -> None:
    chain = the_worked_chain(retraced=False)
    first, second = of(retrace(chain, {"b": [(4, 0.63, 0.63), (6, 0.2, 0.2)]}), "b")
    assert (first.after, second.after, second.confidence, second.independent) == (0.324, 0.63, 0.2, 0.2)
    assert second.named == "gained 0.18 by a second teller, lowered to 0.20 by a correction"


def test_a_sceptic_who_was_told_by_two_holds_what_both_made_them() -> None:
    versions = [seen(), held("m", THEFT[0], "mira", corroborated((0.4, 0.5)), seq=9)]
    tellings = [again("root", "m", "tomas", "mira", 0.4, seq=9, tick=5), told("p", "m", "pip", "mira", 0.5, seq=9)]
    first, second = of(retrace(build_chain("m", versions, tellings, store="here")), "m")
    assert (first.teller, first.after) == ("tomas", 0.4)
    assert (second.teller, second.after, second.confidence) == ("pip", 0.7, 0.7)


def test_who_did_a_deed_is_not_who_saw_it() -> None:
    versions = [seen(who="player"), held("p", THEFT[1], "pip", 0.45, seq=2)]
    chain = retrace(build_chain("p", versions, [told("root", "p", "tomas", "pip", 0.45, seq=2)], store="here"))
    (root,) = of(chain, "root")
    assert (root.holder, root.witnesses) == ("tomas", ("tomas",))
    assert "Tomas saw it" in in_words(chain, naming=NAMES)[-1]


def test_all_who_saw_it_and_told_of_it_are_named() -> None:
    versions = [seen(), held("b", THEFT[1], "bertha", 0.3, seq=2)]
    tellings = [told("root", "b", "pip", "bertha", 0.3, seq=2), again("root", "b", "tomas", "bertha", 0.3, seq=3)]
    assert "Tomas and Pip saw it" in in_words(
        retrace(build_chain("b", versions, tellings, store="here")), naming=NAMES
    )[1].replace("Pip and Tomas", "Tomas and Pip")


@pytest.mark.parametrize("hops", [0, 1, 9, 40])
def test_a_line_is_one_strand_told_in_as_many_sentences(hops: int) -> None:
    chain = a_line(hops)
    (way,) = strands(chain)
    assert len(way.links) == hops + 1
    lines = in_words(chain)
    assert len(lines) == hops + 1
    assert "w0 saw it: took an apple" in lines[-1]


def test_hops_of_none_means_saw_it() -> None:
    chain = a_line(0)
    assert chain.saw_it
    assert in_words(chain) == ["day 1, 08:00 (tick 8) at market: w0 saw it: took an apple (confirmed, 1.00)"]


@pytest.mark.parametrize("tellers", [1, 2, 8, 12])
def test_every_telling_of_a_fan_stands_in_exactly_one_strand(tellers: int) -> None:
    chain = a_fan(tellers)
    ways = strands(chain)
    assert len(ways) == tellers
    assert sorted(id(k) for way in ways for k in way.links) == sorted(id(k) for k in chain.links)
    assert [(w.joins, w.leaves) for w in ways] == [(None, None), *[("end", "root")] * (tellers - 1)]


def test_a_branch_that_begins_inside_a_branch_says_where_it_leaves() -> None:
    versions = [seen(), *(held(n, THEFT[1], n, 0.4, seq=s) for n, s in (("a", 2), ("b", 3), ("c", 4), ("d", 5)))]
    tellings = [
        told("root", "a", "tomas", "a", 0.4, seq=2), told("root", "b", "tomas", "b", 0.4, seq=3),
        told("a", "d", "a", "d", 0.4, seq=5), again("c", "d", "c", "d", 0.4, seq=7),
        told("b", "c", "b", "c", 0.4, seq=4), again("a", "c", "a", "c", 0.4, seq=6),
    ]  # fmt: skip
    ways = strands(build_chain("d", versions, tellings, store="here"))
    assert [([k.entry_id for k in w.links], w.joins, w.leaves) for w in ways] == [
        (["d", "a", "root"], None, None), (["d", "c", "b"], "d", "root"), (["c"], "c", "a"),
    ]  # fmt: skip


def test_a_ring_in_a_broken_record_ends() -> None:
    versions = [held("a", "x", "a", 0.4, seq=2), held("b", "x", "b", 0.4, seq=3)]
    tellings = [told("a", "b", "a", "b", 0.4, seq=3), told("b", "a", "b", "a", 0.4, seq=2)]
    chain = retrace(build_chain("a", versions, tellings, store="here"))
    assert [[k.entry_id for k in w.links] for w in strands(chain)] == [["a", "b"]]


def test_a_chain_in_words_has_wording_rung_confidence_place_hour_tick_teller_and_change() -> None:
    lines = in_words(the_worked_chain(), naming=NAMES)
    assert lines[0] == (
        "day 1, 12:00 (tick 12) at The Crooked Lantern: Bertha told Captain Ilsa: ransacked the market"
        " (unverified, 0.51, rung 4 of 5, lost 0.24 in the retelling)"
    )
    assert lines[4:] == [
        "branch 2, to Bertha:",
        "day 1, 11:00 (tick 11) at The Crooked Lantern: Tomas told Bertha the same: took an apple"
        " (likely, 0.75, rung 1 of 5, gained 0.30 by a second teller)",
        "(and Tomas had it as told above)",
    ]


def test_what_time_has_taken_is_said_of_the_belief_only() -> None:
    chain = the_worked_chain()
    faded = replace(chain, links=tuple(replace(k, left=0.1) for k in chain.links))
    assert sum("faded to 0.10 since" in line for line in in_words(faded)) == 1


def test_a_reviewer_is_told_what_it_comes_to_by_independent_witnesses() -> None:
    chain = retrace(the_worked_chain(retraced=False), {"b": [(4, 0.74988, 0.63)]})
    assert sum("0.63 if only independent witnesses count" in line for line in in_words(chain)) == 1


def test_a_world_names_its_bands() -> None:
    lines = in_words(the_worked_chain(), naming=Naming(bands={"unverified": "hearsay"}))
    assert "(hearsay, 0.51" in lines[0]


def test_nothing_recorded_is_told_in_no_words() -> None:
    assert in_words(ProvenanceChain(entry_id="e", links=(), store="here")) == []
