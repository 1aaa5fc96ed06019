"""Which drafts a delivered line leaves: only what it changed, quarantined until it is confirmed."""

from collections.abc import Iterable

from ledger_service.domain.entries import Source, SourceKind
from ledger_service.domain.events import EntryDraft
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim, Stance


def from_reply(packet: ContextPacket, claims: Iterable[Claim]) -> tuple[EntryDraft, ...]:
    """Return drafts of what the line itself brought about: promises made, and things granted.

    That it was said is an event of its own. What it merely claims leaves nothing: a generated line is no evidence.
    """
    listener = PLAYER if PLAYER in packet.audience else packet.audience[0]
    return tuple(
        draft for claim in claims if (draft := _draft(claim, speaker=packet.speaker, packet=packet, listener=listener))
    )


def _draft(
    claim: Claim, *, speaker: CharacterId, packet: ContextPacket, listener: CharacterId
) -> EntryDraft | None:  # fmt: skip
    knowers = tuple(dict.fromkeys((speaker, *packet.audience)))
    source = Source(kind=SourceKind.GENERATED_LINE, by=speaker, quote=claim.text, start=claim.start)
    match claim.stance:
        case Stance.PROMISE if speaker != listener:
            return EntryDraft(
                kind="commitment",
                statement=f"{speaker} promised {listener}: {claim.text}",
                knowers=knowers,
                source=source,
                owner=speaker,
                to=listener,
                quarantined=True,
            )
        case Stance.GRANT:
            return EntryDraft(
                kind="observation",
                statement=f"{speaker} granted {listener}: {claim.text}",
                knowers=knowers,
                source=source,
                said_by=speaker,
                said_to=packet.audience,
                quarantined=True,
            )
        case _:
            return None
