"""What a page is given: who looks, which worlds they may see, how to read, write, and answer."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote, unquote

from litestar import Request, Response
from litestar.datastructures import Cookie, State
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from litestar.response import Redirect

from ledger_service.bootstrap import Application
from ledger_service.domain.accounts import Account, AccountRole, Note
from ledger_service.domain.errors import NotSignedInError
from ledger_service.ports import Catalogue, OpenUnitOfWork, ProbeBrowser
from ledger_service.services.people.sign_in import form_token
from ledger_service.web.console import navigation
from ledger_service.web.console.rendering import render
from ledger_service.web.console.seal import HEADERS
from ledger_service.web.roles import CONSOLE_SESSION

SESSION = CONSOLE_SESSION
THEME, FLASH, RECENT = "continuity_theme", "continuity_flash", "continuity_recent"
FORM_FIELD = "form_token"
THEMES = ("auto", "light", "dark")
Tone = Literal["good", "bad", "plain"]
_LONGEST_FLASH = 1_000


class Desk:
    """One request's seat in the console."""

    def __init__(
        self,
        request: Request[Any, Any, State],
        application: Application,
        account: Account | None,
        *,
        token: str = "",
        form: Mapping[str, str] | None = None,
    ) -> None:
        self.request = request
        self.application = application
        self.visitor = account
        """Who looks, where somebody has signed in."""
        self.form: Mapping[str, str] = form or {}
        self.token = token
        self._cookies: list[Cookie] = []

    @property
    def account(self) -> Account:
        """Who looks.

        Raises:
            NotSignedInError: nobody has signed in.
        """
        if self.visitor is None:
            raise NotSignedInError
        return self.visitor

    @property
    def is_admin(self) -> bool:
        """Whether who looks keeps the house."""
        return self.visitor is not None and self.visitor.role is AccountRole.ADMIN

    @property
    def reading(self) -> OpenUnitOfWork:
        """The way to transactions that read the worlds of this account, and write nothing."""
        return self.application.stores.reading(self.account.reach)

    def writing(self, action: str, subject: str, *, world_id: str | None = None, **detail: str | int) -> OpenUnitOfWork:
        """Return the way to transactions within this account's worlds; each commits with its row of the audit log."""
        note = Note(who=self.account.name, action=action, subject=subject, world_id=world_id, detail={**detail})
        return self.application.stores.writing(self.account.reach, note)

    def writing_once(self, action: str, subject: str, **detail: str | int) -> OpenUnitOfWork:
        """Return the same for one thing that takes several transactions: the first to commit writes the only row."""
        note = Note(who=self.account.name, action=action, subject=subject, detail={**detail})
        return self.application.stores.writing(self.account.reach, note, once=True)

    @property
    def catalogue(self) -> Catalogue:
        """What there is to look at, in the worlds of this account."""
        return self.application.stores.catalogue(self.account.reach)

    @property
    def probes(self) -> ProbeBrowser:
        """Runs of probes, in the worlds of this account."""
        return self.application.stores.probe_browser(self.account.reach)

    @property
    def form_token(self) -> str:
        """What every form carries."""
        return form_token(self.token)

    @property
    def theme(self) -> str:
        """Light, dark, or as the system has it."""
        chosen = self.request.cookies.get(THEME, THEMES[0])
        return chosen if chosen in THEMES else THEMES[0]

    @property
    def path(self) -> str:
        """Where this page is, with its query."""
        query = self.request.url.query
        return f"{self.request.url.path}?{query}" if query else self.request.url.path

    @cached_property
    def recent(self) -> str:
        """The playthrough that this browser looked at last; whether it may be seen is asked when it is."""
        return self.request.cookies.get(RECENT, "")

    @property
    def places(self) -> list[tuple[str, list[navigation.Link]]]:
        """The navigation, for who looks from here."""
        return navigation.places(self._standing)

    def tabs(self, playthrough_id: str) -> list[navigation.Link]:
        """Return the pages of a playthrough."""
        return navigation.tabs(self._standing, playthrough_id)

    @property
    def _standing(self) -> navigation.Standing:
        state, scope = self.request.app.state, self.request.scope
        return navigation.Standing(str(scope.get("path_template", "")), state.pages, self.recent, self.is_admin)

    def visit(self, playthrough_id: str) -> None:
        """Let the navigation lead to the ledger, packets and boards of this playthrough."""
        self.recent = playthrough_id
        self.remember(RECENT, playthrough_id)

    def remember(self, name: str, value: str, *, seconds: int | None = 31_536_000) -> None:
        """Have the browser keep something, which no script can read."""
        is_secure = not self.application.settings.is_loopback
        self._cookies.append(
            Cookie(key=name, value=value, max_age=seconds, httponly=True, samesite="lax", path="/", secure=is_secure)
        )

    @cached_property
    def flash(self) -> tuple[str, str] | None:
        """What the page before has to say, with its tone; it is said once."""
        kept = unquote(self.request.cookies.get(FLASH, ""))
        tone, _, said = kept.partition(":")
        if not said:
            return None
        self.remember(FLASH, "", seconds=0)
        return (tone if tone in {"good", "bad"} else "plain"), said

    def page(self, template: str, *, status: int = 200, **values: object) -> Response[str]:
        """Answer with a page."""
        text = render(template, desk=self, **values)
        return Response(text, status_code=status, media_type="text/html", headers=HEADERS, cookies=self._cookies)

    def done(self, path: str, said: str = "", *, tone: Tone = "good") -> Redirect:
        """Answer a form: go to a page, which says what was done."""
        if said:
            self.remember(FLASH, quote(f"{tone}:{said[:_LONGEST_FLASH]}"), seconds=60)
        return Redirect(path, status_code=303, cookies=self._cookies)


AtDesk = NamedDependency[SkipValidation[Desk]]


def provide_desk(request: Request[Any, Any, State]) -> Desk:
    """Return the desk that the request was given."""
    found: Desk = request.state.desk
    return found
