"""The service itself: health by real queries, the mirror, metrics, and who may call what."""

import resource
import sys

from litestar import MediaType, Router, get, post
from litestar.datastructures import State
from litestar.params import FromPath
from litestar.response import Response
from msgspec import Struct

from ledger_service.domain.errors import StoreError
from ledger_service.services.gossip.mirror_rumours import (
    Difference,
    MirrorStatus,
    mirror_status,
    rebuild_mirror,
    verify_mirror,
)
from ledger_service.web.dependencies import App


class Health(Struct, frozen=True, kw_only=True):
    """Whether the stores answer; the service works without the graph, and says so."""

    record: bool
    graph: bool
    detail: str = ""


@get("/health", needs=None)
async def health(application: App) -> Response[Health]:
    """Ask both stores a real question; 503 only where the record is away."""
    graph = await application.graph.is_up()
    try:
        await application.stores.ping()
    except StoreError as error:
        return Response(Health(record=False, graph=graph, detail=str(error)), status_code=503)
    return Response(Health(record=True, graph=graph, detail="" if graph else "the graph is away; it will catch up"))


@get("/mirror", needs="reviewer")
async def show_mirror(application: App) -> MirrorStatus:
    """Say how the mirror stands."""
    return await mirror_status(application.mirror_queue, application.graph)


@get("/playthroughs/{playthrough_id:str}/mirror/differences", needs="reviewer")
async def differences(playthrough_id: FromPath[str], application: App) -> tuple[Difference, ...]:
    """Compare record and graph; empty is well."""
    return await verify_mirror(playthrough_id, open_uow=application.open_uow, graph=application.graph)


@post("/playthroughs/{playthrough_id:str}/mirror/rebuild", needs="admin", status_code=200)
async def rebuild(playthrough_id: FromPath[str], application: App) -> dict[str, int]:
    """Throw the graph away and project it anew."""
    return {"entries": await rebuild_mirror(playthrough_id, open_uow=application.open_uow, graph=application.graph)}


@get("/metrics", needs="reviewer", media_type=MediaType.TEXT)
async def metrics(state: State, application: App) -> str:
    """Return counters in the Prometheus text format."""
    lag = await application.mirror_queue.lag()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    lines = ["# TYPE continuity_requests_total counter"]
    lines += [f'continuity_requests_total{{status="{code}"}} {n}' for code, n in sorted(state.requests.items())]
    lines += ["# TYPE continuity_mirror_waiting gauge", f"continuity_mirror_waiting {lag}"]
    lines += ["# TYPE continuity_resident_peak_bytes gauge", f"continuity_resident_peak_bytes {peak}"]
    return "\n".join(lines) + "\n"


@get("/roles", needs=None)
async def roles(state: State) -> dict[str, str]:
    """Return the least role that each route needs; `anybody` needs no key."""
    found: dict[str, str] = state.roles
    return found


router = Router(path="/", route_handlers=[health, show_mirror, differences, rebuild, metrics, roles], tags=["service"])
