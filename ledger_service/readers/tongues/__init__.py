"""What is said in which language: cues, persons, glosses and sentence marks, one data file a language."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct

from ledger_service.readers.tongues.glosses import Glossary, glossary

KNOWN: Final = ("en", "zh", "ko", "fa", "es", "de")
"""Languages that there is a file for."""


class Tongue(Struct, frozen=True, kw_only=True):
    """One language as the reader needs it."""

    code: str
    cues: dict[str, re.Pattern[str]]
    first: frozenset[str] = frozenset()
    second: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    glosses: Glossary
    """What a word means in the language of the ledger."""

    def says(self, cue: str, text: str) -> bool:
        """Say whether a cue is in a text."""
        pattern = self.cues.get(cue)
        return pattern is not None and pattern.search(text) is not None

    def place(self, cue: str, text: str) -> int:
        """Return where a cue is in a text, or after its end where it is not."""
        pattern = self.cues.get(cue)
        found = pattern.search(text) if pattern is not None else None
        return len(text) if found is None else found.start()

    def without_idle(self, text: str) -> str:
        """Leave out what says no to nothing: `do not forget it`, `no doubt`."""
        idle = self.cues.get("idle_no")
        return text if idle is None else idle.sub("", text)

    def all_cues(self, text: str) -> frozenset[str]:
        """Return every cue that a text gives."""
        return frozenset(name for name, pattern in self.cues.items() if pattern.search(text))


@cache
def tongue(code: str) -> Tongue:
    """Load a language's file, once."""
    raw: dict[str, Any] = tomllib.loads(files(__name__).joinpath(f"{code}.toml").read_text("utf-8"))
    words = {name: frozenset(str(raw.get(name, "")).split()) for name in ("first", "second", "openers")}
    return Tongue(
        code=code,
        cues={name: _any(patterns) for name, patterns in raw["cues"].items()},
        glosses=glossary(code, raw.get("glosses", {})),
        **words,
    )


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)
