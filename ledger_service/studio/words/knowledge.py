"""Steps that ask who knows what, from whom and how surely, what they think of somebody, and how promises stand."""

from typing import TYPE_CHECKING

from pytest_bdd import parsers, then

if TYPE_CHECKING:  # imported when the first scenario asks for it
    from ledger_service.domain.entries import LedgerEntry
    from ledger_service.studio.scene import Scene
    from ledger_service.studio.stage import Stage

SAID = r'"(?P<what>[^"]+)"'
NOBODY = {"nobody", "Nobody", "no one", "No one"}
STATES = "open|fulfilled|kept|broken|released|waived|lapsed"


def _knowers(entries: "tuple[LedgerEntry, ...]", stage: "Stage") -> dict[str, str]:
    """Return who knows any of some entries, with how they know the last of them."""
    ledger = stage.ledger
    found: dict[str, str] = {}
    for entry in entries:
        for person in ("player", *(c.id for c in stage.world.cast)):
            knower = ledger.knower_of(entry, person)
            if knower is not None:
                by = f" by {knower.from_whom}" if knower.from_whom else ""
                sure = entry.confidence if knower.confidence is None else knower.confidence
                how = f"{knower.how.removesuffix('_by').replace('_', ' ')}{by}"
                found[person] = f'"{entry.statement}", {how}, {sure:.2f} sure'
    return found


def _shown(known: dict[str, str]) -> str:
    return "".join(f"\n  {who}: {how}" for who, how in known.items()) or " nobody knows it"


@then(parsers.re(rf"(?P<exactly>(?:[Oo]nly|[Nn]obody but) )?(?P<whom>[^\"]+?)(?<! not) knows? {SAID}"))
def _knows(continuity_scene: "Scene", exactly: str | None, whom: str, what: str) -> None:
    """`only` and `nobody` are about the others: whether the player knows it too is asked for by name."""
    stage = continuity_scene.stage
    known = _knowers(stage.find(what), stage)
    wanted = set() if whom in NOBODY else set(stage.people(whom))
    if missing := sorted(wanted - set(known)):
        continuity_scene.fail(f'"{what}" is not known to {" and ".join(missing)}. Known to:{_shown(known)}')
    others = sorted(set(known) - wanted - {"player"}) if exactly or not wanted else []
    if others:
        continuity_scene.fail(f'"{what}" is known to {" and ".join(others)}, too. Known to:{_shown(known)}')


@then(parsers.re(rf"(?P<whom>[^\"]+?) do(?:es)? not know {SAID}"))
def _does_not_know(continuity_scene: "Scene", whom: str, what: str) -> None:
    stage = continuity_scene.stage
    known = _knowers(stage.find(what), stage)
    told = {who: how for who, how in known.items() if who in stage.people(whom)}
    if told:
        continuity_scene.fail(f'It is known: "{what}".{_shown(told)}')


@then(parsers.re(rf"(?P<whom>[^\"]+?) (?:has|have)(?P<denied> not)? heard of {SAID}"))
def _heard(continuity_scene: "Scene", whom: str, denied: str | None, what: str) -> None:
    stage = continuity_scene.stage
    known = _knowers(stage.versions(what), stage)
    for who in stage.people(whom):
        if (who in known) is (denied is not None):
            has = "has heard" if denied else "has not heard"
            continuity_scene.fail(f'{who} {has} of "{what}", in any words. Who has:{_shown(known)}')


@then(parsers.re(rf"(?P<who>[^\"]+?) has {SAID} from (?P<teller>[^\"]+)"))
def _from(continuity_scene: "Scene", who: str, what: str, teller: str) -> None:
    entry, how = _version(continuity_scene, who, what)
    knower = continuity_scene.stage.ledger.knower_of(entry, continuity_scene.stage.someone(who))
    if knower is None or knower.from_whom != continuity_scene.stage.someone(teller):
        continuity_scene.fail(f"{who} has it, but not from {teller}: {how}")


@then(parsers.re(rf'(?P<who>[^"]+?) tells {SAID} as "(?P<wording>[^"]+)"'))
def _words(continuity_scene: "Scene", who: str, what: str, wording: str) -> None:
    entry, how = _version(continuity_scene, who, what)
    if entry.statement.casefold() != wording.casefold():
        continuity_scene.fail(f"{who} has it in other words: {how}")


@then(parsers.re(rf"(?P<who>[^\"]+?) is (?P<sure>\d(?:\.\d+)?) sure of {SAID}"))
def _sure(continuity_scene: "Scene", who: str, sure: str, what: str) -> None:
    entry, how = _version(continuity_scene, who, what)
    places = len(sure.partition(".")[2])
    if f"{entry.confidence:.{places}f}" != sure:
        continuity_scene.fail(f"{who} is not {sure} sure of it: {how}")


def _version(scene: "Scene", who: str, what: str) -> "tuple[LedgerEntry, str]":
    """Return somebody's version of a story, the newest of several, and how they know it."""
    stage = scene.stage
    person = stage.someone(who)
    ledger = stage.ledger
    mine = [e for e in stage.versions(what) if ledger.knower_of(e, person) is not None]
    if not mine:
        known = _knowers(stage.versions(what), stage)
        scene.fail(f'{who} has not heard of "{what}", in any words. Who has:{_shown(known)}')
    return mine[-1], _knowers((mine[-1],), stage)[person]


@then(parsers.re(r'(?P<who>[^"]+?) thinks (?P<how>at least|at most) (?P<value>[+-]?\d(?:\.\d+)?) of (?P<about>[^"]+)'))
def _thinks(continuity_scene: "Scene", who: str, how: str, value: str, about: str) -> None:
    stage = continuity_scene.stage
    opinion = stage.opinion(stage.someone(who), about=stage.someone(about))
    if opinion.value < float(value) if how == "at least" else opinion.value > float(value):
        rests = "; ".join(f"{e.statement} ({e.contribution:+.2f})" for e in opinion.evidence) or "no story"
        continuity_scene.fail(f"{who} thinks {opinion.value:+.2f} of {about}, by: {rests}")


@then(parsers.re(rf"the promise {SAID} is (?P<state>{STATES})"))
def _stands(continuity_scene: "Scene", what: str, state: str) -> None:
    stage = continuity_scene.stage
    promise = stage.find_promise(what)
    status = stage.ledger.status_of(promise)
    if status != {"kept": "fulfilled", "waived": "released"}.get(state, state):
        continuity_scene.fail(f'the promise "{promise.statement}" is {status}')
