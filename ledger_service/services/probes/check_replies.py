"""Check labelled replies with the same reader and scorer as the game."""

import time
from collections.abc import Mapping
from functools import cache

from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Severity, Verdict
from ledger_service.ports import ClaimReader, Embedder
from ledger_service.probing.labelled import Labelled, packet_as_labelled, world_with_card
from ledger_service.probing.reply_figures import CheckedReply, FoundLine
from ledger_service.scoring.gameplay_validity import gameplay_validity
from ledger_service.scoring.heard.alignment import Near
from ledger_service.scoring.response_validity import response_validity
from ledger_service.scoring.voice.voice_continuity import voice_continuity
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.probes.run_cases import packets_of
from ledger_service.services.replies.score_reply import read_claims, read_line


def judge_labelled(item: Labelled, *, reading: Reading, reader: ClaimReader) -> tuple[dict[str, Verdict], float]:
    """Judge one labelled reply on the axes that its label speaks of, and say how long reading and scoring took."""
    packet = packet_as_labelled(item, next(iter(packets_of(item.case, reading=reading))))
    world, given = world_with_card(item), item.case.candidates
    ledger = Ledger(given.entries, given.amendments, roster=given.state.roster, at_seq=item.case.moment.seq)
    reply = Reply(text=item.reply, responder="labelled")
    start = time.perf_counter()
    asked = read_line(packet, world=world, reader=reader)
    claims = read_claims(packet, reply, world=world, reader=reader)
    verdicts = {
        "response": response_validity(
            packet, reply, claims, world=world, ledger=ledger, asked=asked, near=_near(ledger, reading.embedder)
        ),
        "voice": voice_continuity(packet, reply, world=world),
        "gameplay": gameplay_validity(packet, claims, world=world),
    }
    return verdicts, (time.perf_counter() - start) * 1_000


def _near(ledger: Ledger, embedder: Embedder) -> Near:
    """Return how near entries are to a text; labelled entries have no meaning yet, and get one where it is wanted."""

    @cache
    def meanings() -> Mapping[EntryId, bytes]:
        return dict(zip(ledger.entries, embedder.embed([e.statement for e in ledger.entries.values()]), strict=True))

    return lambda text: embedder.similarity(text, meanings())


def check_reply(item: Labelled, *, reading: Reading, reader: ClaimReader) -> CheckedReply:
    """Check one labelled reply, and say it as it is printed."""
    verdicts, spent = judge_labelled(item, reading=reading, reader=reader)
    return CheckedReply(
        id=item.id,
        verdicts={axis: str(v.state) for axis, v in verdicts.items()},
        findings=tuple(line for v in verdicts.values() for line in _lines(v)),
        ms=round(spent, 3),
        why={axis: v.why for axis, v in verdicts.items() if v.why},
    )


def _lines(verdict: Verdict) -> list[FoundLine]:
    return [
        FoundLine(
            code=str(f.code), span=f.span, entries=f.entry_ids, why=f.explanation, severity=str(f.severity),
            aligned=f.aligned,
        )
        for f in verdict.findings
        if f.severity is not Severity.MINOR
    ]  # fmt: skip
