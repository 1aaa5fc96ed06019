"""Words that mean the same, from WordNet."""

import pytest

from ledger_service.domain.terms import stem
from ledger_service.scoring.words.lexicon import denies, is_meant, is_person, meant_by
from ledger_service.scoring.words.overlap import akin, kindred


def _alike(one: str, other: str) -> bool:
    return is_meant(stem(one), meant_by(frozenset({stem(other)})))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("conceal", "hide"),
        ("licensed", "licence"),
        ("pony", "horse"),
        ("purchase", "buy"),
        ("sacks", "bags"),
        ("wed", "marry"),
    ],
)
def test_words_for_the_same_thing_are_alike(one: str, other: str) -> None:
    assert _alike(one, other)
    assert _alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("table", "freedom"), ("apple", "basket"), ("brother", "sister"), ("drunk", "sober"), ("key", "lock")],
)
def test_words_that_only_stand_beside_each_other_are_not(one: str, other: str) -> None:
    assert not _alike(one, other)


def test_what_denies_what_is_known() -> None:
    assert denies(stem("asleep"), stem("awake"))
    assert not denies(stem("asleep"), stem("tired"))


def test_people_are_told_from_things() -> None:
    assert is_person(stem("valet"))
    assert not is_person(stem("bridge"))


def test_the_wider_likeness_holds_whatever_the_narrower_does() -> None:
    said, terms = {stem("torched"), stem("licensed")}, {stem("burn"), stem("licence"), stem("gate")}
    assert kindred(said, terms) < akin(said, terms) == {stem("burn"), stem("licence")}
