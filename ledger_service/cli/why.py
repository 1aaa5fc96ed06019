"""`continuity why`: the chain behind a belief."""

from pathlib import Path

import click

from ledger_service.bootstrap import Application, draw_comic
from ledger_service.cli import show
from ledger_service.cli.mirror import project
from ledger_service.cli.run import (
    console,
    emit,
    in_application,
    json_option,
    write_whole,
)
from ledger_service.domain.errors import NoBeliefError
from ledger_service.ports import EntryFilter
from ledger_service.services.gossip.explain_belief import Explanation, Question, answer_why


@click.command()
@click.argument("playthrough_id")
@click.argument("entry", required=False)
@click.option("--holder", help="Whose belief: the strongest they have, where no entry is named.")
@click.option("--about", help="Only beliefs about this person or thing.")
@click.option("--origin", help="Only beliefs that go back to this entry.")
@click.option("--as", "as_character", help="Answer as this character may: only their own teller is named.")
@click.option("--graph", "from_graph", is_flag=True, help="Ask the graph instead of the record.")
@click.option("--comic", type=click.Path(dir_okay=False, path_type=Path), help="Draw it as a comic strip (SVG) here.")
@json_option
def why(
    playthrough_id: str, entry: str | None, holder: str | None, about: str | None, origin: str | None,
    as_character: str | None, from_graph: bool, comic: Path | None, as_json: bool,
) -> None:  # fmt: skip
    r"""Tell why somebody believes something, hop by hop, back to who saw it.

    Without an entry: the strongest belief of --holder (or of --as); without either: the newest hearsay.

    \b
    Examples:
      continuity why p12ab --holder ilsa --about player --comic why.svg
      continuity why p12ab e0f3... --as maelin
    """

    async def use(app: Application) -> Explanation:
        if from_graph:
            await project(playthrough_id, app)
        asked = any(given is not None for given in (entry, holder, about, origin, as_character))
        name = entry if asked else await _newest_hearsay(app, playthrough_id)
        question = Question(
            entry_id=name, holder=holder, about=about, origin=origin, as_character=as_character, is_asked_now=True
        )
        return await answer_why(
            playthrough_id, question, open_uow=app.open_uow, graph=app.graph if from_graph else None
        )

    found = in_application(use, graph=from_graph)
    if comic is not None:
        write_whole(comic, draw_comic(found.chain, found.naming).encode())
    if as_json:
        emit(found.chain)
        return
    console.print(show.chain(found.chain, found.naming))
    if comic is not None:
        console.print(f"the comic strip is in {comic}", soft_wrap=True, markup=False)


async def _newest_hearsay(app: Application, playthrough_id: str) -> str:
    async with app.open_uow(playthrough_id) as uow:
        page = await uow.ledger.page(EntryFilter(kind="hearsay"), limit=1)
    if not page.entries:
        raise NoBeliefError("nobody was told anything here yet, so there is no newest hearsay")
    return page.entries[0].entry_id
