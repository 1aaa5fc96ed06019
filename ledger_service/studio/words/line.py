"""Steps about the line that is said: what it says, what it must not mention, what it grants, and its five verdicts."""

from typing import TYPE_CHECKING

from pytest_bdd import given, parsers, then, when

from ledger_service.studio.words.packet import consequence

if TYPE_CHECKING:  # imported when the first scenario asks for it
    from ledger_service.studio.scene import Scene

AXES = "ledger validity|selection validity|response validity|voice continuity|gameplay validity"
STATES = {"holds": "pass", "passes": "pass", "fails": "fail", "is masked": "masked", "is unscored": "unscored"}


@given(parsers.re(r'(?P<who>[^"]+?) answers "(?P<text>.+)"'))
@when(parsers.re(r'(?P<who>[^"]+?) answers "(?P<text>.+)"'))
def _answer(continuity_scene: "Scene", who: str, text: str) -> None:
    if continuity_scene.stage.someone(who) != continuity_scene.packet.speaker:
        continuity_scene.fail(f"It is {continuity_scene.packet.speaker} who was asked, not {who}.")
    continuity_scene.answer(text)


@given("the line is delivered")
@when("the line is delivered")
def _deliver(continuity_scene: "Scene") -> None:
    continuity_scene.deliver()


def _plain(text: str) -> str:
    """Return a text as it is compared: in small letters, with plain quotes and single spaces.

    >>> _plain("Don’t  SHOUT.")
    "don't shout."
    """
    return " ".join(text.casefold().translate({0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"'}).split())


@then(parsers.re(r'the line says "(?P<what>[^"]+)"'))
def _says(continuity_scene: "Scene", what: str) -> None:
    if _plain(what) not in _plain(continuity_scene.reply.text):
        continuity_scene.fail("It does not say so.")


@then(parsers.re(r'the line does not (?:mention|say) "(?P<what>[^"]+)"'))
def _does_not_mention(continuity_scene: "Scene", what: str) -> None:
    from ledger_service.domain.terms import content_terms  # noqa: PLC0415  (loaded by now)

    said = continuity_scene.reply.text
    terms = set(content_terms(what))
    if _plain(what) in _plain(said) or (terms and terms <= set(content_terms(said))):
        continuity_scene.fail("It mentions it.")


@then(parsers.re(r'the line (?P<outcome>refuses|grants)(?: "(?P<action>[^"]+)")?'))
def _outcome(continuity_scene: "Scene", outcome: str, action: str | None) -> None:
    from ledger_service.domain.replies import Stance  # noqa: PLC0415

    if action and not consequence(continuity_scene, action).asked:
        continuity_scene.fail(f"Nobody asked for {action!r}.")
    claims = continuity_scene.stage.claims(continuity_scene.asked, continuity_scene.reply)
    granted = any(c.stance is Stance.GRANT for c in claims)
    refused = not granted and any(c.stance is Stance.REFUSE or c.says("withholds") for c in claims)
    if not (refused if outcome == "refuses" else granted):
        said = "grants" if granted else "refuses" if refused else "neither grants nor refuses"
        continuity_scene.fail(f"The line {said}{'' if granted or refused else ' anything'}.")


@then("all five verdicts hold")
def _all_hold(continuity_scene: "Scene") -> None:
    if not continuity_scene.card.passed:
        continuity_scene.fail(f"{continuity_scene.card.fault} is at fault.")


@then(parsers.re(rf"(?P<axis>{AXES}) (?P<state>{'|'.join(STATES)})"))
def _axis(continuity_scene: "Scene", axis: str, state: str) -> None:
    verdict = next(v for v in continuity_scene.card.verdicts if v.axis == axis.replace(" ", "_"))
    if verdict.state != STATES[state]:
        continuity_scene.fail(f"{axis} comes to {verdict.state}{f': {verdict.why}' if verdict.why else ''}.")


@then(parsers.re(r'the fault is (?P<fault>[^"]+?)(?:, with "(?P<code>[^"]+)")?'))
def _fault(continuity_scene: "Scene", fault: str, code: str | None) -> None:
    card = continuity_scene.card
    if card.fault != fault.replace(" ", "_"):
        continuity_scene.fail(f"The fault is {card.fault}.")
    found = {str(f.code) for v in card.verdicts for f in v.findings}
    if code and code.replace(" ", "_") not in found:
        continuity_scene.fail(f"It is, but without {code}: found {', '.join(sorted(found)) or 'nothing'}.")
