"""Who is let in, what they were given, and lists over all of it."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from ledger_service.domain.accounts import Account, AccountRole, AuditFilter, AuditRow, Note
from ledger_service.domain.ids import CharacterId, PacketId, PlaythroughId
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import Playthrough
from ledger_service.domain.revisions import Revision
from ledger_service.domain.story_time import StoryTime


class PlaythroughFilter(Struct, frozen=True, kw_only=True):
    """Which playthroughs a list shows; None is any."""

    world_id: str | None = None
    parent_id: PlaythroughId | None = None
    text: str | None = None
    """Part of the title, or the whole id."""


class Listed(Struct, frozen=True, kw_only=True):
    """A playthrough as a list shows it."""

    playthrough: Playthrough
    opened_no: int
    """Its place in the order of opening."""
    seq: int
    at: StoryTime
    branches: int


class PacketFilter(Struct, frozen=True, kw_only=True):
    """Which packets a list shows; None is any."""

    playthrough_id: PlaythroughId | None = None
    speaker: CharacterId | None = None
    verdict: str | None = None
    """`passed`, `failed`, `unanswered`, or the stage at fault."""
    mark: str | None = None
    """`approved`, `flagged` or `unmarked`."""


class ListedPacket(Struct, frozen=True, kw_only=True):
    """A packet as a list shows it, with the last line that was said on it."""

    packet_no: int
    """Its place in the order of building."""
    packet_id: PacketId
    playthrough_id: PlaythroughId
    title: str
    """The playthrough's."""
    world_id: str
    seq: int
    tick: int
    speaker: CharacterId
    audience: tuple[CharacterId, ...]
    line: str
    reply: str | None = None
    responder: str | None = None
    fault: str | None = None
    mark: str | None = None
    marked_by: str | None = None


class PacketPage(Struct, frozen=True, kw_only=True):
    """A page of packets, newest first, and where to look on; of a rare sort, a page may hold few and yet go on."""

    packets: tuple[ListedPacket, ...]
    next_before: int | None = None
    looked_at: int = 0
    """Among how many packets these were found."""


class Catalogue(Protocol):
    """What the console lists before a playthrough is chosen: of the worlds that somebody was given, no others."""

    async def page(self, where: PlaythroughFilter, *, limit: int = 50, before: int | None = None) -> list[Listed]:
        """Return playthroughs, the newest first, opened before a place in the order of opening."""
        ...

    async def find(self, playthrough_id: PlaythroughId) -> Listed | None:
        """Return a playthrough, or None where there is none or it may not be seen."""
        ...

    async def worlds(self) -> list[tuple[str, str]]:
        """Return (plain id, title) of the worlds, by id."""
        ...

    async def newest_revisions(self) -> list[Revision]:
        """Return the newest revision of each world without its text, by id."""
        ...

    async def packets_under(
        self, world_version: str, *, playthroughs: int, of_each: int, limit: int
    ) -> tuple[list[ListedPacket], int]:
        """Return the newest packets of each speaker in the newest playthroughs of a version, and among how many.

        Only packets that were built under this version, as the playthroughs stand now.
        """
        ...

    async def packets(self, where: PacketFilter, *, limit: int = 50, before: int | None = None) -> PacketPage:
        """Return packets, the newest first, built before a place in the order of building."""
        ...

    async def packets_like(
        self, playthroughs: Sequence[PlaythroughId], moment: Moment, *, limit: int = 20
    ) -> list[ListedPacket]:
        """Return the newest packets of these playthroughs in which the same is said to the same speaker by the same."""
        ...

    async def playthrough_of(self, packet_id: PacketId) -> PlaythroughId | None:
        """Return whose packet it is, or None where there is none or it may not be seen."""
        ...

    async def audit(self, where: AuditFilter, *, limit: int = 50, before: int | None = None) -> list[AuditRow]:
        """Return rows of the audit log that are about these worlds, newest first."""
        ...


class Passwords(Protocol):
    """Hashes passwords, slowly on purpose."""

    async def hash(self, password: str) -> str:
        """Return what may be kept of a password."""
        ...

    async def matches(self, password: str, password_hash: str | None) -> bool:
        """Say whether it is the password; without a hash it is not, and that takes as long."""
        ...


class Accounts(Protocol):
    """Who may sign in. Every change is written together with its row of the audit log."""

    async def add(self, account: Account, password_hash: str, *, note: Note, only_first: bool = False) -> None:
        """Keep an account; with `only_first`, only where there is none yet.

        Raises:
            DuplicateNameError: the name is taken, or it is not the first.
        """
        ...

    async def find(self, name: str) -> Account | None:
        """Return an account by name."""
        ...

    async def find_password(self, name: str) -> str | None:
        """Return the hash of the password of an account that may sign in."""
        ...

    async def list_all(self) -> list[Account]:
        """Return all accounts by name."""
        ...

    async def is_empty(self) -> bool:
        """Say whether nobody has an account yet."""
        ...

    async def set_password(self, name: str, password_hash: str, *, note: Note) -> None:
        """Change a password and end the account's sessions.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def set_role(self, name: str, role: AccountRole, *, note: Note) -> None:
        """Change what somebody is, and end their sessions.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def set_disabled(self, name: str, *, disabled: bool, note: Note) -> None:
        """Let somebody sign in no more, or again; their sessions end.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def give_worlds(self, name: str, worlds: Sequence[str], *, note: Note) -> None:
        """Let somebody see worlds.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def take_worlds(self, name: str, worlds: Sequence[str], *, note: Note) -> None:
        """Let somebody see worlds no more, from the next request on.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def open_session(self, name: str, session_hash: str, *, hours: float, note: Note) -> None:
        """Keep a session by the hash of its token."""
        ...

    async def find_session(self, session_hash: str) -> Account | None:
        """Return whose session it is, while it lasts and they may sign in."""
        ...

    async def close_session(self, session_hash: str, *, note: Note) -> None:
        """End a session."""
        ...

    async def note(self, note: Note) -> None:
        """Add a row to the audit log, of something that changed nothing here."""
        ...

    async def audit(self, where: AuditFilter, *, limit: int = 50, before: int | None = None) -> list[AuditRow]:
        """Return rows of the audit log, newest first."""
        ...
