"""The one tokeniser: words, their stems, and the words that carry no content."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

import snowballstemmer

MAX_LETTERS: Final = 64
"""Longer than any word that is one; what is beyond is left off, so that a term always fits an index."""
SHORT: Final = 400
"""Letters of a text that is worth keeping with its words."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NO_WORD_BREAKS: Final = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_stem = snowballstemmer.stemmer("english").stemWord

STOPWORDS: Final = frozenset(
    """
    a about above after again all also am an and any anybody anyone anything are aren't as at away be because been
    before being below between both but by came can can't cannot come could couldn't d did didn't do does doesn't doing
    don't down during each else even ever every everybody everyone everything few for from further get gets getting go
    goes going gone good got had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself
    hey hello him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself just keep kept know
    knew known let let's like ll look make many may maybe me might mine more morning most much must my myself never no
    nobody none nor not nothing now of off oh ok okay on once one only or other ought our ours ourselves out over own
    please put quite rather re really right said same say says see shall shan't she she'd she'll she's should shouldn't
    so some somebody someone something still such sure take tell than thank thanks that that's the their theirs them
    themselves then there there's these they they'd they'll they're they've thing things this those through till to
    today told tomorrow tonight too under until up upon us ve very want was wasn't way we we'd we'll we're we've well
    were weren't what what's when when's where where's which while who who's whom whose why why's will with won't would
    wouldn't yes yesterday yet you you'd you'll you're you've your yours yourself yourselves evening afternoon night
    across aboard along around toward towards
    hi greetings dear fine remember recall think thought believe reckon suppose guess mean heard hear ask asked
    exactly actually anyway mistress master sir madam
    """.split()
)
"""Words that say how, not what; they never decide what a line is about."""

NOUNS_TOO: Final = frozenset({"well", "mine", "will", "might", "can", "still", "morning", "evening", "night", "do"})
DETERMINERS: Final = frozenset("the a an this that my your his her our their its old new east west".split())

IRREGULAR: Final = {
    "ate": "eat", "eaten": "eat", "eats": "eat", "began": "begin", "begun": "begin", "bled": "bleed", "blew": "blow",
    "blown": "blow", "broke": "break", "broken": "break", "brought": "bring", "built": "build", "burnt": "burn",
    "bought": "buy", "caught": "catch", "chose": "choose", "chosen": "choose", "crept": "creep", "dealt": "deal",
    "death": "die", "dead": "die", "died": "die", "dies": "die", "dying": "die", "deceased": "die", "dug": "dig",
    "drank": "drink", "drunk": "drink", "drove": "drive", "driven": "drive", "fed": "feed", "fell": "fall",
    "fallen": "fall", "felt": "feel", "fought": "fight", "fled": "flee", "flew": "fly", "flown": "fly",
    "forgot": "forget", "forgotten": "forget", "found": "find", "froze": "freeze", "frozen": "freeze", "gave": "give",
    "given": "give", "grew": "grow", "grown": "grow", "hid": "hide", "hidden": "hide", "hung": "hang", "held": "hold",
    "knelt": "kneel", "lain": "lie", "laid": "lay", "led": "lead", "left": "leave", "lent": "lend", "lit": "light",
    "lost": "lose", "loss": "lose", "made": "make", "married": "marry", "marriage": "marry", "meant": "mean",
    "met": "meet", "paid": "pay", "payment": "pay", "ran": "run", "rang": "ring", "rode": "ride", "ridden": "ride",
    "rose": "rise", "sang": "sing", "sank": "sink", "sunk": "sink", "sat": "sit", "saw": "see", "seen": "see",
    "sold": "sell", "sent": "send", "shook": "shake", "shot": "shoot", "shut": "shut", "slept": "sleep",
    "spoke": "speak", "spoken": "speak", "spent": "spend", "stole": "steal", "stolen": "steal", "theft": "steal",
    "thief": "steal", "thieves": "steal", "stood": "stand", "struck": "strike", "stuck": "stick", "swore": "swear",
    "sworn": "swear", "swam": "swim", "taught": "teach", "tore": "tear", "torn": "tear", "threw": "throw",
    "thrown": "throw", "took": "take", "taken": "take", "trod": "tread", "trodden": "tread", "woke": "wake",
    "woken": "wake", "won": "win", "wore": "wear", "worn": "wear", "wrote": "write", "written": "write",
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "geese": "goose", "wolves": "wolf", "knives": "knife", "lives": "life", "leaves": "leave",
    "confession": "confess", "confessed": "confess", "repair": "repair", "promised": "promise", "debts": "debt",
}  # fmt: skip


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of one lower-case word; irregular forms share the stem of their base.

    >>> stem("brought") == stem("bringing") == stem("bring")
    True
    """
    bare = word.removesuffix("'s").removesuffix("’s").replace("’", "'")
    return str(_stem(IRREGULAR.get(bare, bare)))


def words(text: str) -> list[str]:
    """Split text into lower-case words; scripts without word breaks give overlapping pairs of letters.

    >>> words("The toll-keeper's lamp")
    ['the', 'toll', "keeper's", 'lamp']
    """
    return list(_known_words(text) if len(text) <= SHORT else _split(text))


@lru_cache(maxsize=4_096)
def _known_words(text: str) -> tuple[str, ...]:
    """Split a text that is short enough to be kept: statements are read again and again."""
    return _split(text)


def _split(text: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for piece in _WORD.findall(folded.replace("_", " ")):
        if _NO_WORD_BREAKS.search(piece):
            found += _bigrams(piece)
        else:
            found.append(piece.replace("’", "'")[:MAX_LETTERS])
    return tuple(found)


def _bigrams(piece: str) -> list[str]:
    if len(piece) == 1:
        return [piece]
    return [piece[i : i + 2] for i in range(len(piece) - 1)]


def content_words(text: str) -> tuple[str, ...]:
    """Return the words that carry content, in order, without repeats.

    A few words are hollow or not by what stands before them: "well, ..." says nothing, "the well" is a place.

    >>> content_words("Well, who fouled the well?")
    ('fouled', 'well')
    """
    said = words(text)
    before = ["", *said][: len(said)]
    kept = (w for w, prior in zip(said, before, strict=True) if not is_stopword(w) or _is_noun(w, prior))
    return tuple(dict.fromkeys(kept))


def _is_noun(word: str, before: str) -> bool:
    return word in NOUNS_TOO and before in DETERMINERS


def content_terms(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry content, in order, without repeats.

    >>> content_terms("Did I pay you for the loft room?")
    ('pay', 'loft', 'room')
    """
    return tuple(dict.fromkeys(stem(word) for word in content_words(text)))


def is_stopword(word: str) -> bool:
    """Say whether a word carries no content of its own."""
    return word in STOPWORDS or word.removesuffix("'s") in STOPWORDS or (len(word) == 1 and word.isascii())


@lru_cache(maxsize=4_096)
def term_set(text: str) -> frozenset[str]:
    """Return the stems of the content words as a set."""
    return frozenset(content_terms(text))


def count_tokens(text: str) -> int:
    """Estimate prompt tokens without a model: four letters a token, and never fewer than the words.

    >>> count_tokens("the flood fund is empty")
    6
    """
    return max((len(text) + 3) // 4, len(text.split()))
