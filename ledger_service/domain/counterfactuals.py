"""What would have been at a cell that failed: other packets, other speakers, and what kept an entry out."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ledger_service.domain.rubric import Fault

NEVER_RECORDED: Final = "never_recorded"
NOT_RECALLED: Final = "not_recalled"
"""It is in the ledger and may be said, but nothing of the line or of the moment called it up."""

NOT_RETURNED: Final = "not_returned"
"""The ledger's own packet holds it; the memory that made this one left it out."""


class Said(Struct, frozen=True, kw_only=True):
    """What somebody said, and what it came to."""

    by: str
    passed: bool
    line: str = ""
    fault: Fault = Fault.NONE
    why: str = ""

    @property
    def in_words(self) -> str:
        """What it came to, with the line."""
        came = "passes" if self.passed else f"fails ({self.fault}: {self.why})"
        return f"{self.by} {came}: “{self.line}”"


class Missing(Struct, frozen=True, kw_only=True):
    """An entry that was expected and is not in the packet, and why it is not."""

    entry: str
    reason: str
    detail: str = ""

    @property
    def in_words(self) -> str:
        """The reason, as a person reads it."""
        detail = f" ({self.detail})" if self.detail and self.detail != self.reason else ""
        return f"{self.entry}: {self.reason.replace('_', ' ')}{detail}"


class Next(Struct, frozen=True, kw_only=True):
    """An entry that would have come next in rank, and how far it was from the last that was taken."""

    entry: str
    behind: int
    """Thousandths of score by which it is behind the last one that was selected; less than none where that one only
    came along with what rests on it."""
    tokens: int = 0

    @property
    def in_words(self) -> str:
        """The entry, and how far off it was."""
        side = "behind" if self.behind >= 0 else "above"
        return f"{self.entry} ({abs(self.behind) / 1000:.3f} {side} the last)"


class Headroom(Struct, frozen=True, kw_only=True):
    """How much more the packet had room for, and what would have come next."""

    items: int
    tokens: int
    next: tuple[Next, ...] = ()

    @property
    def in_words(self) -> str:
        """Room and order, as a person reads them."""
        room = f"room for {self.items} more entries and {self.tokens} tokens"
        names = ", ".join(n.in_words for n in self.next)
        return f"{room}; next in rank: {names}" if names else f"{room}; nothing more was ranked"


class Counterfactuals(Struct, frozen=True, kw_only=True):
    """Kept with a failed attempt when it fails, since nothing of it can be had later."""

    gold: Said | None = None
    """The same subject on the packet that the matrix expects."""
    gold_is_same: bool = False
    """That packet is the one that was asked on: the subject was asked once more, and nothing else was changed."""
    reference: Said | None = None
    """The reference speaker on the very packet; None where it is the subject."""
    missing: tuple[Missing, ...] = ()
    headroom: Headroom | None = None
    confirmed: bool | None = None
    """The fault stands by them; False is that they speak against it, None that they say nothing of it."""
    verdict: str = ""
    """What they show, in a sentence."""

    def told(self) -> Iterator[tuple[str, str]]:
        """Yield each of them by name, in words."""
        if self.verdict:
            yield {True: "confirmed", False: "in doubt", None: "shown"}[self.confirmed], self.verdict
        if self.gold is not None:
            which = "asked again on the same packet" if self.gold_is_same else "given the packet expected"
            yield which, self.gold.in_words
        if self.reference is not None:
            yield "on the same packet", self.reference.in_words
        for missing in self.missing:
            yield "kept out", missing.in_words
        if self.headroom is not None:
            yield "headroom", self.headroom.in_words


UNASKED: Final = Counterfactuals()
