"""Addresses that keep what is asked for: a list with its filter, and where its next page begins."""

from collections.abc import Mapping
from urllib.parse import urlencode


def with_query(path: str, query: Mapping[str, object]) -> str:
    """Return an address that asks for something; what is empty is left out.

    >>> with_query("/packets", {"speaker": "ilsa", "mark": "", "before": None}), with_query("/audit", {})
    ('/packets?speaker=ilsa', '/audit')
    """
    kept = {name: value for name, value in query.items() if value not in {"", None}}
    return f"{path}?{urlencode(kept)}" if kept else path


def onward(path: str, query: Mapping[str, object], **place: object) -> str | None:
    """Return the address of a list's next page, which begins at a place; without a place there is none.

    >>> onward("/audit", {"who": "ada"}, before=12), onward("/audit", {"who": "ada"}, before=None)
    ('/audit?who=ada&before=12', None)
    """
    return None if None in place.values() else with_query(path, {**query, **place})
