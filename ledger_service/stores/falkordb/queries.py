"""The Cypher files, loaded once under their names."""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct


class Query(Struct, frozen=True, kw_only=True):
    """One Cypher file: what it answers, its parameters with their types, its text."""

    name: str
    answers: str
    parameters: dict[str, str]
    text: str

    def without_empty(self, given: Mapping[str, object]) -> str:
        """Return the query without the parts (`CALL`) that go through an empty list.

        What a part costs, it costs for no rows as well: of a batch's twelve parts, an hour of gossip has five.
        """
        return _without(self.text, frozenset(name for name, value in given.items() if value == []))


_PART = re.compile(r"^CALL \{\n  UNWIND \$(\w+) AS row\n.*?^\}\n", re.MULTILINE | re.DOTALL)


@lru_cache(maxsize=1_024)
def _without(text: str, empty: frozenset[str]) -> str:
    shorter = _PART.sub(lambda part: "" if part[1] in empty else part[0], text)
    _NAMES.setdefault(shorter, name_of(text))
    return shorter


def load(name: str) -> Query:
    """Load one file by its name."""
    lines = (files("ledger_service.stores.falkordb") / "cypher" / f"{name}.cypher").read_text("utf-8").splitlines()
    declared = dict(re.findall(r"^// \$(\w+): (.+)$", "\n".join(lines), flags=re.MULTILINE))
    body = "\n".join(line for line in lines if not line.startswith("//"))
    return Query(name=name, answers=lines[0].removeprefix("// "), parameters=declared, text=body)


def names() -> list[str]:
    """Return the names of all files."""
    folder = files("ledger_service.stores.falkordb") / "cypher"
    return sorted(p.name.removesuffix(".cypher") for p in folder.iterdir() if p.name.endswith(".cypher"))


ANSWER = load("answer")
PUT_MARK = load("put_mark")
INDEX_ENTRIES = load("index_entries")
FINISH_TEMPLATE = load("finish_template")
IS_TEMPLATE = load("is_template")
TAKE_OVER = load("take_over")
FIND_BELIEFS = load("find_beliefs")
FIND_HOLDINGS = load("find_holdings")
INDEX_CHARACTERS = load("index_characters")
INDEX_PLACES = load("index_places")
BEGIN_FILLING = load("begin_filling")
LINK_ORIGINS = load("link_origins")
FINISH_FILLING = load("finish_filling")
IS_WHOLE = load("is_whole")
MIRROR_BATCH = load("mirror_batch")
FIND_VERSION = load("find_version")
FIND_BEHIND = load("find_behind")
COUNT_NODES = load("count_nodes")
LIST_BELIEFS = load("list_beliefs")
PROJECT_WORLD = load("project_world")
PROJECT_RULES = load("project_rules")
LOOSEN_RULES = load("loosen_rules")
MIRROR_NOTICES = load("mirror_notices")
LIST_PEOPLE = load("list_people")
LIST_PLACES = load("list_places")
LIST_RULES = load("list_rules")
LIST_NOTICES = load("list_notices")
FIND_ROUTES = load("find_routes")
SAMPLE_BROKERS = load("sample_brokers")
FIND_STORIES = load("find_stories")

_NAMES = {query.text: query.name for query in tuple(globals().values()) if isinstance(query, Query)}


def name_of(text: str) -> str:
    """Return the name of the file that a query's text is from."""
    return _NAMES.get(text, "unnamed")
