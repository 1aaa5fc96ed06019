"""What handlers are given."""

from litestar import Request
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from ledger_service.bootstrap import Application

App = NamedDependency[SkipValidation[Application]]
Call = Request[None, None, State]


def provide_application(state: State) -> Application:
    """Return the application that this service runs."""
    found: Application = state.application
    return found


def role(request: Call) -> str:
    """Return the role that the guard found."""
    return str(request.scope["state"].get("role", "game"))
