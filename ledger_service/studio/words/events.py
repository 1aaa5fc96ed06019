"""Steps that tell what happens: deeds, moves, tellings, promises, game state, and any event written as in a history."""

from typing import TYPE_CHECKING

from pytest_bdd import given, parsers, step, when

if TYPE_CHECKING:  # imported when the first scenario asks for it
    from ledger_service.studio.scene import Scene
    from ledger_service.studio.stage import Stage

SAID = r'"(?P<what>[^"]+)"'
KEPT = r"(?P<how>kept|fulfilled|broken|released|waived)"


def _ladder_of(what: str, stage: "Stage") -> str | None:
    """Return the ladder whose story this is, so that it grows as it is told."""
    said = what.casefold()
    return next((ladder.id for ladder in stage.world.ladders if said in (r.casefold() for r in ladder.rungs)), None)


def _doer_of(what: str, stage: "Stage") -> str:
    """Return who does what a statement says: whom it begins with, else the player."""
    first = what.split(maxsplit=1)[0].casefold()
    return next((c.id for c in stage.world.cast if first in {c.id, c.name.split()[0].casefold()}), "player")


@step(parsers.re(rf"(?P<whom>[^\"]+?) sees? {SAID}"))
def _see(continuity_scene: "Scene", whom: str, what: str) -> None:
    from ledger_service.domain.events import Deed  # noqa: PLC0415  (loaded by now)

    stage = continuity_scene.stage
    alone = whom.removeprefix("only ").removeprefix("Only ")
    ladder = _ladder_of(what, stage)
    stage.tell(Deed(actor=_doer_of(what, stage), statement=what, witnesses=stage.people(alone), ladder=ladder))


@step(parsers.re(rf"(?P<who>[^\"]+?) does {SAID}(?: at (?P<place>[^\"]+))?"))
def _do(continuity_scene: "Scene", who: str, what: str, place: str | None) -> None:
    from ledger_service.domain.events import Deed  # noqa: PLC0415

    stage = continuity_scene.stage
    where = None if place is None else _place_of(place, stage)
    stage.tell(Deed(actor=stage.someone(who), statement=what, place=where, ladder=_ladder_of(what, stage)))


@step(parsers.re(r'(?P<who>[^"]+?) goes to (?P<place>[^"]+)'))
def _go(continuity_scene: "Scene", who: str, place: str) -> None:
    from ledger_service.domain.events import Moved  # noqa: PLC0415

    stage = continuity_scene.stage
    stage.tell(Moved(who=stage.someone(who), to=_place_of(place, stage)))


def _place_of(name: str, stage: "Stage") -> str:
    from ledger_service.domain.errors import ContentError  # noqa: PLC0415

    said = name.casefold().removeprefix("the ").strip('"')
    for place in stage.world.places:
        if said in {n.casefold().removeprefix("the ") for n in (place.id, place.name, *place.aliases)}:
            return place.id
    raise ContentError("place", f"{name!r} is no place of this world ({', '.join(p.id for p in stage.world.places)})")


@step(parsers.re(rf"(?P<teller>[^\"]+?) tells (?P<listener>[^\"]+?) {SAID}"))
def _tell(continuity_scene: "Scene", teller: str, listener: str, what: str) -> None:
    from ledger_service.domain.errors import ContentError  # noqa: PLC0415
    from ledger_service.domain.events import Told  # noqa: PLC0415

    stage = continuity_scene.stage
    who, whom = stage.someone(teller), stage.someone(listener)
    try:
        ledger = stage.ledger
        held = [e for e in stage.versions(what) if ledger.knower_of(e, who) is not None]
    except ContentError:
        held = []  # nobody has said so yet, and this is the first that is heard of it
    passed_on = {"entry_id": held[-1].entry_id, "statement": held[-1].statement} if held else {"statement": what}
    ladder = None if held else _ladder_of(what, stage)
    stage.tell(Told(teller=who, listener=whom, ladder=ladder, **passed_on))  # type: ignore[arg-type]


@step(parsers.re(rf'(?P<owner>[^"]+?) promises (?P<to>[^"]+?) {SAID}(?: as "(?P<name>[^"]+)")?'))
def _promise(continuity_scene: "Scene", owner: str, to: str, what: str, name: str | None) -> None:
    from ledger_service.domain.events import CommitmentMade  # noqa: PLC0415

    stage = continuity_scene.stage
    owes, owed = stage.someone(owner), stage.someone(to)
    stage.tell(CommitmentMade(owner=owes, to=owed, statement=what, name=name, witnesses=(owes, owed)))


@given(parsers.re(rf"the promise {SAID} is {KEPT}"))
@when(parsers.re(rf"the promise {SAID} is {KEPT}"))
def _settle(continuity_scene: "Scene", what: str, how: str) -> None:
    from ledger_service.domain import events  # noqa: PLC0415

    stage = continuity_scene.stage
    promise = stage.find_promise(what).entry_id
    match how:
        case "kept" | "fulfilled":
            stage.tell(events.CommitmentFulfilled(commitment=promise))
        case "broken":
            stage.tell(events.CommitmentBroken(commitment=promise))
        case _:
            stage.tell(events.CommitmentReleased(commitment=promise))


@step(parsers.re(r'the event "(?P<name>[^"]+)" happens(?: before (?P<whom>[^"]+))?'))
def _happen(continuity_scene: "Scene", name: str, whom: str | None) -> None:
    from ledger_service.domain.events import Happened  # noqa: PLC0415

    stage = continuity_scene.stage
    stage.tell(Happened(name=name, witnesses=stage.people(whom) if whom else None))


@step(parsers.re(r'the state "(?P<key>[^"]+)" becomes (?P<value>.+)'))
def _state(continuity_scene: "Scene", key: str, value: str) -> None:
    from ledger_service.domain.events import StateSet  # noqa: PLC0415

    continuity_scene.stage.tell(StateSet(state_key=key, value=_plain(value)))


def _plain(text: str) -> str | int | float | bool:
    """Return the value that a word says.

    >>> [_plain(t) for t in ("true", "False", "3", "0.5", '"on"', "off")]
    [True, False, 3, 0.5, 'on', 'off']
    """
    if text.casefold() in {"true", "false"}:
        return text.casefold() == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text.strip('"')


@step("these events happen:")
def _events(continuity_scene: "Scene", docstring: str) -> None:
    continuity_scene.stage.play(docstring, file="the events of this step")
