"""Who and what a text names, by name or alias; in other scripts by how the name sounds."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from anyascii import anyascii

from ledger_service.domain.ids import PLAYER
from ledger_service.domain.terms import is_stopword, stem, words
from ledger_service.domain.worlds import World

Names = dict[str, frozenset[str]]
_LEAST_SOUND: Final = 2
_LONG: Final = 4
"""Letters of a stretch of Chinese that is too long for a name of one consonant."""
_SAME: Final = str.maketrans({"r": "l", "w": "v", "c": "k", "q": "k", "z": "s", "p": "b", "t": "d", "g": "k", "f": "b"})
_SILENT: Final = re.compile(r"[^a-z]|[aeiouyh]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]")
_VOWELS: Final = {"a": "a", "e": "e", "i": "e", "y": "e", "o": "o", "u": "o"}
_PARTICLE: Final = re.compile(r"(?<=[가-힣])(?:한테서?|에게서?|께서|이랑|랑|은|는|이|가|을|를|의|도|와|과|님|씨)+$")
_BROKEN: Final = re.compile(r"[\u3400-\u9fff]+")
_FOR_SOUND: Final = frozenset(
    "阿埃艾爱安昂奥澳巴芭白柏拜班邦保鲍贝本比彼宾波伯博勃布查柴彻慈茨达黛戴丹当道德登邓迪狄蒂蒙笛丁东杜敦顿多朵厄恩尔耳"
    "法凡范方菲费芬丰冯夫弗福富伏盖甘冈高戈哥格葛根贡古瓜圭果哈海韩罕汉杭豪赫黑亨洪胡华怀惠霍基吉季嘉加贾简姜杰金津久卡"
    "凯坎康考柯科可克肯孔寇库夸奎坤昆拉腊来莱赖兰朗劳勒雷蕾黎里理莉丽利立莲连廉列琳林灵伶留刘柳龙隆卢鲁露路伦罗洛萝络吕"
    "律马玛麦迈曼芒毛茂梅美门孟梦米蜜密缅敏明摩莫默姆穆慕木娜那纳乃奈南瑙内嫩尼妮年涅宁纽农努诺欧帕派潘庞培佩裴彭蓬皮匹"
    "平珀坡泼普漆齐奇琪契恰强乔切钦秦琼丘曲屈泉让热仁日荣茹儒瑞若萨塞赛桑森瑟沙莎珊山尚绍舍申圣施石什史士舒朔丝斯思司松"
    "苏素孙索塔泰坦汤唐陶特滕提缇廷通图托瓦娃万汪旺威韦维薇伟卫魏温文翁沃乌伍武西希锡席霞夏香肖谢辛欣雄休修许雪逊雅亚延"
    "扬杨耶叶伊依因英尤于裕约云扎泽曾詹张哲珍真芝知志朱珠卓兹子宗佐祖佑治柔彦"
)
"""Letters that Chinese writes the names of others with, for their sound."""


@lru_cache(maxsize=256)
def _name_words(rows: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    return {who: frozenset(stem(w) for name in names for w in words(name) if not is_stopword(w)) for who, names in rows}


def names_of(world: World) -> Names:
    """Return, for each character, place and thing, the stems of the words of its names."""
    rows = [(x.id, (x.id, x.name, *x.aliases)) for group in (world.cast, world.places, world.things) for x in group]
    return _name_words(tuple(rows))


def mentions(plain: str, names: Names) -> tuple[str, ...]:
    """Return the ids of all that a text names."""
    said = {stem(w) for w in words(plain)}
    return tuple(sorted(who for who, parts in names.items() if parts & said))


@lru_cache(maxsize=8_192)
def sound(word: str) -> str:
    """Return the consonants of a word in any script, those that writing in another one mixes up being the same.

    >>> sound("Aldous") == sound("알도스")
    True
    """
    bare = anyascii(word).lower().translate(_SAME)
    kept = _SILENT.sub("", bare.replace("ch", "k").replace("x", "ks"))
    return re.sub(r"(.)\1+", r"\1", kept)


def heard(plain: str, names: Names, is_word: Callable[[str], bool] = lambda _: False) -> tuple[str, ...]:
    """Return the ids of those whose names are written in another script; whose sound is one consonant is not heard.

    A word of the language itself is no name, however it sounds.

    >>> heard("تامسین گفت", {"tamsin": frozenset({"tamsin"}), "player": frozenset({"player"})})
    ('tamsin',)
    """
    runs = _BROKEN.findall(plain)
    foreign = [w for w in _WORD.findall(plain) if not w.isascii() and not _LATIN.match(w) and not _BROKEN.match(w)]
    pieces = [w for run in runs for w in _windows(run)]
    if not _sounding(foreign, pieces, names):
        return ()
    return _sounding([w for w in foreign if not is_word(w)], [w for w in pieces if not is_word(w)], names)


def _sounding(foreign: list[str], pieces: list[str], names: Names) -> tuple[str, ...]:
    """Return the ids of those whose names sound like a word, or like a stretch of letters without word breaks."""
    spoken = _spellings(sound(w) for w in foreign)
    joined = _spellings(sound(w) for w in pieces)
    short = frozenset(short_sound(w) for w in (*map(_bare, foreign), *(w for w in pieces if len(w) < _LONG)))
    return tuple(
        sorted(
            who
            for who, parts in names.items()
            if who != PLAYER
            and any(_is_heard(sound(part), spoken, joined) or _is_heard_short(part, short) for part in parts)
        )
    )


def _spellings(sounds: Iterable[str]) -> frozenset[str]:
    """Return sounds in both their spellings: a `v` may also be written for a `b`, or for a vowel."""
    return frozenset(form for said in set(sounds) for form in (said.replace("v", "b"), said.replace("v", "")))


@lru_cache(maxsize=8_192)
def short_sound(word: str) -> str:
    """Return the sound of a short name with its vowels, for one that has too few consonants to be known by them.

    >>> short_sound("otto") == short_sound("奥托")
    True
    """
    bare = re.sub(r"[^a-z]", "", anyascii(word).lower().translate(_SAME))
    vowels = re.sub(r"[aeiouy]*([aeiouy])", lambda run: _VOWELS[run[1]], bare)
    return re.sub(r"(.)\1+", r"\1", vowels)[:-1] if vowels[-1:] in {"a", "e", "o"} else re.sub(r"(.)\1+", r"\1", vowels)


def _is_heard_short(name: str, said: frozenset[str]) -> bool:
    meant = short_sound(name)
    return len(sound(name)) < _LEAST_SOUND <= len(meant) and meant in said


def _bare(word: str) -> str:
    """Leave out the particle that Korean writes on to a name."""
    return _PARTICLE.sub("", word)


def _windows(run: str) -> list[str]:
    """Return the stretches of a run that are written for their sound alone."""
    every = (run[at : at + size] for size in (2, 3, 4, 5) for at in range(len(run) - size + 1))
    return [piece for piece in every if _FOR_SOUND.issuperset(piece)]


def _is_heard(name: str, spoken: frozenset[str], joined: frozenset[str]) -> bool:
    """Compare sounds; what is written on to a word may follow the name."""
    meant = name.replace("v", "b")
    if len(meant) < _LEAST_SOUND:
        return False
    alike = any(word == meant or (word.startswith(meant) and len(word) <= len(meant) + 3) for word in spoken)
    return alike or meant in joined
