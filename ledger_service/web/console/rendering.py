"""Templates to text: everything is escaped, an unknown name is an error; and our files, named by what they hold."""

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ledger_service.domain.story_time import day_of, hour_of_day, in_words
from ledger_service.web.console import signs

STATIC = Path(str(files("ledger_service.web.console") / "static"))


def render(template: str, **values: object) -> str:
    """Return a page's text."""
    return environment().get_template(template).render(**values)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment of all templates."""
    made = Environment(
        loader=PackageLoader("ledger_service.web.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
    )
    made.globals |= {
        "static": address_of,
        "sign_of": signs.sign_of,
    }
    made.filters |= {"words": in_plain_words, "day": day_of, "hour": hour_of_day, "ago": in_words}
    return made


def in_plain_words(name: str) -> str:
    """Return a name as people read it.

    >>> in_plain_words("relationship_delta")
    'relationship delta'
    """
    return str(name).replace("_", " ")


@lru_cache(maxsize=64)
def content_of(name: str) -> bytes | None:
    """Return what a file holds; the style sheet and the script are each one file, made of theirs and of every part."""
    path = STATIC / name
    if not path.is_file() or path.parent != STATIC:
        return None
    parts = sorted((STATIC / "parts").glob(f"*{path.suffix}"))
    return b"\n".join(part.read_bytes() for part in (path, *parts))


@lru_cache(maxsize=64)
def address_of(name: str) -> str:
    """Return where a file of ours is served; another content has another address, so it may be kept for ever."""
    digest = hashlib.sha256(content_of(name) or b"").hexdigest()[:12]
    return f"/static/{digest}/{name}"
