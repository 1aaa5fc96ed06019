"""Self-contained cases: one cell each, with its entries, its moment and what the packet must and must not hold."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Candidates
from ledger_service.domain.conditions import check_condition
from ledger_service.domain.entries import (
    KINDS,
    Channel,
    Commitment,
    Contradiction,
    EmotionalResidue,
    Form,
    Hearsay,
    Intensity,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    Source,
    SourceKind,
    Status,
    first_status,
)
from ledger_service.domain.errors import LedgerError, MalformedError
from ledger_service.domain.ids import ENGINE, NARRATOR, PLAYER, PUBLIC, EntryId, group_scope
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import Occurrence, StoryState
from ledger_service.domain.slots import Predicate, Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.terms import stem, term_set, words
from ledger_service.domain.visibility import OPEN, Disclosure, DisclosureMode, Knower, Membership
from ledger_service.domain.worlds import Character, World
from ledger_service.probing.shorthand import names_in, parse_expiry, parse_flag, parse_gate

Raw = Mapping[str, Any]
STRONG: Final = 0.75
"""Confidence from which a feeling without a stated intensity counts as high."""

KIND_NAMES: Final = {"relationship": "relationship_delta", "residue": "emotional_residue"}
SOURCE_NAMES: Final = {"transcript": "derived", "generated": "generated_line", "told": "told_by", "heard": "overheard"}
STATUS_NAMES: Final = {
    "kept": Status.FULFILLED, "triggered": Status.OPEN, "echo": Status.ECHO, "ended": Status.ENDED,
    "live": Status.ACTIVE, "faded": Status.EASED, "settled": Status.RESOLVED,
}  # fmt: skip
IDENTITY: Final = "same_person_as"
_IDENTITY: Final = re.compile(
    r"^(?:the |that |this )?(?P<shown>[\w' -]+?) (?:is|was) (?:really |in truth |in fact |actually )?(?:the )?"
    r"(?P<who>[\w-]+)"
    r"(?: in disguise| in a mask| disguised| under a mask)?$"
)


class Case(Struct, frozen=True, kw_only=True):
    """One case, decoded: what is given, what is asked, what is expected."""

    case_id: str
    candidates: Candidates
    moment: Moment
    lines: tuple[str, ...]
    """The anchor and its paraphrases."""
    keys: dict[EntryId, str]
    """Entry ids to the keys that the file uses."""
    must_include: tuple[str, ...] = ()
    must_exclude: tuple[str, ...] = ()
    reasons: dict[str, str] = {}
    """Expected reason by key."""
    flags: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """`key.name` of what must be printed."""
    flags_must_exclude: tuple[str, ...] = ()


def decode_case(raw: Raw) -> Case:
    """Turn one case, as plain values, into a ledger, a moment and expectations.

    Raises:
        MalformedError: naming the case and the path of what cannot be read.
    """
    return _CaseDecoder(raw).case()


class _CaseDecoder:
    """Holds one raw case while its parts are read, so that errors can name the path."""

    def __init__(self, raw: Raw) -> None:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str):
            raise MalformedError("case", "needs an `id` and the other fields of a case")
        self.raw = raw
        self.case_id: str = raw["id"]
        self.speaker: str = self._need(raw, "speaker", str)
        self.audience = names_in(raw.get("audience")) or (str(raw.get("listener", PLAYER)),)
        self.now = self._time(self._need(raw, "now", Mapping), "now")
        self.rows: list[Raw] = list(self._need(raw, "entries", list))

    def _fail(self, path: str, why: str) -> MalformedError:
        return MalformedError(f"case {self.case_id}, {path}", why)

    def _need(self, raw: Raw, key: str, kind: type, path: str = "") -> Any:  # noqa: ANN401
        where = f"{path}.{key}" if path else key
        if key not in raw:
            raise self._fail(where, "is missing")
        if not isinstance(raw[key], kind):
            raise self._fail(where, f"must be {kind.__name__.lower()}, not {type(raw[key]).__name__}")
        return raw[key]

    def _time(self, raw: Raw, path: str) -> StoryTime:
        try:
            return msgspec.convert(
                {"tick": raw.get("tick", 0), "scene": raw.get("scene", 0), "turn": raw.get("turn", 0)}, StoryTime
            )
        except msgspec.ValidationError as error:
            raise self._fail(path, str(error)) from error

    def case(self) -> Case:
        """Read the whole case."""
        entries = tuple(self._entry(row, i) for i, row in enumerate(self.rows))
        self.by_key = {row["key"]: e for row, e in zip(self.rows, entries, strict=True)}
        entries = tuple(self._linked(row, e) for row, e in zip(self.rows, entries, strict=True))
        state = self._state()
        world = self._world(entries)
        include = [str(item) for item in self.raw.get("packet_must_include", ())]
        audience = self.audience
        return Case(
            case_id=self.case_id,
            candidates=Candidates(
                entries=entries,
                amendments=self._amendments(entries),
                world=world,
                state=state,
                off_branch=frozenset(
                    e.entry_id for row, e in zip(self.rows, entries, strict=True) if self._off_branch(row)
                ),
            ),
            moment=Moment(
                speaker=self.speaker,
                audience=audience,
                pov=self.raw.get("pov") or (audience[0] if self.speaker == NARRATOR else None),
                at=self.now,
                seq=self._last_seq(),
                line_seq=self._last_seq() if any(self._is_current(row) for row in self.rows) else None,
                presented_as=self._personas(entries, audience),
            ),
            lines=(str(self._need(self.raw, "player_line", str)), *(str(p) for p in self.raw.get("paraphrases", ()))),
            keys={e.entry_id: row["key"] for row, e in zip(self.rows, entries, strict=True)},
            must_include=tuple(i for i in include if not i.startswith(("flag:", "field:"))),
            must_exclude=tuple(str(k) for k in self.raw.get("packet_must_exclude", ())),
            reasons={str(k): str(v) for k, v in (self.raw.get("exclude_because") or {}).items()},
            flags=tuple(parse_flag(i.removeprefix("flag:")) for i in include if i.startswith("flag:")),
            fields=tuple(i.removeprefix("field:") for i in include if i.startswith("field:")),
            flags_must_exclude=tuple(parse_flag(str(f)) for f in self.raw.get("flags_must_exclude", ())),
        )

    def _last_seq(self) -> int:
        """A case has no events; its ticks number its history, and the line comes after them all."""
        return _seq_of(self.now.tick) + 1

    def _entry(self, row: Raw, index: int) -> LedgerEntry:
        path = f"entries[{index}]"
        if not isinstance(row, Mapping):
            raise self._fail(path, "must be a mapping")
        key = self._need(row, "key", str, path)
        kind = KIND_NAMES.get(str(row.get("type")), str(row.get("type")))
        if kind not in KINDS:
            raise self._fail(f"{path}.type", f"{row.get('type')!r} is no kind; there are {', '.join(KINDS)}")
        try:
            return self._build(kind, row, key)
        except (LedgerError, msgspec.ValidationError, ValueError, KeyError, TypeError) as error:
            raise self._fail(path, str(error)) from error

    def _build(self, kind: str, row: Raw, key: str) -> LedgerEntry:
        at = int(row.get("at", 0))
        seq = self._last_seq() if self._is_current(row) else min(_seq_of(at), self._last_seq())
        source = self._source(row)
        teller = source.by if source.kind in {SourceKind.TOLD_BY, SourceKind.PLAYER_CLAIM} else None
        common: dict[str, Any] = {
            "entry_id": key,
            "statement": str(row["claim"]),
            "source": source,
            "knowers": tuple(
                Knower(who=str(who), how=str(source.kind), from_whom=teller, since_seq=seq, since_tick=at)
                for who in self._scopes(row)
            ),
            "seq": seq,
            "at": StoryTime(tick=at, scene=int(row.get("at_scene", 0)), turn=int(row.get("at_turn", 0))),
            "slot": _slot(row["slot"]) if row.get("slot") else _identity_slot(str(row["claim"]), self.audience),
            "confidence": float(row.get("confidence", 1.0)),
            "unaware": names_in(row.get("unaware")),
            "disclosure": self._disclosure(row),
            "expires": parse_expiry(str(row.get("expires") or "never")),
            "protected": bool(row.get("protected", False)),
            "subject": row.get("subject"),
            "about": names_in(row.get("about")),
            "place": row.get("place"),
            "event_tick": row.get("event_at"),
            "said_by": row.get("said_by"),
            "said_to": names_in(row.get("said_to")),
            "style_of": self._style(row),
        }
        return _KIND_BUILDERS[kind](row, common, self)

    def _scopes(self, row: Raw) -> list[str]:
        scopes = names_in(row.get("visible_to"))
        if not scopes:
            raise ValueError("visible_to: names nobody; say who knows it (`engine` is nobody in the story)")
        return [group_scope(s.removeprefix("group:")) if s.startswith("group:") else s for s in scopes]

    def _source(self, row: Raw) -> Source:
        raw = row.get("source") or {"kind": "engine"}
        kind = SOURCE_NAMES.get(str(raw.get("kind")), str(raw.get("kind")))
        channel = str(row.get("channel") or raw.get("channel") or "open")
        return Source(
            kind=SourceKind(kind),
            by=raw.get("by"),
            channel=Channel(channel) if channel in set(Channel) else Channel.OPEN,
            quote=row.get("raw"),
            via=names_in(raw.get("via")),
        )

    def _style(self, row: Raw) -> str | None:
        named = row.get("style_of") or row.get("voice_of")
        if named:
            return str(named)
        manner = re.match(
            r"^(?:the )?([\w-]+)(?:'s (?:manner|way|style|habit) of (?:speaking|speech|talking)"
            r"| (?:always |never )?(?:speaks|talks|drawls|lisps|stammers|rhymes|mutters)\b)",
            str(row.get("claim", "")),
        )
        return manner[1] if manner else None

    def _disclosure(self, row: Raw) -> Disclosure:
        given = row.get("disclosure")
        raw: Raw = given if isinstance(given, Mapping) else {"mode": given or ""}
        mode = DisclosureMode(raw["mode"]) if raw.get("mode") else None
        when, to = parse_gate(row.get("disclose_when", raw.get("when")))
        to += tuple(
            group_scope(t.removeprefix("group:")) if t.startswith("group:") else t
            for t in names_in(row.get("disclose_to") or raw.get("to"))
        )
        if when:
            check_condition(when)
        if mode is DisclosureMode.SECRET:
            return Disclosure(mode=mode)
        guarded = mode is DisclosureMode.GUARDED or when or to
        return Disclosure(mode=DisclosureMode.GUARDED, to=to, when=when) if guarded else OPEN

    def _linked(self, row: Raw, entry: LedgerEntry) -> LedgerEntry:
        """Fill in references between entries, which need all entries read."""
        source = row.get("source") or {}
        inputs = names_in(source.get("from")) + names_in(row.get("derived_from"))
        origin = row.get("origin")
        return msgspec.structs.replace(
            entry,
            derived_from=inputs,
            origin=origin if isinstance(origin, str) and origin in self.by_key else None,
            supersedes=names_in(row.get("supersedes")),
        )

    def _amendments(self, entries: tuple[LedgerEntry, ...]) -> tuple[Amendment, ...]:
        found = []
        for i, (row, entry) in enumerate(zip(self.rows, entries, strict=True)):
            status = self._status(str(row.get("status") or first_status(entry)), f"entries[{i}].status")
            successor = row.get("superseded_by")
            first = first_status(entry)
            if status != first and not (
                status is Status.ACTIVE and first in {Status.OPEN, Status.FELT, Status.UNRESOLVED}
            ):
                by = (str(successor),) if successor in self.by_key else ()
                found.append(_amend(entry, status, by=by, at=self.now))
        return tuple(found)

    def _status(self, name: str, path: str) -> Status:
        known = {**{str(s): s for s in Status}, **STATUS_NAMES}
        if name not in known:
            raise self._fail(path, f"`{name}` is no status; there are {', '.join(sorted(known))}")
        return known[name]

    def _state(self) -> StoryState:
        happened = [Occurrence(name=str(name), seq=self._last_seq()) for name in self.raw.get("events", ())]
        triggered = [
            Occurrence(name=_trigger(row) or "", seq=self._last_seq())
            for row in self.rows
            if row.get("status") == "triggered"
        ]
        memberships = [
            Membership(
                group=group,
                who=m if isinstance(m, str) else m["who"],
                joined_seq=0 if isinstance(m, str) else _seq_of(int(m.get("since", 0))),
                left_seq=None if isinstance(m, str) or m.get("until") is None else _seq_of(int(m["until"])),
            )
            for group, members in (self.raw.get("groups") or {}).items()
            for m in members
        ]
        return StoryState(
            at=self.now,
            seq=self._last_seq(),
            memberships=tuple(memberships),
            occurrences=tuple(happened + triggered),
            values=dict(self.raw.get("state") or {}),
            world_version="case",
        )

    def _world(self, entries: Iterable[LedgerEntry]) -> World:
        people = {self.speaker, PLAYER, *names_in(self.raw.get("audience")), *names_in(self.raw.get("listener"))}
        for entry in entries:
            people |= {k.who for k in entry.knowers if ":" not in k.who and k.who not in {PUBLIC, ENGINE}}
            people |= {name for name in (entry.source.by, entry.subject, entry.said_by, *entry.said_to) if name}
        return World(
            id="case",
            title=self.case_id,
            cast=tuple(Character(id=who, name=who.replace("_", " ")) for who in sorted(people)),
            predicates={IDENTITY: Predicate(same_as=True)}
            | {
                name: msgspec.convert(value or {}, Predicate)
                for name, value in (self.raw.get("predicates") or {}).items()
            },
        )

    def _off_branch(self, row: Raw) -> bool:
        """An entry of another save branch, or of a future that the player has loaded away from."""
        branch, mine = row.get("branch"), (self.raw.get("now") or {}).get("branch")
        return (branch is not None and branch != mine) or int(row.get("at", 0)) > self.now.tick

    def _is_current(self, row: Raw) -> bool:
        """An entry that rests on the very line being answered: marked so, or repeating the player's words of now."""
        if row.get("current") or row.get("utterance") == "current":
            return True
        source = row.get("source") or {}
        by_player = source.get("by") in {PLAYER, self.raw.get("listener")}
        if not by_player or int(row.get("at", 0)) != self.now.tick:
            return False
        lines = [str(self.raw.get("player_line", "")), *map(str, self.raw.get("paraphrases", ()))]
        quoted = str(row.get("raw") or "").strip(" .?!\"'").casefold()
        if quoted and any(quoted in line.casefold() for line in lines):
            return True
        asked = re.search(r"\b(?:asks?|asked|asking|question|wonders?|wants to know)\b", str(row.get("claim", "")))
        mine = term_set(str(row.get("claim", ""))) - {stem(PLAYER), stem(self.speaker)}
        return bool(asked) and bool(mine) and any(len(mine & term_set(line)) * 2 >= len(mine) for line in lines)

    def _personas(self, entries: Iterable[LedgerEntry], audience: tuple[str, ...]) -> dict[str, str]:
        """Who of the audience shows themselves under another name, by entries that say that two are one."""
        shown: dict[str, str] = {}
        for entry in entries:
            pair = None
            if entry.slot is not None and (entry.slot.predicate == IDENTITY or "same" in entry.slot.predicate):
                pair = (entry.slot.subject, entry.slot.object)
            if pair and pair[1] in audience and _is_somebody(pair[0], entries, entry):
                shown[pair[1]] = pair[0]
        return shown


def _seq_of(tick: int) -> int:
    """Number what a tick holds, with room for the line that is said within it and before the next."""
    return 2 * tick


def _slot(raw: Raw) -> Slot:
    """Read a slot; a number or a truth value is a name like any other."""
    plain = {k: str(v).lower() if k in {"subject", "object"} and not isinstance(v, str) else v for k, v in raw.items()}
    return msgspec.convert(plain, Slot)


def _identity_slot(statement: str, audience: tuple[str, ...]) -> Slot | None:
    """Read "the juggler is the player" as the link that it is; a case has no other way to say it."""
    match = _IDENTITY.match(statement.strip(" ."))
    if match is None or match["who"] not in audience:
        return None
    return Slot(subject=match["shown"].replace(" ", "_"), predicate=IDENTITY, object=match["who"])


def _is_somebody(name: str, entries: Iterable[LedgerEntry], but: LedgerEntry) -> bool:
    """Say whether other entries speak of somebody under that name."""
    key = name.replace(" ", "_")
    terms = term_set(name)
    return any(e is not but and (e.subject == key or (terms and terms <= term_set(e.statement))) for e in entries)


def _amend(entry: LedgerEntry, status: Status, *, by: tuple[EntryId, ...], at: StoryTime) -> Amendment:
    return Amendment(entry_id=entry.entry_id, status=status, cause_seq=entry.seq, at=at, by=by)


def _observation(row: Raw, common: dict[str, Any], _: _CaseDecoder) -> LedgerEntry:
    return Observation(**common, claimed_value=row.get("claimed_value"), believed_value=row.get("believed_value"))


def _hearsay(row: Raw, common: dict[str, Any], _: _CaseDecoder) -> LedgerEntry:
    source: Source = common["source"]
    return Hearsay(
        **common, teller=source.by, hops=int(row.get("hops", len(source.via) + 1)), severity=int(row.get("severity", 1))
    )


def _commitment(row: Raw, common: dict[str, Any], decoder: _CaseDecoder) -> LedgerEntry:
    due = str(row.get("due") or "")
    if "owner" not in row:
        raise ValueError("owner: a commitment needs an owner")
    return Commitment(
        **common,
        owner=str(row["owner"]),
        to=str(row.get("to") or decoder.speaker),
        name=row.get("name"),
        witnesses=names_in(row.get("witnesses")),
        form=Form(row.get("form", "promise")),
        trigger=_trigger(row),
        due=int(due.removeprefix("tick:")) if due.removeprefix("tick:").isdigit() else None,
    )


def _trigger(row: Raw) -> str | None:
    """Return the event that makes a commitment due; one that is triggered had one, named or not."""
    named = row.get("trigger") or (row["due"] if str(row.get("due")).startswith("event:") else None)
    if named is None and row.get("status") == "triggered":
        named = f"the trigger of {row['key']}"
    return str(named).removeprefix("event:") if named else None


def _relationship(row: Raw, common: dict[str, Any], _: _CaseDecoder) -> LedgerEntry:
    source: Source = common["source"]
    holder = str(row.get("from") or (source.by if source.kind is not SourceKind.WITNESSED else "") or "")
    named = [k.who for k in common["knowers"] if k.who not in {PUBLIC, ENGINE}]
    holder = holder or (words(str(row["claim"]))[0] if not named else named[0])
    return RelationshipDelta(
        **common,
        from_whom=holder,
        to=str(row.get("to") or row.get("subject") or PLAYER),
        axis=str(row.get("axis", "trust")),
        amount=float(row.get("delta", 0)),
        scope=str(row.get("scope", "general")),
    )


def _contradiction(row: Raw, common: dict[str, Any], _: _CaseDecoder) -> LedgerEntry:
    members = names_in(row.get("members"))
    if len(members) < 2:  # noqa: PLR2004
        raise ValueError("members: a contradiction needs two entries or more")
    return Contradiction(**common, members=members, disputed=common["slot"])


def _residue(row: Raw, common: dict[str, Any], _: _CaseDecoder) -> LedgerEntry:
    source: Source = common["source"]
    holder = str(row.get("holder") or source.by or common["knowers"][0].who)
    felt = re.search(r"\b(?:is|are|feels|felt|was)\s+(\w+)", str(row["claim"]))
    emotion = str(row.get("emotion") or (felt[1] if felt else "unease"))
    strong = common["confidence"] >= STRONG
    return EmotionalResidue(
        **common,
        holder=holder,
        emotion=emotion,
        intensity=Intensity(row.get("intensity") or ("high" if strong else "medium")),
    )


_KIND_BUILDERS = {
    "observation": _observation,
    "hearsay": _hearsay,
    "commitment": _commitment,
    "relationship_delta": _relationship,
    "contradiction": _contradiction,
    "emotional_residue": _residue,
}
