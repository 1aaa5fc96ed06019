"""Clipped words are read as the whole ones that they stand for."""

import pytest

from ledger_service.domain.clipped import spelt


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Fetch ’em yerself, or ye'll wait", "Fetch them yerself, or ye'll wait"),
        ("I ain't goin' nor comin' an' that's that", "I is not going nor coming and that's that"),
        ("a pint o' ale, 'tis all", "a pint of ale, it is all"),
        ("the cabin is Ann's", "the cabin is Ann's"),
    ],
)
def test_what_speech_clips_is_spelt_whole(said, meant) -> None:
    assert spelt(said) == meant
