"""The Cypher files, loaded once under their names."""

import re
from importlib.resources import files

from msgspec import Struct


class Query(Struct, frozen=True, kw_only=True):
    """One Cypher file: what it answers, its parameters with their types, its text."""

    name: str
    answers: str
    parameters: dict[str, str]
    text: str


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


MIRROR_BATCH = load("mirror_batch")
CHAIN_TELLINGS = load("find_chain_tellings")
CHAIN_VERSIONS = load("find_chain_versions")
BELIEFS = load("list_beliefs")
TELLINGS = load("list_tellings")
ANSWER = load("answer")
