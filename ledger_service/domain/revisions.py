"""Revisions of a world: each time somebody saved it, in which words, and which version that makes."""

from msgspec import Struct

from ledger_service.domain.ids import WorldId


class Revision(Struct, frozen=True, kw_only=True):
    """A world as it was saved once; comments and order may change without making another version."""

    world_id: WorldId
    number: int
    """1 is the first of this world."""
    world_version: str
    title: str
    author: str = ""
    """Who saved it in the console; empty where a file or a program did."""
    saved_at: str = ""
    """Empty where that was not noted."""
    source: str | None = None
    """The text as it was written; None where there was none, or where it was not asked for."""
