"""What a character thinks of somebody, and which stories that rests on."""

import click

from ledger_service.bootstrap import Application
from ledger_service.cli.run import console, emit, in_application, json_option, printable
from ledger_service.domain.ids import PLAYER
from ledger_service.rumours.opinion import in_words
from ledger_service.services.gossip.explain_opinion import explain_opinion, view_of


@click.command()
@click.argument("playthrough_id")
@click.argument("who")
@click.option("--about", default=PLAYER, show_default=True, help="Of whom.")
@json_option
def opinion(playthrough_id: str, who: str, about: str, as_json: bool) -> None:
    r"""Say what a character thinks of the player, from -1 to 1, and why.

    \b
    Examples:
      continuity opinion P ilsa
      continuity opinion P bertha --about tomas --json
    """

    async def use(app: Application) -> None:
        found = await explain_opinion(playthrough_id, who, open_uow=app.open_uow, about=about)
        if as_json:
            emit(view_of(found))
            return
        stories = {s.entry_id: s for s in found.stories}
        for number, line in enumerate(in_words(found.opinion, stories, naming=found.naming)):
            console.print(printable(line if number == 0 else f"  {line}"), soft_wrap=True)

    in_application(use, graph=False)
