"""What the player does in the village: each a form that is sent, after which the page says what came of it."""

from collections.abc import Mapping
from urllib.parse import quote

from litestar import post
from litestar.params import FromPath
from litestar.response import Redirect

from ledger_service.domain.errors import LedgerError, MalformedError, SequenceTakenError, StoryRuleError
from ledger_service.domain.ids import PLAYER
from ledger_service.services.play.detective import Trail, ask, read_trail
from ledger_service.services.play.play_village import Speaking, Stage, ask_for, do, wait
from ledger_service.services.play.player_acts import Act, Clear, Do, Give, Go, Whisper
from ledger_service.services.play.player_place import footing
from ledger_service.services.playthroughs.open_playthrough import fork_playthrough
from ledger_service.web.console.addresses import with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import number
from ledger_service.web.console.spyglass import meanwhile, went_by


@post("/playthroughs/{playthrough_id:str}/village/go", patience=10)
async def go(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Go somewhere."""
    return await _done(desk, playthrough_id, Go(to=desk.form.get("to", "")), "went")


@post("/playthroughs/{playthrough_id:str}/village/do", patience=10)
async def do_deed(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Do one of the deeds of the world, in the open or unseen."""
    act = Do(ladder=desk.form.get("deed", ""), is_unseen=desk.form.get("seen", "") == "no")
    return await _done(desk, playthrough_id, act, "did a deed")


@post("/playthroughs/{playthrough_id:str}/village/give", patience=10)
async def give(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Give somebody something."""
    form = desk.form
    act = Give(event=form.get("event", ""), to=form.get("who", ""), what=form.get("what", ""))
    return await _done(desk, playthrough_id, act, "gave something")


@post("/playthroughs/{playthrough_id:str}/village/whisper", patience=10)
async def whisper(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Whisper something to somebody."""
    form = desk.form
    act = Whisper(
        to=form.get("who", ""), say=form.get("say", ""), ladder=form.get("ladder", ""),
        about=form.get("about", "") or PLAYER,
    )  # fmt: skip
    return await _done(desk, playthrough_id, act, "whispered")


@post("/playthroughs/{playthrough_id:str}/village/clear", patience=10)
async def clear(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Put the story that was followed right, before everybody here or one of them."""
    trail = read_trail(desk.form.get("trail", ""))
    if trail is None:
        raise MalformedError("trail", "is missing: first follow a story back to where it began")
    act = Clear(origin=trail.origin, say=desk.form.get("say", ""), before=desk.form.get("before", ""))
    return await _done(desk, playthrough_id, act, "cleared their name")


@post("/playthroughs/{playthrough_id:str}/village/hours", patience=20)
async def hours(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Let an hour go by, or all until evening."""
    count = number("hours", desk.form.get("hours", "1")) or 0
    at_seq = _at_seq(desk)
    try:
        passed = await wait(playthrough_id, count, _stage(desk, playthrough_id, "hours passed"), at_seq=at_seq)
    except (SequenceTakenError, StoryRuleError) as error:
        return _refused(desk, playthrough_id, error)
    said = went_by(desk, playthrough_id, count, passed)
    return desk.done(_last(desk, playthrough_id, passed[0].seq - 1), said)


@post("/playthroughs/{playthrough_id:str}/village/ask", patience=20)
async def ask_for_something(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Ask somebody here for something that their rules grant or refuse."""
    application = desk.application
    speaking = Speaking(
        responder=application.responder("template"), reading=application.reading, judging=application.judging
    )
    try:
        turn = await ask_for(
            playthrough_id, desk.form.get("action", ""), desk.form.get("who", ""),
            _stage(desk, playthrough_id, "asked for something"), speaking, graph=application.graph,
            at_seq=_at_seq(desk),
        )  # fmt: skip
    except (SequenceTakenError, StoryRuleError) as error:
        return _refused(desk, playthrough_id, error)
    since = (turn.heard_seq or 1) - 1
    return desk.done(_last(desk, playthrough_id, since, packet=turn.packet.packet_id))


@post("/playthroughs/{playthrough_id:str}/village/why", patience=10)
async def ask_why(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Ask somebody here whom they had a story from."""
    story, who = desk.form.get("story", ""), desk.form.get("who", "")
    before = read_trail(desk.form.get("trail", ""))
    trail = before if before is not None and before.origin == story else Trail(origin=story)
    standing = await footing(playthrough_id, open_uow=desk.reading)
    try:
        trail, _ = await ask(playthrough_id, trail, who, standing.spot, open_uow=desk.reading)
    except StoryRuleError as error:
        return _refused(desk, playthrough_id, error)
    return desk.done(with_query(_home(playthrough_id), {"trail": trail}) + "#trail")


@post("/playthroughs/{playthrough_id:str}/village/back", patience=10)
async def go_back(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Go on from before an event, on a branch; what happened stays as it is in the playthrough that it happened in."""
    seq = number("seq", desk.form.get("seq", ""))
    if not seq:
        raise MalformedError("seq", "is missing, or is no event's number")
    writing = desk.writing("gone back", playthrough_id, at_seq=seq - 1)
    branch = await fork_playthrough(playthrough_id, open_uow=writing, at_seq=seq - 1)
    said = f"As it was before event {seq}. The other way is still there, in the playthrough that this branches from."
    return desk.done(_home(branch.playthrough_id), said)


async def _done(desk: Desk, playthrough_id: str, act: Act, action: str) -> Redirect:
    try:
        receipt = await do(playthrough_id, act, _stage(desk, playthrough_id, f"player {action}"), at_seq=_at_seq(desk))
    except (SequenceTakenError, StoryRuleError) as error:
        return _refused(desk, playthrough_id, error)
    return desk.done(_last(desk, playthrough_id, receipt.seq - 1))


def _refused(desk: Desk, playthrough_id: str, error: LedgerError) -> Redirect:
    """Lead back, and say why it was not done."""
    said = meanwhile(error) if isinstance(error, SequenceTakenError) else _in_words(error)
    return desk.done(with_query(_home(playthrough_id), _kept(desk)), said, tone="bad")


def _in_words(error: LedgerError) -> str:
    """Say what was refused and, where there is one, the cure."""
    return f"That was not done. {error}." + (f" Cure: {error.cure}." if error.cure else "")


def _stage(desk: Desk, playthrough_id: str, action: str) -> Stage:
    application = desk.application
    return Stage(
        reading=desk.reading, writing=desk.writing_once(action, playthrough_id), embedder=application.reading.embedder,
        graph=application.graph, queue=application.mirror_queue,
    )  # fmt: skip


def _at_seq(desk: Desk) -> int | None:
    return number("at_seq", desk.form.get("at_seq", ""))


def _home(playthrough_id: str) -> str:
    return f"/playthroughs/{quote(playthrough_id, safe='')}/village"


def _kept(desk: Desk) -> Mapping[str, str]:
    """Return what the address keeps from one page to the next."""
    trail = read_trail(desk.form.get("trail", ""))
    return {} if trail is None else {"trail": str(trail)}


def _last(desk: Desk, playthrough_id: str, since: int, *, packet: str = "") -> str:
    """Return the page with what happened after an event."""
    return with_query(_home(playthrough_id), {"since": since, "packet": packet, **_kept(desk)}) + "#last"


HANDLERS = (go, do_deed, give, whisper, clear, hours, ask_for_something, ask_why, go_back)
