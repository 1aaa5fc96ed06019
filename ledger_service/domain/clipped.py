"""English words as speech clips them, spelt whole, so that `goin'` and `'em` are read like any other word."""

import re
from functools import lru_cache
from typing import Final

_CLIPPED: Final = {
    "'em": "them", "'im": "him", "'er": "her", "an'": "and", "o'": "of", "wi'": "with", "ye": "you", "yer": "your",
    "yeh": "you", "ya": "you", "me'self": "myself", "'tis": "it is", "'twas": "it was", "'twill": "it will",
    "cannae": "cannot", "didnae": "did not", "dinna": "do not", "isnae": "is not", "ain't": "is not", "gi'": "give",
    "gonna": "going to", "s'pose": "suppose", "t'": "to", "th'": "the", "aught": "anything", "owt": "anything",
    "nowt": "nothing", "naught": "nothing", "nary": "no",
}  # fmt: skip
"""Words as they are clipped in speech, and what they stand for."""
_CLIP: Final = re.compile(
    r"(?<![\w'])(?:" + "|".join(map(re.escape, sorted(_CLIPPED, key=len, reverse=True))) + r")(?![\w'])", re.IGNORECASE
)
_DROPPED: Final = re.compile(r"\b(\w{2,}in)'(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def spelt(text: str) -> str:
    """Return a text with straight quotes and with the words whole that speech clips.

    >>> spelt("I counted ’em an' I'm goin' home")
    "I counted them and I'm going home"
    """
    return _DROPPED.sub(r"\1g", _CLIP.sub(lambda m: _CLIPPED[m[0].casefold()], text.replace("’", "'")))
