"""Steps that put a question, and ask what the packet holds, withholds, flags and refuses."""

from typing import TYPE_CHECKING

from pytest_bdd import given, parsers, then, when

if TYPE_CHECKING:  # imported when the first scenario asks for it
    from ledger_service.domain.packets import Consequence, Withheld
    from ledger_service.studio.scene import Scene

SAID = r'"(?P<what>[^"]+)"'
TO = r"(?: (?:to )?(?P<speaker>[^\"]+?))?"


@given(parsers.re(rf'(?P<asker>[^"]+?) (?P<verb>says|asks|claims){TO} "(?P<line>.+)"'))
@when(parsers.re(rf'(?P<asker>[^"]+?) (?P<verb>says|asks|claims){TO} "(?P<line>.+)"'))
def _ask(continuity_scene: "Scene", asker: str, verb: str, speaker: str | None, line: str) -> None:
    stage = continuity_scene.stage
    who = stage.someone(asker)
    if speaker:
        continuity_scene.talk(who, stage.someone(speaker))
    continuity_scene.asker = who
    continuity_scene.ask(line, posted=verb == "claims")


@then(parsers.re(rf"the packet holds {SAID}(?: as (?P<quality>[^\"]+))?"))
def _holds(continuity_scene: "Scene", what: str, quality: str | None) -> None:
    from ledger_service.studio.showing import qualities  # noqa: PLC0415  (loaded by now)

    wanted = {e.entry_id for e in continuity_scene.stage.find(what)}
    found = [s for s in continuity_scene.packet.selected if s.entry_id in wanted]
    if not found:
        continuity_scene.fail(f"It does not hold it. {_why_not(continuity_scene, wanted)}")
    if quality and not any(quality in qualities(s) for s in found):
        shown = "; ".join(f"{s.statement}: {', '.join(qualities(s))}" for s in found)
        continuity_scene.fail(f"It holds it, but not as {quality}. {shown}")


@then("the packet holds:")
def _holds_all(continuity_scene: "Scene", datatable: list[list[str]]) -> None:
    for row in datatable:
        _holds(continuity_scene, row[0].strip('"'), row[1] if len(row) > 1 else None)


def _why_not(scene: "Scene", wanted: set[str]) -> str:
    """Say of each entry what became of it instead."""
    said = [f"{a.statement}: acted on and never said ({a.why})" for a in scene.packet.act_only if a.entry_id in wanted]
    said += [_held(w, scene) for w in scene.asked.review.withheld if w.entry_id in wanted]
    return "; ".join(said) or "It was written after that packet."


def _held(held: "Withheld", scene: "Scene") -> str:
    detail = f", {held.detail}" if held.detail else ""
    return f"{scene.statement(held.entry_id)}: withheld as {held.reason}{detail}"


@then(parsers.re(rf"the packet does not hold {SAID}"))
def _does_not_hold(continuity_scene: "Scene", what: str) -> None:
    wanted = {e.entry_id for e in continuity_scene.stage.find(what)}
    found = [s.statement for s in continuity_scene.packet.selected if s.entry_id in wanted]
    if found:
        continuity_scene.fail(f"It holds: {'; '.join(found)}")


@then(parsers.re(rf"the packet withholds {SAID}(?: (?:as|because) (?P<reason>[^\"]+))?"))
def _withholds(continuity_scene: "Scene", what: str, reason: str | None) -> None:
    from ledger_service.domain.packets import Reason  # noqa: PLC0415

    wanted = {e.entry_id for e in continuity_scene.stage.find(what)}
    held = [w for w in continuity_scene.asked.review.withheld if w.entry_id in wanted]
    said = (reason or "").strip().replace(" ", "_")
    if said and said not in set(Reason):
        continuity_scene.fail(f"{reason!r} is no reason; there are: {', '.join(r.replace('_', ' ') for r in Reason)}")
    inside = [s.statement for s in continuity_scene.packet.selected if s.entry_id in wanted]
    if inside:
        continuity_scene.fail(f"It holds: {'; '.join(inside)}")
    if not held or (said and said not in {w.reason for w in held}):
        continuity_scene.fail(
            f"It is not withheld{f' as {said}' if said else ''}. {_why_not(continuity_scene, wanted)}"
        )


@then(parsers.re(rf"(?P<who>[^\"]+?) acts on {SAID} without saying it"))
def _acts(continuity_scene: "Scene", who: str, what: str) -> None:
    speaker = continuity_scene.stage.someone(who)
    if speaker != continuity_scene.packet.speaker:
        continuity_scene.fail(f"It is {continuity_scene.packet.speaker} who speaks, not {who}.")
    wanted = {e.entry_id for e in continuity_scene.stage.find(what)}
    if not any(a.entry_id in wanted for a in continuity_scene.packet.act_only):
        inside = [f"{s.statement}: may be said" for s in continuity_scene.packet.selected if s.entry_id in wanted]
        continuity_scene.fail(f"{who} does not: {'; '.join(inside) or _why_not(continuity_scene, wanted)}")


@then(parsers.re(r'the packet flags "(?P<kind>[^"]+)"(?: about "(?P<topic>[^"]+)")?'))
def _flags(continuity_scene: "Scene", kind: str, topic: str | None) -> None:
    said = _flag(kind, continuity_scene)
    if not any(
        f.kind == said and (topic or "").casefold() in f.topic.casefold() for f in continuity_scene.packet.flags
    ):
        continuity_scene.fail(f"It does not{f' about {topic!r}' if topic else ''}. {_flags_there(continuity_scene)}")


@then(parsers.re(r'the packet does not flag "(?P<kind>[^"]+)"'))
def _does_not_flag(continuity_scene: "Scene", kind: str) -> None:
    said = _flag(kind, continuity_scene)
    if any(f.kind == said for f in continuity_scene.packet.flags):
        continuity_scene.fail(f"It does. {_flags_there(continuity_scene)}")


@then("the packet flags nothing")
def _flags_nothing(continuity_scene: "Scene") -> None:
    if continuity_scene.packet.flags:
        continuity_scene.fail(_flags_there(continuity_scene))


def _flag(kind: str, scene: "Scene") -> str:
    from ledger_service.domain.packets import FlagKind  # noqa: PLC0415

    said = kind.strip().replace(" ", "_")
    if said not in set(FlagKind):
        scene.fail(f"{kind!r} is no flag; there are: {', '.join(f.replace('_', ' ') for f in FlagKind)}")
    return said


def _flags_there(scene: "Scene") -> str:
    return f"It flags: {'; '.join(f'{f.kind} about {f.topic}' for f in scene.packet.flags) or 'nothing'}."


@then(parsers.re(r'the rules? (?P<outcome>grants?|refuses?) "(?P<action>[^"]+)"(?: because "(?P<why>[^"]+)")?'))
def _rule(continuity_scene: "Scene", outcome: str, action: str, why: str | None) -> None:
    found = consequence(continuity_scene, action)
    wanted = "granted" if outcome.startswith("grant") else "refused"
    if found.outcome != wanted:
        continuity_scene.fail(f"{found.action} is {found.outcome}: {found.because}")
    if why and why.casefold() not in f"{found.because} {found.would_change}".casefold():
        continuity_scene.fail(f"{found.action} is {found.outcome} for another reason: {found.because}")


def consequence(scene: "Scene", action: str) -> "Consequence":
    """Return what follows for an action, by its id, its name or a word that asks for it."""
    said = action.casefold()
    there = scene.asked.world.actions
    known = [a.id for a in there if said in {w.casefold() for w in (a.id, a.name, *a.words)}]
    if not known:
        scene.fail(f"{action!r} is no action of this world; there are: {', '.join(a.id for a in there) or 'none'}")
    found = next((c for c in scene.packet.consequences if c.action in known), None)
    if found is None:
        scene.fail(f"No rule of this packet is about {action!r}.")
    return found
