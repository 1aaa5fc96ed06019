"""A world edited in the browser: checked by line, tried out on the packets that are kept, saved as a new revision."""

from collections import defaultdict
from collections.abc import Sequence

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from ledger_service.bootstrap import rehearse
from ledger_service.domain.errors import ContentError, MalformedError
from ledger_service.domain.text_diff import text_diff
from ledger_service.services.worlds.check_world import MOST_LETTERS, CheckedWorld, Fault, check_world_text
from ledger_service.services.worlds.dry_run_world import dry_run, in_words
from ledger_service.services.worlds.revise_world import Overtaken, RevisionText, Saved, save_revision, show_revision
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.worlds import EDITORS, Number

ACTS = ("check", "dry-run", "save")
SHORT = 60
"""Of a longer text, the lines around its faults are shown with numbers."""
AROUND = 4


@get("/worlds/{world_id:str}/edit", open_to=EDITORS)
async def edit_page(desk: AtDesk, world_id: FromPath[str], revision: Number = None) -> Response[str]:
    """Show a world's text in a field, from the newest revision; or another one's, to go back to it."""
    newest = await show_revision(world_id, open_uow=desk.reading)
    shown = newest if revision is None else await show_revision(world_id, revision, open_uow=desk.reading)
    return _page(desk, newest, shown.text)


@post("/worlds/{world_id:str}/edit", open_to=EDITORS, patience=10, keeps="text")
async def edit(desk: AtDesk, world_id: FromPath[str]) -> Response[str] | Redirect:
    """Check what was typed, try it out, or save it; whatever comes of it, the page has the text as it was typed."""
    act, text = desk.form.get("act", "check"), desk.form.get("text", "")
    if act not in ACTS:
        raise MalformedError("act", f"{act!r} is none of {', '.join(ACTS)}")
    base = await show_revision(world_id, _base(desk), open_uow=desk.reading)
    checked = await check_world_text(text, f"{world_id}.yaml", world_id=world_id)
    if checked.world is None:
        return _page(desk, base, text, checked=checked, status=200 if act == "check" else 422)
    if act == "save":
        return await _save(desk, base, text, checked)
    tried = None
    if act == "dry-run":
        tried = await dry_run(
            checked.world, base.world, catalogue=desk.catalogue, open_uow=desk.reading,
            reading=desk.application.reading, rehearse=rehearse,
        )  # fmt: skip
    return _page(desk, base, text, checked=checked, tried=tried)


async def _save(desk: Desk, base: RevisionText, text: str, checked: CheckedWorld) -> Response[str] | Redirect:
    assert checked.world is not None  # noqa: S101  (nothing is wrong with it)
    world_id, number = checked.world.id, base.revision.number
    writing = desk.writing(
        "world saved", world_id, world_id=world_id, version=checked.version or "", after_revision=number
    )  # fmt: skip
    try:
        saved = await save_revision(checked.world, text, base=number, author=desk.account.name, open_uow=writing)
    except ContentError as error:
        return _page(desk, base, text, checked=checked, refused=error.why, status=422)
    match saved:
        case Saved(revision=made):
            kind = "a new version" if saved.is_new_version else "the same version in other words"
            return desk.done(f"/worlds/{world_id}", f"Revision {made.number} is saved: {kind}, {made.world_version}.")
        case Overtaken():
            return _page(desk, saved.newest, text, checked=checked, overtaken=saved, status=409)


def _base(desk: Desk) -> int:
    given = desk.form.get("base", "")
    if not (given.isascii() and given.isdecimal() and 0 < len(given) < 16):  # noqa: PLR2004
        raise MalformedError("base", f"{given!r} is no revision's number")
    return int(given)


def _page(desk: Desk, base: RevisionText, text: str, *, status: int = 200, **found: object) -> Response[str]:
    checked, tried, overtaken = found.get("checked"), found.get("tried"), found.get("overtaken")
    faults = checked.faults if isinstance(checked, CheckedWorld) else ()
    return desk.page(
        "worlds/edit.html.jinja", status=status, world_id=base.revision.world_id, base=base, text=text,
        checked=checked, faults=faults, numbered=_numbered(text, faults) if faults else (), tried=tried,
        said=None if tried is None else in_words(tried), refused=found.get("refused"), overtaken=overtaken,  # type: ignore[arg-type]
        theirs=text_diff(overtaken.base.text, overtaken.newest.text) if isinstance(overtaken, Overtaken) else (),
        mine=text_diff(base.text, text), most=MOST_LETTERS,
    )  # fmt: skip


def _numbered(text: str, faults: Sequence[Fault]) -> list[tuple[int, str, tuple[Fault, ...]]]:
    """Number the lines of a text and put to each what is wrong there; of a long text, those around its faults."""
    at: dict[int, list[Fault]] = defaultdict(list)
    lines = text.split("\n")
    for fault in faults:
        at[min(fault.line, len(lines))].append(fault)
    near = {n + by for n in at for by in range(-AROUND, AROUND + 1)}
    numbered = [(n, line, tuple(at[n]) if n in at else ()) for n, line in enumerate(lines, 1)]
    return numbered if len(lines) <= SHORT else [row for row in numbered if row[0] in near]


HANDLERS = (edit_page, edit)
