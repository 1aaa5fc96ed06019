"""The entries of a packet as cards: what each says, why it is where it is, and what its place was made of."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from ledger_service.domain.confidence import band_of
from ledger_service.domain.entries import EmotionalResidue, LedgerEntry, RelationshipDelta, kind_of
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ActOnly, ContextPacket, Reason, Selected, Withheld
from ledger_service.domain.worlds import World
from ledger_service.rumours.provenance import Naming
from ledger_service.services.packets import packet_words as w

MOST_OF_A_REASON: Final = 8
"""Withheld entries that are shown of each reason; the complete list is a page of its own."""
_PARTS: Final = {
    "must": "it always matters here", "entities": "the line names what it is about", "words": "words of the line",
    "meaning": "near in meaning", "recency": "how new it is", "salience": "how sure, and whether it is protected",
}  # fmt: skip
_FIELDS: Final = {
    "when": "learnt", "event_at": "happened", "said_by": "said by", "said_to": "said to", "place": "where",
    "owner": "whose it is", "to": "owed to", "form": "sort", "due": "due", "trigger": "falls due with",
    "towards": "towards", "scope": "in", "amount": "by how much", "emotion": "feeling", "intensity": "how strongly",
    "claimed": "claimed", "believed": "really believes",
}  # fmt: skip
_FIRST: Final = (
    Reason.GATE_NOT_MET, Reason.IDENTITY_NOT_LINKED, Reason.OTHER_SUBJECT, Reason.NOT_VISIBLE,
    Reason.DERIVED_FROM_HIDDEN, Reason.QUARANTINED, Reason.SUSPENDED,
)  # fmt: skip


class Card(Struct, frozen=True, kw_only=True):
    """An entry as it stands in a packet."""

    entry_id: EntryId
    kind: str
    statement: str
    said: str
    """How it is known, how surely, and whether it may be said; or why it was held back."""
    band: str = ""
    """The plain name of its confidence."""
    band_word: str = ""
    """What the world calls that."""
    confidence: float = 0.0
    status: str = ""
    rank: int = 0
    score: int = 0
    parts: tuple[tuple[str, int], ...] = ()
    """What the score is made of, in thousandths."""
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    ends: str = ""
    rests_on: tuple[EntryId, ...] = ()


class WithheldGroup(Struct, frozen=True, kw_only=True):
    """What was held back for one reason."""

    reason: Reason
    said: str
    cards: tuple[Card, ...]
    count: int


class Shown(Struct, frozen=True, kw_only=True):
    """What cards are made with."""

    packet: ContextPacket
    ledger: Ledger
    world: World
    naming: Naming

    @property
    def me(self) -> CharacterId:
        """Whose knowledge counts."""
        return self.packet.pov or self.packet.speaker


def selected(at: Shown) -> tuple[Card, ...]:
    """Return what the speaker may draw on, as ranked."""
    return tuple(_selected(item, at) for item in at.packet.selected)


def _selected(item: Selected, at: Shown) -> Card:
    entry = at.ledger.entries.get(item.entry_id)
    parts = ((word, getattr(item.parts, name)) for name, word in _PARTS.items())
    return Card(
        entry_id=item.entry_id,
        kind=item.kind,
        statement=item.statement,
        said=_known(item, entry, at),
        band=str(band_of(item.confidence)),
        band_word=item.band,
        confidence=item.confidence,
        status=item.status,
        rank=item.rank,
        score=item.parts.total,
        parts=tuple((word, size) for word, size in parts if size),
        notes=item.notes,
        facts=tuple(_facts(item.fields, at)),
        ends="" if entry is None else w.ending(entry, at.world),
        rests_on=item.rests_on,
    )


def _known(item: Selected, entry: LedgerEntry | None, at: Shown) -> str:
    sure = w.how_sure(at.me, item.confidence, at.naming)
    if entry is None:
        return sure
    learnt = w.learnt(entry, at.me, at.naming, how=item.how, teller=item.teller)
    say = w.may_say(entry, at.packet.audience, at.naming, teller=item.teller)
    who = at.naming.person(at.me)
    match entry:
        case EmotionalResidue():
            return f"{learnt}; it colours the tone"
        case RelationshipDelta():
            return f"{learnt}; it counts where a rule asks for it, and {who} {say}"
        case _:
            return f"{learnt}; {sure.removeprefix(f'{who} ') if learnt.startswith(who) else sure}, and {say}"


def _facts(fields: Mapping[str, str], at: Shown) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        shown = at.naming.place(value) if name == "place" else at.naming.people.get(value, value.replace("_", " "))
        yield _FIELDS.get(name, name.replace("_", " ")), shown


def act_only(at: Shown) -> tuple[Card, ...]:
    """Return what the speaker knows and must not say."""
    return tuple(_acted_on(item, at) for item in at.packet.act_only)


def _acted_on(item: ActOnly, at: Shown) -> Card:
    entry = at.ledger.entries.get(item.entry_id)
    why = _named(item.why, at)
    if entry is None:
        return Card(entry_id=item.entry_id, kind=item.kind, statement=item.statement, said=why)
    knower = at.ledger.knower_of(entry, at.me)
    how = "" if knower is None else w.learnt(entry, at.me, at.naming, how=knower.how, teller=knower.from_whom)
    said = "; ".join(filter(None, (why, how)))
    ends = w.ending(entry, at.world)
    return Card(entry_id=item.entry_id, kind=item.kind, statement=item.statement, said=said, ends=ends)


def withheld(rows: Iterable[Withheld], at: Shown, *, most: int = MOST_OF_A_REASON) -> tuple[WithheldGroup, ...]:
    """Return what was held back by reason, what is closest to being said first."""
    by_reason: dict[Reason, list[Withheld]] = {}
    for row in rows:
        by_reason.setdefault(row.reason, []).append(row)
    order = (*_FIRST, *(r for r in Reason if r not in _FIRST))
    return tuple(
        WithheldGroup(
            reason=reason,
            said=w.why_withheld(reason, at.me, at.naming),
            cards=tuple(_withheld(row, at) for row in by_reason[reason][:most]),
            count=len(by_reason[reason]),
        )
        for reason in order
        if reason in by_reason
    )


def _withheld(row: Withheld, at: Shown) -> Card:
    entry = at.ledger.entries.get(row.entry_id)
    if entry is None:
        return Card(entry_id=row.entry_id, kind="", statement=row.entry_id, said=row.detail)
    said = [_named(row.detail, at)]
    if row.reason in {Reason.NOT_VISIBLE, Reason.DERIVED_FROM_HIDDEN}:
        said = [f"known to {w.names((k.who for k in entry.knowers), at.naming)}"]
    if row.reason is Reason.GATE_NOT_MET:
        said.append(f"it may be said {w.gate(entry, at.naming)}")
    status = at.ledger.status_of(entry)
    return Card(
        entry_id=row.entry_id, kind=kind_of(entry), statement=entry.statement, said="; ".join(filter(None, said)),
        status=str(status), confidence=entry.confidence,
    )  # fmt: skip


def _named(text: str, at: Shown) -> str:
    """Put people's names where a reason has their ids."""
    words = text.split(" ")
    return " ".join(at.naming.people.get(word.rstrip(",;."), word.rstrip(",;.")) + word[len(word.rstrip(",;.")) :]
                    for word in words)  # fmt: skip
