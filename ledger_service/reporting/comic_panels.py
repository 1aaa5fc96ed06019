"""The panels of a comic strip: one for each hop of a chain, from who saw it to the belief, branch after branch."""

from msgspec import Struct

from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import ChainLink, ProvenanceChain
from ledger_service.rumours.provenance import NOTICED, strands


class Panel(Struct, frozen=True, kw_only=True):
    """One hop: who told whom, in which words, and how sure that left them."""

    number: int
    link: ChainLink
    wording: str
    severity: int
    base: float
    """How sure the holder was without what others added; where this telling adds, how sure before it."""
    sure: float
    note: str
    again: bool = False
    """The holder had it before, from somebody else; this telling bears it out."""
    comes_from: int | None = None
    """The panel in which the teller got it, where that is not the one before."""
    joins: int | None = None
    """The panel whose version this telling bears out."""


def panels_of(chain: ProvenanceChain) -> tuple[tuple[Panel, ...], ...]:
    """Number a chain's hops: the belief's own way first, from its far end; then every further branch likewise."""
    told: dict[EntryId, list[ChainLink]] = {}
    for link in chain.links:
        told.setdefault(link.entry_id, []).append(link)
    shown_in: dict[EntryId, int] = {}
    branches: list[tuple[Panel, ...]] = []
    number = 1
    for way in strands(chain):
        branch = []
        for link in reversed(way.links):
            again = way.joins is not None and link is way.links[0]
            source = shown_in.get(link.told_by_entry or "")
            branch.append(
                _panel(
                    number,
                    link,
                    told,
                    comes_from=None if source == number - 1 else source,
                    joins=shown_in.get(link.entry_id) if again else None,
                )
            )
            shown_in.setdefault(link.entry_id, number)
            number += 1
        branches.append(tuple(branch))
    return tuple(branches)


def _panel(
    number: int, link: ChainLink, told: dict[EntryId, list[ChainLink]], *, comes_from: int | None, joins: int | None
) -> Panel:
    mine = told[link.entry_id]
    after = link.confidence if link.after is None else link.after
    if joins is None:
        note = mine[-1].named
        if link.depth == 0 and link.left is not None and link.confidence - link.left >= NOTICED:
            note = f"{note}, faded to {link.left:.2f} since" if note else f"faded to {link.left:.2f} since"
        return Panel(
            number=number, link=link, wording=link.statement, severity=link.severity, base=min(after, link.confidence),
            sure=link.confidence, note=note, comes_from=comes_from,
        )  # fmt: skip
    before = mine[mine.index(link) - 1].after or 0.0
    theirs = told.get(link.told_by_entry or "", [link])[0]
    return Panel(
        number=number, link=link, wording=link.said or theirs.statement,
        severity=link.said_severity if link.said else theirs.severity, base=min(before, after), sure=after,
        note=f"bears it out: {before:.2f} becomes {after:.2f}", again=True, comes_from=comes_from, joins=joins,
    )  # fmt: skip
