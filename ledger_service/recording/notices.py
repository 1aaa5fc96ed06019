"""Notices: who passes them, what they leave with whoever reads them, how they go up and come down."""

from collections.abc import Iterable

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Channel, LedgerEntry, Observation, SourceKind, Status
from ledger_service.domain.ids import ENGINE, PLAYER, CharacterId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.story_time import HOURS_A_DAY
from ledger_service.domain.worlds import Character, Notice, World
from ledger_service.recording.facts import amend
from ledger_service.recording.scribe import Scribe


def passers(place: str, before: StoryState, after: StoryState, world: World) -> tuple[CharacterId, ...]:
    """Return who comes to be at a place while the story goes from one state to the next, by id.

    In each hour that goes by, people are where the last `moved` put them, else where their schedule says; who is moved
    there passes too. Nobody does while no time goes by and nobody moves.
    """
    hours = range(max(before.at.tick + 1, after.at.tick - HOURS_A_DAY + 1), after.at.tick + 1)
    return tuple(c.id for c in _possibly_at(place, after, world) if _passes(c, place, hours, before, after))


def _possibly_at(place: str, state: StoryState, world: World) -> Iterable[Character]:
    """Return those whose schedule or home takes them to the place's region, and those who were moved to the place."""
    found = {c.id: c for c in world.frequenters.get(world.region_of(place), ())}
    moved = (who for who, where in state.places.items() if where == place)
    player = world.find_character(PLAYER)
    for someone in (*(world.people.get(who) for who in moved), player):
        if someone is not None:
            found[someone.id] = someone
    return sorted(found.values(), key=lambda c: c.id)


def _passes(someone: Character, place: str, hours: range, before: StoryState, after: StoryState) -> bool:
    if not someone.can_testify or not after.is_awake(someone.id):
        return False
    moved_to = after.places.get(someone.id)
    if moved_to is not None:
        return moved_to == place and (len(hours) > 0 or before.places.get(someone.id) != place)
    return any(someone.place_at(hour) == place for hour in hours)


def words_of(notice: Notice, world: World) -> str:
    """Return what a notice says."""
    ladder = world.find_ladder(notice.ladder)
    return notice.text or (ladder.wording(notice.rung) if ladder is not None else "")


def read_by(
    readers: Iterable[CharacterId], notice: Notice, hung: Observation, scribe: Scribe
) -> tuple[LedgerEntry, ...]:
    """Return what each reader has of a notice: a copy of their own, which goes back to its being put up."""
    return tuple(
        scribe.write(
            Observation,
            copy_of=reader,
            statement=words_of(notice, scribe.world),
            source=scribe.source(SourceKind.DOCUMENT, notice.id, channel=Channel.DOCUMENT),
            knowers=scribe.knowers((reader,), SourceKind.DOCUMENT),
            subject=scribe.world.subject_of(notice.subject, notice.ladder),
            ladder=notice.ladder,
            place=notice.place,
            origin=hung.entry_id,
        )
        for reader in readers
    )


def put_up(notice: Notice, scribe: Scribe) -> LedgerEntry:
    """Return that a notice hangs: known to who put it up, or to nobody in the story; it bears on no opinion."""
    author = scribe.world.find_character(notice.by) if notice.by is not None else None
    where = next((p.name for p in scribe.world.places if p.id == notice.place), notice.place)
    words = words_of(notice, scribe.world)
    source = SourceKind.ENGINE if author is None else SourceKind.SELF
    return scribe.write(
        Observation,
        copy_of=notice.by or "",
        statement=f"a notice went up at {where}: {words}" if author is None else (
            f"{author.name} put up a notice at {where}: {words}"
        ),
        source=scribe.source(source, notice.by, channel=Channel.DOCUMENT),
        knowers=scribe.knowers((notice.by or ENGINE,), source),
        subject=scribe.world.subject_of(notice.subject, notice.ladder),
        place=notice.place,
        notice=notice.id,
    )  # fmt: skip


def taken_down(hung: Observation, scribe: Scribe) -> Amendment:
    """Say that a notice hangs no more."""
    return amend(hung, Status.ENDED, scribe, reason="the notice was taken down")
