"""`continuity demo`: the main job on one story, from an empty home to a scored line, two heat maps and a page."""

from collections import Counter
from typing import Any

import click
from msgspec import Struct
from rich.progress import Progress
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ledger_service.bootstrap import Application, Worked, load_story, reports_folder, write_page
from ledger_service.cli import show
from ledger_service.cli.run import console, emit, in_application, json_option, printable
from ledger_service.domain.probes import Matrix, ProbeRun, ResultState
from ledger_service.probing.matrix import expand
from ledger_service.probing.tally import tally
from ledger_service.rumours.provenance import in_words
from ledger_service.services.events.play_story import play_history
from ledger_service.services.gossip import mirror_rumours
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.packets.review_packet import review_packet
from ledger_service.services.playthroughs import open_playthrough
from ledger_service.services.probes.run_probes import Ground, run_matrix
from ledger_service.services.replies.score_reply import score_reply
from ledger_service.services.replies.speak import speak

STORY = "maelin"
ASKED = "Let me use the restricted transmitter."
WHY = "antenna"


class Shown(Struct, frozen=True, kw_only=True):
    """What the demo came to."""

    playthrough_id: str
    worked: Worked
    matrix: Matrix
    runs: tuple[ProbeRun, ...]
    page: str
    graph: str


@click.command()
@json_option
def demo(as_json: bool) -> None:
    """Do the main job on the story of Maelin Voss, and show it.

    Starts the stores, plays the story, asks for the restricted transmitter, prints the packet, the line, its scorecard
    and where one belief comes from; then asks a small matrix of an honest and of a deliberately faulty speaker.

    Example: continuity demo --json | jq .tallies.template.counts
    """
    shown = in_application(_demo(quiet=as_json))
    if as_json:
        tallies = {run.subject: tally(run) for run in shown.runs}
        emit({"playthrough_id": shown.playthrough_id, "worked": shown.worked, "tallies": tallies, "page": shown.page})
    else:
        _print(shown)
    honest = tally(shown.runs[0])
    raise SystemExit(0 if honest.passed and shown.worked.scorecard.passed else 1)


def _demo(*, quiet: bool) -> Any:  # noqa: ANN401
    story = load_story(STORY, matrix="demo.yaml")
    world, history, matrix = story.world, story.history, story.matrix

    async def use(app: Application) -> Shown:
        await open_playthrough.add_world(world, open_uow=app.open_uow)
        opened = await open_playthrough.open_playthrough(STORY, open_uow=app.open_uow)
        mine = opened.playthrough_id
        embedder = app.reading.embedder
        labels = await play_history(mine, history, open_uow=app.open_uow, embedder=embedder)
        worked = await _worked(app, mine, labels[WHY][0])
        graph = await _graph(app, mine)
        ground = Ground(playthrough_id=mine, history=history, labels=labels)
        faulty = {line: p.faulty for p in matrix.pressures for line in (p.anchor, *p.paraphrases)}
        runs = []
        with Progress(console=console, transient=True, disable=quiet) as progress:
            task = progress.add_task("asking", total=2 * len(expand(matrix)))
            for speaker in (app.responder("template"), app.responder("scripted", faulty)):
                run = await run_matrix(
                    matrix, ground, speaker, open_uow=app.open_uow, reading=app.reading, judging=app.judging,
                    progress=lambda _: progress.advance(task),
                )  # fmt: skip
                runs.append(run)
        await _erase_branches(app, runs)
        page = write_page(reports_folder(app.settings), f"demo-{STORY}", matrix=matrix, runs=runs, worked=worked)
        return Shown(playthrough_id=mine, worked=worked, matrix=matrix, runs=tuple(runs), page=str(page), graph=graph)

    return use


async def _worked(app: Application, playthrough_id: str, belief: str) -> Worked:
    request = PacketRequest(speaker=STORY, line=ASKED)
    stored = await build_packet(playthrough_id, request, open_uow=app.open_uow, reading=app.reading)
    async with app.open_uow(playthrough_id) as uow:
        world = await uow.worlds.get(stored.packet.world_version)
    reply = await speak(stored.packet, world, app.responder("template"))
    scored = await score_reply(
        playthrough_id, stored.packet_id, reply, open_uow=app.open_uow, judging=app.judging, delivered=False
    )
    why = await answer_why(playthrough_id, Question(entry_id=belief), open_uow=app.open_uow)
    review = await review_packet(playthrough_id, stored.packet_id, open_uow=app.open_uow)
    if scored.scorecard is None:
        raise AssertionError("a scored reply has a scorecard")
    return Worked(
        packet=stored.packet,
        withheld=review.withheld,
        reply=reply,
        scorecard=scored.scorecard,
        statements=review.statements,
        chain=tuple(in_words(why.chain, naming=why.naming)),
    )


async def _erase_branches(app: Application, runs: list[ProbeRun]) -> None:
    """Leave of the probes what the page shows; the story itself stays, to be asked further."""
    for branch in {r.playthrough_id for run in runs for r in run.results if r.playthrough_id}:
        await open_playthrough.erase_playthrough(branch, open_uow=app.open_uow, graph=app.graph)


async def _graph(app: Application, playthrough_id: str) -> str:
    """Bring the mirror up to date and compare it; without the graph everything else works all the same."""
    status = await mirror_rumours.mirror_status(app.mirror_queue, app.graph)
    if not status.is_up:
        return f"the graph is away ({app.places.graph_fault or 'no answer'}); packets and why come from the record"
    while await mirror_rumours.mirror_once(app.mirror_queue, app.graph, open_uow=app.open_uow):
        pass
    differences = await mirror_rumours.verify_mirror(playthrough_id, open_uow=app.open_uow, graph=app.graph)
    return "the graph agrees with the record" if not differences else f"{len(differences)} differences in the graph"


def _print(shown: Shown) -> None:
    console.print(Rule("1 · what she may draw on"))
    console.print(show.packet(shown.worked.packet, shown.worked.withheld, shown.worked.statements))
    console.print(Rule("2 · what she says"))
    console.print(
        Text(f"“{shown.worked.reply.text}”", style="italic"), Text(f"— {STORY}, by {shown.worked.reply.responder}\n")
    )
    console.print(show.scorecard(shown.worked.scorecard))
    console.print(Rule("3 · why she thinks that the western antenna failed first"))
    for step in shown.worked.chain:
        console.print(Text(f"  ↳ {step}"))
    console.print(Text(f"  {shown.graph}", style="dim"))
    console.print(Rule("4 · the same question, asked otherwise"))
    for run in shown.runs:
        console.print(_heat(shown.matrix, run))
    console.print(f"\nThe page: [bold]{printable(shown.page)}[/]", soft_wrap=True)
    ask = f'continuity packet {shown.playthrough_id} --speaker {STORY} --line "..."'
    console.print(
        f"The story is kept: [bold]{ask}[/] asks her further, `continuity playthrough erase` ends it.", soft_wrap=True
    )


def _heat(matrix: Matrix, run: ProbeRun) -> Table:
    found = tally(run)
    counts = ", ".join(f"{n} {state}" for state, n in found.counts.items() if n)
    faults = ", ".join(f"{n} {fault}" for fault, n in found.faults.items()) or "none"
    codes = Counter(f.code for r in run.results if r.scorecard for v in r.scorecard.verdicts for f in v.findings
                    if v.state == "fail")  # fmt: skip
    worst = ", ".join(f"{code} {n}" for code, n in codes.most_common(6))
    table = Table(
        title=f"{run.subject}: {counts} of {run.planned}", title_justify="left", expand=True,
        caption=f"at fault: {faults}{f'  ·  {worst}' if worst else ''}", caption_justify="left",
    )  # fmt: skip
    table.add_column("")
    for pressure in matrix.pressures:
        table.add_column(pressure.id.replace("_", " "), justify="center")
    for distance in matrix.distances:
        cells = [_square(run, distance.id, pressure.id) for pressure in matrix.pressures]
        table.add_row(distance.id.replace("_", " "), *cells)
    return table


def _square(run: ProbeRun, distance: str, pressure: str) -> Text:
    there = [r for r in run.results if (r.cell.distance, r.cell.pressure) == (distance, pressure)]
    judged = [r for r in there if r.state is not ResultState.SKIPPED]
    passed = sum(r.state is ResultState.PASS for r in judged)
    if not judged:
        return Text("–", style="dim")
    sign, style = (
        ("✔", "black on green")
        if passed == len(judged)
        else ("✘", "white on red")
        if not passed
        else ("◐", "black on yellow")
    )
    return Text(f" {sign} {passed}/{len(judged)} ", style=style)
