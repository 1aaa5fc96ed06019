"""Adapters to memory systems that pip brings, as the library of each means it to be used; none is needed for anything.

They are told what everybody is told (`schema memory`): each statement is put where its knowers look, and what no longer
holds is taken out again. Who may be told what, and what contradicts what, is nothing that they have a place for.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from ledger_service.domain.errors import SettingError
from ledger_service.ports import OutsideMemory

Embed = Callable[[list[str]], list[list[float]]]
"""Texts to unit vectors; the same for every peer."""
PEERS: Final = {"bm25s": "bm25s", "mem0": "mem0ai", "langmem": "langmem"}
"""Name to the package that brings it."""


def open_peer(name: str, embed: Embed) -> OutsideMemory:
    """Return a peer, opened.

    Raises:
        SettingError: its package is not installed.
    """
    try:
        module = import_module(f"ledger_service.responders.peers.{_MODULES[name]}")
    except ImportError as error:
        cure = f"pip install 'continuity-ledger[peers]' (or {PEERS[name]} alone)"
        raise SettingError("peer", f"{name} is not installed ({error})", cure=cure) from error
    opened: OutsideMemory = module.open_memory(embed)
    return opened


_MODULES: Final = {"bm25s": "words", "mem0": "spaces_mem0", "langmem": "spaces_langmem"}


def load(name: str) -> Any:  # noqa: ANN401
    """Import a library that brings no types, or is not there."""
    return import_module(name)
