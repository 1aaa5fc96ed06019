"""The hours, days, months and times of day that a text names, in the languages that replies are read in."""

import re
from functools import lru_cache
from typing import Final

_NUMBERS: Final = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "de": "eins|ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "es": "una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fa": "یک دو سه چهار پنج شش هفت هشت نه ده یازده دوازده",
    "ko": "한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두",
    "zh": "一 二|两 三 四 五 六 七 八 九 十 十一 十二",
}
_DAYS: Final = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "fa": "دوشنبه سه‌شنبه|سه شنبه چهارشنبه پنجشنبه|پنج‌شنبه جمعه (?<!دو|سه|ار|نج|یک)شنبه یکشنبه|یک‌شنبه",
    "ko": "월요일 화요일 수요일 목요일 금요일 토요일 일요일",
    "zh": " ".join(f"(?:星期|礼拜|周){day}" for day in "一 二 三 四 五 六 [日天]".split()),
}
_MONTHS: Final = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fa": "ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
    "ko": r"(?<!\d)1월 (?<!\d)2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월",
    "zh": "(?<!十)一月|(?<!1)1月 (?<!十)二月|(?<!1)2月 三月|3月 四月|4月 五月|5月 六月|6月 七月|7月 八月|8月 九月|9月"
    " 十月|10月 十一月|11月 十二月|12月",
}
_PARTS: Final = {
    "en": "dawn|sunrise|daybreak|first light noon|midday dusk|sunset|nightfall midnight",
    "de": "morgengrauen|sonnenaufgang mittag abenddämmerung|sonnenuntergang mitternacht",
    "es": "amanecer|alba mediodía atardecer|anochecer|ocaso medianoche",
    "fa": "سپیده‌دم|طلوع|سحر ظهر غروب نیمه‌شب|نیمه شب",
    "ko": "새벽|동틀 정오 해질녘|해 질 자정",
    "zh": "黎明|日出|拂晓 正午|中午 黄昏|日落 午夜|半夜",
}
_SEASONS: Final = {"en": "spring summer autumn|fall winter"}
_SPACE: Final = re.compile(r"(?<!first) (?!light|شنبه|شب|질)")
_BROKEN: Final = frozenset("en de es".split())


def _listed(words: str, *, broken: bool) -> tuple[re.Pattern[str], ...]:
    edge = r"\b" if broken else ""
    return tuple(re.compile(f"{edge}(?:{word}){edge}", re.IGNORECASE) for word in _SPACE.split(words))


_NAMED: Final = {
    kind: {code: _listed(words, broken=code in _BROKEN) for code, words in table.items()}
    for kind, table in (("day", _DAYS), ("month", _MONTHS), ("part", _PARTS), ("season", _SEASONS))
}


def _values(code: str) -> dict[str, int]:
    listed = _NUMBERS[code].split()
    return {word: n for n, names in enumerate(listed, start=1) for word in names.split("|")}


_VALUE: Final = {code: _values(code) for code in _NUMBERS}


def _any(code: str) -> str:
    return rf"\d{{1,2}}|{'|'.join(sorted(_VALUE[code], key=len, reverse=True))}"


_CLOCKS: Final = {
    "en": (
        re.compile(rf"\b(?P<part>half|quarter|ten|twenty|five) (?P<way>past|to) (?P<hour>{_any('en')})\b", re.I),
        re.compile(rf"\b(?P<hour>{_any('en')}) o['’]clock\b", re.IGNORECASE),
        re.compile(r"\b(?P<hour>\d{1,2})[:.](?P<minute>\d{2})\b"),
        re.compile(
            rf"\b(?:at|until|till|before|by) (?P<hour>{_any('en')})(?: sharp)?"
            r"(?=$|[,.;!]| (?:sharp|tonight|tomorrow|in the|on)\b)", re.I,
        ),
        re.compile(rf"^(?P<hour>{_any('en')})(?: sharp| in the \w+| tonight)?[.,!]*$", re.IGNORECASE),
        re.compile(rf"\b(?P<hour>{_any('en')}) (?:sharp|[ap]\.?m)\b", re.IGNORECASE),
    ),
    "de": (
        re.compile(rf"\b(?P<before>halb) (?P<hour>{_any('de')})\b", re.IGNORECASE),
        re.compile(rf"\b(?:um )?(?P<hour>{_any('de')}) uhr\b|\bum (?P<other>{_any('de')})\b(?! \w+en\b)", re.I),
    ),
    "es": (re.compile(rf"\ba las? (?P<hour>{_any('es')})(?P<half> y media)?\b", re.IGNORECASE),),
    "fa": (re.compile(rf"ساعت (?P<hour>{_any('fa')})(?P<half> و نیم)?"),),
    "ko": (re.compile(rf"(?P<hour>{_any('ko')}) ?시(?P<half> ?반)?(?!간)"),),
    "zh": (re.compile(rf"(?P<hour>{_any('zh')})点(?P<half>半)?"),),
}  # fmt: skip
_WORDS_TOO: Final = frozenset({"2", "4"})
"""Months whose names are common words as well: march, may."""
_MINUTES: Final = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5}
_HOURS: Final = 12
_YEAR: Final = re.compile(r"(?<![\d.:])(?:1[0-9]|20)\d{2}(?![\d.:])")


@lru_cache(maxsize=4_096)
def times_in(text: str, code: str) -> dict[str, frozenset[str]]:
    """Return the times that a text names, by kind: hour, year, day, month, part of the day, season.

    >>> times_in("The play begins at eight o'clock on Friday.", "en") == times_in("El viernes, a las ocho.", "es")
    True
    """
    found: dict[str, frozenset[str]] = {}
    hours = frozenset(_hours(text, code))
    if hours:
        found["hour"] = hours
    years = frozenset(_YEAR.findall(text))
    if years:
        found["year"] = years
    for kind, tables in _NAMED.items():
        numbers = frozenset(str(n) for n, pattern in enumerate(tables.get(code, ())) if pattern.search(text))
        if numbers:
            found[kind] = numbers
    if code == "en" and found.get("month", frozenset()) <= _WORDS_TOO and not re.search(r"\b(?:May|March)\b", text):
        found.pop("month", None)
    return found


def _hours(text: str, code: str) -> list[str]:
    found: list[str] = []
    left = text
    for pattern in _CLOCKS.get(code, ()):
        found += [_clock(match.groupdict(), code) for match in pattern.finditer(left)]
        left = pattern.sub(" · ", left)
    return found


def _clock(said: dict[str, str | None], code: str) -> str:
    hour = _number(said.get("hour") or said.get("other") or "", code)
    minute = int(said.get("minute") or 0) or (30 if said.get("half") else 0)
    if said.get("part"):
        minutes = _MINUTES[str(said["part"]).casefold()]
        hour, minute = (hour, minutes) if str(said["way"]).casefold() == "past" else (hour - 1, 60 - minutes)
    if said.get("before"):
        hour, minute = hour - 1, 30
    return f"{hour % _HOURS}:{minute:02}"


def _number(said: str, code: str) -> int:
    return int(said) if said.isdecimal() else _VALUE[code].get(said.casefold(), 0)
