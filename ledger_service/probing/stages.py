"""What is expected of each stage, held against the names that a world has."""

from collections.abc import Iterator

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Expectation, Pressure
from ledger_service.domain.worlds import World
from ledger_service.probing.recipes import held, is_label
from ledger_service.probing.references import people_of, unknown
from ledger_service.probing.source import Source

Problems = Iterator[StoryFileError]


def labels_in(expect: Expectation) -> Iterator[tuple[str, str]]:
    """Yield every label that an expectation names, with the place below it."""
    for field in ("must_include", "must_exclude", "act_only"):
        for i, name in enumerate(getattr(expect, field)):
            yield f"{field}[{i}]", name
    for name in expect.ledger:
        yield f"ledger.{name}", name
    for stance, claims in held(expect.reply):
        for i, claim in enumerate(claims):
            if is_label(claim):
                yield f"reply.{stance}[{i}]", claim


def expectations_of(pressure: Pressure, path: str) -> Iterator[tuple[str, Expectation]]:
    """Yield what a row expects, with its place in the file."""
    yield f"{path}.expect", pressure.expect
    for name, expect in pressure.expect_at.items():
        yield f"{path}.expect_at.{name}", expect


def problems_of_stages(pressure: Pressure, path: str, source: Source, *, world: World | None) -> Problems:
    """Yield what no line, no ledger and no rule could come to, and the names that lead nowhere."""
    for where, expect in expectations_of(pressure, path):
        yield from _at_odds(expect, where, source)
        if world is not None:
            yield from _names(expect, where, source, world)


def _at_odds(expect: Expectation, where: str, source: Source) -> Problems:
    for name in set(expect.act_only) & {*expect.must_include, *expect.must_exclude}:
        yield source.error(f"{where}.act_only", f"`{name}` cannot be acted on only and be in the packet, or out of it")
    for name in set(expect.reply.affirm) & {*expect.reply.deny, *expect.reply.unknown, *expect.reply.disown}:
        yield source.error(f"{where}.reply.affirm", f"`{name}` cannot be affirmed and be denied, or be unknown")
    for text in set(expect.voice.says) & set(expect.voice.never_says):
        yield source.error(f"{where}.voice.never_says", f"`{text}` cannot be said and never be said")
    least, most = expect.voice.least_words, expect.voice.most_words
    if most and least > most:
        yield source.error(f"{where}.voice.least_words", f"is above most_words, {most}")


def _names(expect: Expectation, where: str, source: Source, world: World) -> Problems:
    people, actions = people_of(world), {a.id for a in world.actions}
    for action in expect.gameplay:
        yield from unknown(source, f"{where}.gameplay.{action}", "action", named=(action,), known=actions)
    for name, want in expect.ledger.items():
        owner = () if want.owner is None else (want.owner,)
        for field, named in (("owner", owner), ("known_to", want.known_to), ("unknown_to", want.unknown_to)):
            yield from unknown(source, f"{where}.ledger.{name}.{field}", "character", named=named, known=people)
        for who in set(want.known_to) & set(want.unknown_to):
            yield source.error(f"{where}.ledger.{name}.unknown_to", f"`{who}` cannot both know it and not know it")
