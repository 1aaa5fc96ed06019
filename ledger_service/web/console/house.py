"""The house itself: its front door, its files, and how it looks."""

from pathlib import PurePath

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from ledger_service.web.console.access import ANYBODY
from ledger_service.web.console.desk import THEME, THEMES, AtDesk
from ledger_service.web.console.rendering import address_of, content_of

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@get("/")
async def front_door(desk: AtDesk) -> Redirect:
    """Lead to the playthroughs."""
    return desk.done("/playthroughs")


@get("/static/{digest:str}/{name:str}", open_to=ANYBODY)
async def file(digest: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """Return a file of ours; what is at an address never changes."""
    content = content_of(name)
    if content is None or f"/static/{digest}/{name}" != address_of(name):
        raise NotFoundException
    kind = KINDS.get(PurePath(name).suffix, "application/octet-stream")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, media_type=kind, headers=headers)


@post("/theme", open_to=ANYBODY)
async def choose_theme(desk: AtDesk) -> Redirect:
    """Keep whether it is to be light or dark."""
    theme = desk.form.get("theme", "")
    desk.remember(THEME, theme if theme in THEMES else THEMES[0])
    return desk.done(local(desk.form.get("next", "")))


def local(path: str) -> str:
    r"""Return where to go on, which is here and nowhere else.

    >>> local("/people"), local("//evil.example"), local("https://evil.example"), local("/\\evil.example")
    ('/people', '/', '/', '/')
    """
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_ours else "/"


HANDLERS = (front_door, file, choose_theme)
