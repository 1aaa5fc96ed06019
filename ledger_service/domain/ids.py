"""Ids of everything, and the hashes that some of them are made of."""

import hashlib
from typing import Final

CharacterId = str
PlaceId = str
WorldId = str
PlaythroughId = str
EntryId = str
PacketId = str
ReplyId = str

PLAYER: Final = "player"
NARRATOR: Final = "narrator"
PUBLIC: Final = "public"
ENGINE: Final = "engine"
RESERVED_SCOPES: Final = frozenset({PUBLIC, ENGINE})
GROUP_PREFIX: Final = "group:"


def group_scope(group: str) -> str:
    """Return the scope that stands for a group, as it appears among knowers."""
    return group if group.startswith(GROUP_PREFIX) else GROUP_PREFIX + group


def digest(*parts: object) -> str:
    """Hash parts so that no two lists of parts share a text; 32 hex digits of BLAKE2b."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = str(part).encode("utf-8")
        hasher.update(len(encoded).to_bytes(8, "big") + encoded)
    return hasher.hexdigest()


def entry_id_of(*, seq: int, ordinal: int, holder: str) -> EntryId:
    """Name an entry by its origin event, its place in that event and its holder.

    The playthrough is left out on purpose: a fork must not change any packet.
    """
    return "e" + digest(seq, ordinal, holder)[:20]
