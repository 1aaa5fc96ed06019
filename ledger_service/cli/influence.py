"""Commands about influence: who is believed, which way a story takes, and how to make one reach somebody."""

from collections.abc import Iterable

import click
from rich.markup import escape

from ledger_service.bootstrap import Application, rehearse
from ledger_service.cli import show
from ledger_service.cli.mirror import project
from ledger_service.cli.run import console, emit, in_application, json_option, printable
from ledger_service.rumours.influence import Ranked
from ledger_service.rumours.spymaster import Story
from ledger_service.services.influence.advise_spymaster import Advice, advise_spymaster
from ledger_service.services.influence.read_influence import Influence, RouteFound, find_route, read_influence


@click.command("influence")
@click.argument("playthrough_id")
@click.option("--route", nargs=2, metavar="TELLER LISTENER", help="Only the most trusted way of a story between two.")
@click.option("--store", type=click.Choice(["record", "graph"]), default="record", help="Where a route is looked for.")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="How many of each list to show.")
@json_option
def influence(playthrough_id: str, route: tuple[str, str] | None, store: str, top: int, as_json: bool) -> None:
    r"""Show who is most believed, who keeps to whom, and through whom stories pass.

    \b
    Examples:
      continuity influence P
      continuity influence P --route tomas ilsa
      continuity influence P --route tomas ilsa --store graph --json
    """

    async def use(app: Application) -> Influence | RouteFound:
        if route is None:
            found = await read_influence(playthrough_id, open_uow=app.open_uow, graph=app.graph)
            if found.brokers_exact or found.brokers:
                return found
            await project(playthrough_id, app)
            return await read_influence(playthrough_id, open_uow=app.open_uow, graph=app.graph)
        if store == "record":
            return await find_route(playthrough_id, *route, open_uow=app.open_uow)
        await project(playthrough_id, app)
        return await find_route(playthrough_id, *route, open_uow=app.open_uow, graph=app.graph)

    found = in_application(use)
    if as_json:
        emit(found)
    elif isinstance(found, RouteFound):
        console.print(_route(found), soft_wrap=True)
    else:
        for line in _influence(found, top):
            console.print(line, soft_wrap=True)


def _route(found: RouteFound) -> str:
    first, *rest = found.route.people
    way = first + "".join(f" →{t:.2f}→ {w}" for w, t in zip(rest, found.route.trusts, strict=True))
    silent = f" (now silent: {', '.join(found.silent)})" if found.silent else ""
    return f"{way}: of a confidence of 1.00, {found.route.carried:.2f} arrives, by the {found.store}{silent}"


def _influence(found: Influence, top: int) -> Iterable[object]:
    yield show.rows("Most believed", ("who", "share"), _ranked(found.believed, top, "{:.3f}"))
    cliques = ((str(len(c)), ", ".join(c)) for c in found.cliques[:top])
    yield show.rows(f"Held together by trust of {found.strong_trust:.2f} or more", ("people", "who"), cliques)
    if found.brokers:
        ways = "ways through them" if found.brokers_exact else "ways through them, estimated"
        yield show.rows("Brokers", ("who", ways), _ranked(found.brokers, top, "{:.1f}"))
    if found.note:
        yield f"[dim]{escape(found.note)}[/]"
    if found.silent:
        yield f"[dim]silent now: {', '.join(found.silent)}[/]"


def _ranked(people: Iterable[Ranked], top: int, shape: str) -> Iterable[tuple[str, str]]:
    return ((r.who, shape.format(r.score)) for r in tuple(people)[:top])


@click.command("spymaster")
@click.argument("playthrough_id")
@click.option("--target", required=True, help="Whom the story is to reach.")
@click.option("--say", help="What is done or whispered; default is the mildest praise that the world has.")
@click.option("--ladder", help="The ladder that retellings of it climb.")
@json_option
def spymaster(playthrough_id: str, target: str, say: str | None, ladder: str | None, as_json: bool) -> None:
    r"""Say where to be seen doing good, or whom to whisper to, so that somebody comes to believe it.

    \b
    Plans are rehearsed on a copy; done from here on, with nothing else in between, they come out as promised.

    Examples:
      continuity spymaster P --target ilsa
      continuity spymaster P --target ilsa --say "the player saved the harvest"
      continuity spymaster P --target ilsa --json | jq .plans[0].event
    """
    story = None if say is None else Story(statement=say, ladder=ladder)

    async def use(app: Application) -> Advice:
        return await advise_spymaster(playthrough_id, target, open_uow=app.open_uow, rehearse=rehearse, story=story)

    found = in_application(use, graph=False)
    if as_json:
        emit(found)
        return
    console.print(printable(found.summary), soft_wrap=True)
    for number, plan in enumerate(found.plans, start=1):
        console.print(f"[bold]{number}.[/] {printable(plan.sentence)}", soft_wrap=True)
        wait = f"let {plan.wait_hours} hours go by, " if plan.wait_hours else ""
        console.print(f"   [dim]{wait}do it, let {plan.then_hours} go by[/]")
