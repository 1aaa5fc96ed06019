"""Measure the reader on the public sets: `python -m tests.measure_public`. Says so where they are absent.

CI-ToD: does the reply conflict with the ledger. CaSiNo: are the shares of a bargain the other way round, with true
claims as controls. Hi-ToM: does a packet hold what its speaker knows, from where, and nothing of what they do not;
and is a line that puts it on another source found. Nothing is learned from them; the files stay out of the repository.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import msgspec

from ledger_service.domain.entries import LedgerEntry, Observation, Source, SourceKind
from ledger_service.domain.events import EntriesPosted, EntryDraft
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket, ScoreParts, Selected
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code, State, Verdict
from ledger_service.domain.slots import Predicate, Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.domain.worlds import Character, World
from ledger_service.probing.reply_figures import share
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.scoring.response_validity import response_validity
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.replies.score_reply import considered, read_line
from ledger_service.stores.memory import MemoryStores
from tests.builders import a_moment
from tests.speaking import READING, NoMeanings, a_scene

PUBLIC = Path(__file__).parent.parent.parent / "shared" / "public"
READER = PatternClaimReader()


def rows(name: str) -> Iterator[dict[str, Any]]:
    with (PUBLIC / name).open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def _entry(name: str, statement: str, who: str, slot: Slot | None = None) -> LedgerEntry:
    return Observation(
        entry_id=name, statement=statement, source=Source(kind=SourceKind.WITNESSED, by=who), seq=1,
        at=StoryTime(tick=1), knowers=(Knower(who=who, since_seq=1),), slot=slot,
    )  # fmt: skip


def judge(case: dict[str, Any], entries: tuple[LedgerEntry, ...], text: str, line: str) -> Verdict:
    """Judge a reply on a packet that holds every entry."""
    people = dict.fromkeys([case["speaker"], case["asker"]])
    world = World(id="w", title="", cast=tuple(Character(id=p, name=p) for p in people))
    moment = a_moment(speaker=case["speaker"], audience=(case["asker"],))
    scene = a_scene(world=world, speaker=moment.speaker, audience=moment.audience)
    packet = msgspec.structs.replace(
        scene.packet, speaker=case["speaker"], audience=(case["asker"],), line=line, flags=(),
        selected=tuple(_selected(e, i) for i, e in enumerate(entries)),
    )  # fmt: skip
    ledger = Ledger(entries, (), roster=StoryState().roster, at_seq=100)
    claims = READER.read(text, world=world, speaker=case["speaker"], audience=(case["asker"],))
    asked = READER.read(line, world=world, speaker=case["asker"], audience=(case["speaker"],))
    return response_validity(packet, Reply(text=text, responder="set"), claims, world=world, ledger=ledger, asked=asked)


def _selected(entry: LedgerEntry, rank: int) -> Any:
    return Selected(
        entry_id=entry.entry_id, kind="observation", statement=entry.statement, rank=rank, parts=ScoreParts(), band="",
        confidence=1.0, status="active", how=entry.source.kind, tick=1,
    )  # fmt: skip


def citod() -> Iterator[tuple[bool, bool]]:
    """Yield, for each reply, whether it conflicts with the ledger and whether that is found."""
    for case in rows("citod.jsonl"):
        who = case["speaker"]
        entries = tuple(
            _entry(f"{e['id']}.{k}", f"{e['subject']} {k} {v}", who, Slot(subject=e["id"], predicate=k, object=str(v)))
            for e in case["events"]
            if e.get("attributes") and e.get("subject")
            for k, v in e["attributes"].items()
            if str(v) not in {"-", ""}
        )
        text = next(e["text"] for e in case["events"] if e["id"] == case["reply_event"])
        before = " . ".join(e["text"] for e in case["events"] if e["kind"] == "utterance")
        verdict = judge(case, entries, text, before)
        hit = any(f.code is Code.CONTRADICTS_ENTRY for f in verdict.findings)
        yield bool(case["expected_flags"]["ledger"]), hit


def casino() -> Iterator[tuple[bool, bool]]:
    """Yield, for each claim of what was agreed, whether its shares are swapped and whether that is found."""
    for case in rows("casino_commitments.jsonl"):
        if case.get("probe") not in {"owner_swap", "true_claim"}:
            continue
        offer = next(e for e in case["events"] if e["id"] == case["must_include"][0])
        as_said = {**case, "speaker": case["asker"], "asker": case["speaker"]}
        verdict = judge(as_said, (_entry(offer["id"], offer["text"], case["asker"]),), case["question"], "")
        yield case["probe"] == "owner_swap", verdict.state is State.FAIL


class Origin(msgspec.Struct, frozen=True):
    """What became of one Hi-ToM question: in the packet, kept out of it, and by whom it is known."""

    included: bool
    excluded: bool | None
    right_source: bool
    hearsay: bool


async def hitom() -> tuple[list[Origin], list[tuple[bool, bool]]]:
    """Return what each question's packet holds, and of lines on it whether the source is wrong and found to be."""
    origins: list[Origin] = []
    lines: list[tuple[bool, bool]] = []
    for case in rows("hitom.jsonl"):
        if case["speaker"] != "world":
            origin, said = await _hitom(case)
            origins.append(origin)
            lines += said
    return origins, lines


async def _hitom(case: dict[str, Any]) -> tuple[Origin, list[tuple[bool, bool]]]:
    stores, who = MemoryStores(), case["speaker"].lower()
    people = sorted({w.lower() for e in case["events"] for w in (*e["witnesses"], e.get("source") or who)})
    world = World(
        id="w", title="", cast=tuple(Character(id=p, name=p.title()) for p in people),
        predicates={"in": Predicate(functional=True, fluent=True)},
    )  # fmt: skip
    opened = await open_playthrough(await add_world(world, open_uow=stores.open_uow), open_uow=stores.open_uow)
    posted = [EntriesPosted(entries=(_draft(e),)) for e in case["events"] if e["witnesses"]]
    kept = [e["id"] for e in case["events"] if e["witnesses"]]
    receipts = await record_events(opened.playthrough_id, posted, open_uow=stores.open_uow, embedder=NoMeanings())
    names = {label: {e.entry_id for e in r.entries} for label, r in zip(kept, receipts, strict=True)}
    asked = PacketRequest(speaker=who, line=case["question"].replace(f"does {case['speaker']} really", "do you"))
    packet = (await build_packet(opened.playthrough_id, asked, open_uow=stores.open_uow, reading=READING)).packet
    selected = {s.entry_id: s for s in packet.selected}
    wanted = [next((s for i, s in selected.items() if i in names[label]), None) for label in case["must_include"]]
    out = [names[label].isdisjoint(selected) for label in case["must_exclude"] if label in names]
    hearsay = case["expected_source_kind"] == "hearsay"
    teller = (case.get("expected_source") or "").lower()
    right = all(s is not None and (s.how == "told_by") == hearsay and (s.teller or "") in {teller, ""} for s in wanted)
    async with stores.open_uow(opened.playthrough_id) as uow:
        ledger = await considered(packet, uow)
    said = [(wrong, _is_failed(packet, line, world, ledger)) for wrong, line in _provenance(case, people, who, teller)]
    origin = Origin(all(s is not None for s in wanted), all(out) if out else None, right, hearsay)
    return origin, said if all(s is not None for s in wanted) else []


def _draft(event: dict[str, Any]) -> EntryDraft:
    """Return an event as it is written down directly: known to its witnesses, seen or told."""
    claim, teller = event.get("claim"), (event.get("source") or "").lower()
    told = event["kind"] == "hearsay"
    knowers = tuple(w.lower() for w in event["witnesses"])
    slot = Slot(subject=claim["subject"], predicate="in", object=claim["object"]) if claim else None
    if told:
        source = Source(kind=SourceKind.TOLD_BY, by=teller)
        statement = f"the {claim['subject']} is in the {claim['object']}" if claim else event["text"]
        return EntryDraft(
            kind="hearsay", statement=statement, knowers=knowers, source=source, slot=slot, teller=teller,
            confidence=0.5, hops=1,
        )  # fmt: skip
    source = Source(kind=SourceKind.WITNESSED, by=event["actor"].lower())
    return EntryDraft(kind="observation", statement=event["text"], knowers=knowers, source=source, slot=slot)


def _provenance(case: dict[str, Any], people: list[str], who: str, teller: str) -> Iterator[tuple[bool, str]]:
    """Yield lines that give the right source or a wrong one for what was only heard: said whether it is wrong."""
    if not teller:
        return
    claim = next(e["claim"] for e in case["events"] if e["id"] == case["must_include"][0])
    where = f"the {claim['subject']} is in the {claim['object']}"
    other = next(p for p in people if p not in {who, teller})
    yield False, f"{teller.title()} said that {where}."
    yield False, f"I think {where}, but I did not see it."
    yield True, f"I saw with my own eyes that {where}."
    yield True, f"{where.capitalize()}."
    yield True, f"{other.title()} told me that {where}."


def _is_failed(packet: ContextPacket, text: str, world: World, ledger: Ledger) -> bool:
    claims = READER.read(text, world=world, speaker=packet.speaker, audience=packet.audience)
    asked = read_line(packet, world=world, reader=READER)
    reply = Reply(text=text, responder="set")
    verdict = response_validity(packet, reply, claims, world=world, ledger=ledger, asked=asked)
    return any(f.code in {Code.HEARSAY_PROMOTED, Code.ATTRIBUTION_WRONG} for f in verdict.findings)


def shares(origins: list[Origin]) -> str:
    """Put into words what Hi-ToM's packets hold."""

    def of(name: str, said: list[bool]) -> str:
        x = share(sum(said), len(said))
        return f"{name} {x.rate} [{x.low:.2f}, {x.high:.2f}] of {len(said)}"

    parts = (
        of("holds the answer", [o.included for o in origins]),
        of("nothing that the speaker cannot know", [o.excluded for o in origins if o.excluded is not None]),
        of("right source", [o.right_source for o in origins]),
        of("right teller of what was heard", [o.right_source for o in origins if o.hearsay]),
    )
    return "Hi-ToM provenance: " + ", ".join(parts)


def shown(name: str, pairs: list[tuple[bool, bool]]) -> str:
    tp = sum(a and b for a, b in pairs)
    fp = sum(b and not a for a, b in pairs)
    fn = sum(a and not b for a, b in pairs)
    p, r, alarm = share(tp, tp + fp), share(tp, tp + fn), share(fp, sum(not a for a, _ in pairs))
    f1 = 2 * tp / (2 * tp + fp + fn) if tp else 0.0

    def said(x: Any) -> str:
        return f"{x.rate} [{x.low:.2f}, {x.high:.2f}]"

    return f"{name}: n {len(pairs)}, F1 {f1:.3f}, precision {said(p)}, recall {said(r)}, false alarms {said(alarm)}"


def main() -> int:
    if not PUBLIC.is_dir():
        print(f"the public sets are not here ({PUBLIC}); nothing was measured")
        return 0
    print(shown("CI-ToD ledger conflict", list(citod())))
    print(shown("CaSiNo owner swap", list(casino())))
    origins, lines = anyio.run(hitom)
    print(shares(origins))
    print(shown("Hi-ToM, lines on another source", lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
