"""Run self-contained cases through the same reading, reconciling and rendering as the game."""

from collections.abc import Iterator

import msgspec

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.probing.case_verdicts import CaseResult, judge_case
from ledger_service.probing.cases import Case
from ledger_service.reconcile.contradict import contradict
from ledger_service.reconcile.expire import expire
from ledger_service.services.packets.build_packet import Reading, sealed, similarity


def run_case(case: Case, *, reading: Reading) -> CaseResult:
    """Ask the anchor and every paraphrase, and judge the packets."""
    return judge_case(case, packets_of(case, reading=reading))


def packets_of(case: Case, *, reading: Reading) -> Iterator[ContextPacket]:
    """Yield the packet of each line: what time and events ended first, as recording would have."""
    entries = _with_meanings(case.candidates.entries, reading)
    given = msgspec.structs.replace(case.candidates, entries=entries)
    settled = msgspec.structs.replace(given, amendments=(*given.amendments, *_ended(given, case.moment)))
    for line in case.lines:
        intent = reading.reader.read(
            line, world=given.world, speaker=case.moment.speaker, audience=case.moment.audience
        )  # fmt: skip
        moment = msgspec.structs.replace(case.moment, line=line, intent=intent)
        near = similarity(settled.entries, line, reading.embedder)
        yield sealed(msgspec.structs.replace(settled, similarity=near), moment, reading.renderer)


def _ended(given: Candidates, moment: Moment) -> tuple[Amendment, ...]:
    ledger = Ledger(given.entries, given.amendments, roster=given.state.roster, at_seq=moment.seq)
    now, occurrences = moment.at, given.state.occurrences
    expired = expire(given.entries, ledger, now=now, seq=moment.seq, occurrences=occurrences)
    in_order = sorted(given.entries, key=lambda e: (e.seq, e.entry_id))
    updated = contradict(in_order, (), ledger, predicates=given.world.predicates, seq=moment.seq)
    return (*expired, *updated.amendments)


def _with_meanings(entries: tuple[LedgerEntry, ...], reading: Reading) -> tuple[LedgerEntry, ...]:
    meanings = reading.embedder.embed([e.statement for e in entries])
    return tuple(msgspec.structs.replace(e, embedding=m) for e, m in zip(entries, meanings, strict=True))
