"""Every error this product raises on purpose, drawn once.

LedgerError
├── RequestError            the caller sent something that cannot be read            400
│   ├── MalformedError          bytes that do not decode into what was asked for
│   ├── StoryFileError          a story or case file, with file, line and path
│   ├── UnfitWorldError         a world in which something leads nowhere or cannot be; says all of it
│   ├── ConditionError          a CEL condition that does not compile or names what does not exist
│   ├── CursorError             a place in a list at which no page ends
│   ├── SettingError            a setting out of range or contradicting another
│   └── TamperedError           an exported playthrough whose chain or seal does not hold
├── NotFoundError           a thing that is not there                                404
│   ├── UnknownWorldError · UnknownPlaythroughError · UnknownPacketError
│   ├── UnknownEntryError · UnknownSaveError · UnknownReplyError · UnknownFindingError · NoRouteError
│   └── NoBeliefError · UnknownKeyError · UnknownAccountError · UnknownRunError
├── ConflictError           it is there already, and different                       409
│   ├── DuplicateKeyError · DuplicateNameError · AlreadyScoredError · SequenceTakenError
│   └── PlaythroughHasForksError
├── StoryRuleError          well formed, and against the story's rules               422
│   ├── UnknownCharacterError · EmptyScopeError · OutOfOrderError · ContentError
│   ├── UndeclaredError · ProvenanceCycleError · NotRecordedError
├── NotAllowedError         who asks may not                                         401/403
│   ├── MissingKeyError · WrongKeyError · ForbiddenError
│   ├── NotSignedInError · WrongPasswordError · StaleFormError · TooOftenError
├── ProviderError           somebody outside who is asked does not answer as agreed  502
│   └── MemoryAwayError
└── StoreError              a store is away or not as it should be                   503
    ├── StoreUnavailableError · GraphUnavailableError · NotProjectedError · GraphReplacedError
    ├── StoreSetupError         cannot be started here, with the cure
    └── StoreVersionError       a server too old, or a schema not migrated
"""


class LedgerError(Exception):
    """Base of every error of this product; `str(error)` is the message for a person."""

    cure: str | None = None
    """What to do about it, in one line, where there is something to do."""
    position: int | None = None
    """Which event of a batch it is about, from 0."""


class RequestError(LedgerError):
    """What was sent cannot be read."""


class MalformedError(RequestError):
    """Bytes or fields that do not decode into what was asked for."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why


class StoryFileError(RequestError):
    """A story or case file that cannot be used; names the file, the line and the path inside it."""

    def __init__(
        self, file: str, why: str, *, line: int | None = None, column: int | None = None, path: str = ""
    ) -> None:
        where = f"{file}:{line}" if line is not None else file
        super().__init__(f"{where}: {path + ': ' if path else ''}{why}")
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.why = why


class UnfitWorldError(RequestError):
    """A world that cannot be played; says everything that is wrong with it, each with its path."""

    MOST_SHOWN = 20

    def __init__(self, world_id: str, problems: tuple[str, ...]) -> None:
        more = len(problems) - self.MOST_SHOWN
        shown = "; ".join(problems[: self.MOST_SHOWN]) + (f"; and {more} more" if more > 0 else "")
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        super().__init__(f"world {world_id!r} has {count}, and nothing was kept: {shown}")
        self.problems = problems


class ConditionError(RequestError):
    """A CEL condition that does not compile, loops, or names what does not exist."""

    def __init__(self, source: str, why: str) -> None:
        shown = source if len(source) <= 80 else source[:77] + "..."  # noqa: PLR2004
        super().__init__(f"condition `{shown}`: {why}")
        self.source = source
        self.why = why


class CursorError(RequestError):
    """A place in a list at which no page ends."""

    def __init__(self, after: str) -> None:
        shown = after if len(after) <= 40 else after[:37] + "..."  # noqa: PLR2004
        super().__init__(f"after: {shown!r} is no place in the list")
        self.after = after
        self.cure = "give back the `next_after` of the page before, or leave it out to begin"


class SettingError(RequestError):
    """A setting that cannot be used."""

    def __init__(self, name: str, why: str, *, cure: str | None = None) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.cure = cure


class TamperedError(RequestError):
    """An exported playthrough that is not as it was written."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}; the export was changed after it was written, and nothing was imported")
        self.where = where
        self.why = why
        self.cure = "export the playthrough again, or import an older copy"


class NotFoundError(LedgerError):
    """A thing that is not there."""

    thing = "thing"

    def __init__(self, name: str) -> None:
        super().__init__(f"no {self.thing} named {name!r}")
        self.name = name


class UnknownWorldError(NotFoundError):
    """No such world, or no such version of it."""

    thing = "world"
    cure = "keep it first (`continuity world load FILE`, POST /v1/worlds); `continuity world list` names what is kept"


class UnknownPlaythroughError(NotFoundError):
    """No such playthrough, or not one that the caller may see."""

    thing = "playthrough"
    cure = "`continuity playthrough list` names what is there"


class UnknownPacketError(NotFoundError):
    """No such packet in this playthrough."""

    thing = "packet"
    cure = "build one first (`continuity packet P --speaker NAME`), in the same playthrough"


class UnknownEntryError(NotFoundError):
    """No such entry in this playthrough."""

    thing = "entry"


class UnknownSaveError(NotFoundError):
    """No save of that name in this playthrough."""

    thing = "save"
    cure = "`continuity playthrough saves P` names what is there"


class UnknownReplyError(NotFoundError):
    """No such reply in this playthrough."""

    thing = "reply"


class UnknownFindingError(NotFoundError):
    """No such finding on this reply."""

    thing = "finding"


class NoRouteError(NotFoundError):
    """No trust leads from one to the other, so that no story can go that way."""

    thing = "route"

    def __init__(self, teller: str, listener: str, *, most_hops: int) -> None:
        LedgerError.__init__(self, f"no trust leads from {teller} to {listener} within {most_hops} hops")
        self.name = f"{teller} -> {listener}"
        self.teller = teller
        self.listener = listener


class NoBeliefError(NotFoundError):
    """Nobody holds such a belief."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.args = (said,)


class UnknownKeyError(NotFoundError):
    """No API key of that label that still opens anything."""

    thing = "key in use"


class UnknownAccountError(NotFoundError):
    """Nobody signs in under that name."""

    thing = "account"
    cure = "`continuity user list` names who has one"


class UnknownRunError(NotFoundError):
    """No such run of probes, or no such cell of one."""

    thing = "run of probes"
    cure = "/probes lists those of the worlds that you were given"


class ConflictError(LedgerError):
    """It is there already, and it is different."""


class DuplicateKeyError(ConflictError):
    """An idempotency key was used before with other content."""

    def __init__(self, key: str, used: str = "with other content", *, cure: str | None = None) -> None:
        super().__init__(f"key {key!r} was already used {used}; nothing was written")
        self.key = key
        self.cure = cure


class DuplicateNameError(ConflictError):
    """A name that must be unique is taken."""

    def __init__(self, thing: str, name: str) -> None:
        super().__init__(f"{'an' if thing[:1] in 'aeiou' else 'a'} {thing} named {name!r} exists already")
        self.thing = thing
        self.name = name


class AlreadyScoredError(ConflictError):
    """A packet already has a scored reply with other text."""

    def __init__(self, packet_id: str) -> None:
        super().__init__(f"packet {packet_id!r} already has a scored reply")
        self.packet_id = packet_id


class SequenceTakenError(ConflictError):
    """The caller expected another end of the history."""

    def __init__(self, expected: int, actual: int) -> None:
        super().__init__(f"expected the last event to be {expected}, it is {actual}: somebody else wrote meanwhile")
        self.cure = "look at what is new, and send it again"
        self.expected = expected
        self.actual = actual


class PlaythroughHasForksError(ConflictError):
    """A playthrough that others still read through cannot be erased."""

    def __init__(self, playthrough_id: str, forks: int) -> None:
        super().__init__(f"{forks} branch{'es' if forks > 1 else ''} of {playthrough_id!r} still read its history")
        self.playthrough_id = playthrough_id
        self.forks = forks
        self.cure = "erase the branches first (`continuity playthrough list` names them)"


class StoryRuleError(LedgerError):
    """Well formed, and against the rules of the story."""


class UnknownCharacterError(StoryRuleError):
    """A speaker, listener, actor or knower that the world does not have."""

    def __init__(self, name: str, role: str, *, allowed: tuple[str, ...] = ()) -> None:
        hint = f"; the cast is {', '.join(allowed)}" if allowed else ""
        super().__init__(f"unknown {role} {name!r}{hint}")
        self.name = name
        self.role = role


class EmptyScopeError(StoryRuleError):
    """A scope that would mean 'everything' if it were let through."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is empty; it must name whom or what it is about")
        self.what = what


class OutOfOrderError(StoryRuleError):
    """An event that claims an earlier time than the story has reached."""

    def __init__(self, tick: int, now: int) -> None:
        super().__init__(f"an event at tick {tick} cannot follow tick {now}")
        self.tick = tick
        self.now = now


class ContentError(StoryRuleError):
    """An entry or event whose fields do not fit together."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why


class UndeclaredError(StoryRuleError):
    """A name used but never declared, so that it can never come true."""

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"{what} {name!r} is declared nowhere in the world, so it can never come")
        self.what = what
        self.name = name


class ProvenanceCycleError(StoryRuleError):
    """An entry that would rest on itself."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"entry {entry_id!r} would rest on itself")
        self.entry_id = entry_id


class NotRecordedError(StoryRuleError):
    """A cell for which a transcript says nothing that could be scored."""

    def __init__(self, cell: str, why: str) -> None:
        super().__init__(f"{cell}: {why}")
        self.cell = cell
        self.why = why
        self.cure = "fill it in, or write the rows anew (`continuity probe transcript-template STORY`)"


class NotAllowedError(LedgerError):
    """Who asks may not."""


class MissingKeyError(NotAllowedError):
    """No key, or one that is not known."""

    def __init__(self) -> None:
        super().__init__("this service needs a key in the Authorization header")
        self.cure = "send `Authorization: Bearer KEY`; `continuity key add NAME --role game` makes a key"


class WrongKeyError(NotAllowedError):
    """A key was sent, and it opens nothing."""

    def __init__(self, why: str = "the key in the Authorization header is not known here, or was revoked") -> None:
        super().__init__(why)
        self.cure = "`continuity key list` shows which keys are in use; `continuity key add` makes one"


class ForbiddenError(NotAllowedError):
    """A known key without the role that this needs."""

    def __init__(self, role: str, needs: str) -> None:
        super().__init__(f"role {role!r} may not do this; it needs {needs!r}")
        self.role = role
        self.needs = needs


class NotSignedInError(NotAllowedError):
    """The console is for people who have signed in, and this session is not there or over."""

    def __init__(self) -> None:
        super().__init__("you are not signed in, or your session is over")
        self.cure = "sign in; an admin makes an account under People, or by `continuity user add NAME --role writer`"


class WrongPasswordError(NotAllowedError):
    """A name and a password that do not belong together; it is not said which of them is wrong."""

    def __init__(self) -> None:
        super().__init__("no account has this name and this password")
        self.cure = "try again; an admin can set a new one (`continuity user passwd NAME`)"


class StaleFormError(NotAllowedError):
    """A form that was not made for this session by this service."""

    def __init__(self) -> None:
        super().__init__("this form is from an earlier session or another site, and nothing was done")
        self.cure = "go back, load the page anew and send the form again"


class TooOftenError(NotAllowedError):
    """The same thing too often within a short time."""

    def __init__(self, what: str, wait_s: float) -> None:
        super().__init__(f"too many {what} in a short time")
        self.cure = f"wait {max(1, round(wait_s))} s and try again"
        self.wait_s = wait_s


class ProviderError(LedgerError):
    """Somebody outside who is asked does not answer as agreed."""


class MemoryAwayError(ProviderError):
    """An outside memory system that is away, late, or answers something else."""

    cure = "`continuity schema memory` says what it is asked and what it answers"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}")
        self.name = name
        self.why = why


class StoreError(LedgerError):
    """A store is away, or not as it should be."""


class StoreUnavailableError(StoreError):
    """Postgres cannot be reached."""

    def __init__(self, why: str, *, cure: str | None = None) -> None:
        super().__init__(f"the ledger's database cannot be reached: {why}")
        self.cure = cure


class GraphUnavailableError(StoreError):
    """FalkorDB cannot be reached; what only the graph does waits until it is back."""

    def __init__(self, why: str, *, cure: str | None = None) -> None:
        super().__init__(f"the rumour graph cannot be reached: {why}")
        self.cure = cure


class NotProjectedError(GraphUnavailableError):
    """FalkorDB answers, and does not hold the whole of a playthrough yet."""

    def __init__(self) -> None:
        super().__init__("", cure="it is made anew from the record by the mirror, or by `continuity mirror rebuild`")
        self.args = ("this playthrough is not projected into the rumour graph yet",)


class GraphReplacedError(GraphUnavailableError):
    """FalkorDB answers, and somebody else makes this very graph anew, again and again."""

    def __init__(self) -> None:
        super().__init__("", cure="ask again in a moment")
        self.args = ("this playthrough's graph is being made anew by somebody else",)


class StoreSetupError(StoreError):
    """A store cannot be started here."""

    def __init__(self, why: str, *, cure: str) -> None:
        super().__init__(why)
        self.cure = cure


class StoreVersionError(StoreError):
    """A server that is too old, or a schema that is not up to date."""

    def __init__(self, why: str, *, cure: str) -> None:
        super().__init__(why)
        self.cure = cure
