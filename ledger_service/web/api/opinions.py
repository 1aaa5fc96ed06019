"""Opinions: what a character thinks of somebody, and which stories that rests on."""

from litestar import Router, get
from litestar.params import FromPath, FromQuery
from msgspec import Struct

from ledger_service.domain.entries import SourceKind
from ledger_service.domain.ids import PLAYER, EntryId
from ledger_service.services.explain_opinion import ExplainedOpinion, explain_opinion
from ledger_service.web.dependencies import App


class Evidence(Struct, frozen=True, kw_only=True):
    """One story in an opinion, strongest first; `contribution` is weight times confidence."""

    entry_id: EntryId
    statement: str
    weight: float
    confidence: float
    contribution: float
    source: SourceKind
    by: str | None


class OpinionView(Struct, frozen=True, kw_only=True):
    """An opinion from -1 to 1: praise less blame, each 1 - prod(1 - weight x confidence) over its stories."""

    who: str
    about: str
    value: float
    praise: float
    blame: float
    evidence: tuple[Evidence, ...]


def view_of(found: ExplainedOpinion) -> OpinionView:
    """Return an opinion with the wording of its stories."""
    opinion = found.opinion
    evidence = (
        Evidence(
            entry_id=item.entry_id,
            statement=story.statement,
            weight=item.weight,
            confidence=item.confidence,
            contribution=item.contribution,
            source=story.source.kind,
            by=story.source.by,
        )
        for item, story in zip(opinion.evidence, found.stories, strict=True)
    )
    return OpinionView(
        who=opinion.who,
        about=opinion.about,
        value=opinion.value,
        praise=opinion.praise,
        blame=opinion.blame,
        evidence=tuple(evidence),
    )


@get("/playthroughs/{playthrough_id:str}/characters/{who:str}/opinion", needs="reviewer")
async def show_opinion(
    playthrough_id: FromPath[str], who: FromPath[str], application: App, about: FromQuery[str] = PLAYER
) -> OpinionView:
    """Return what a character thinks of the player, or of somebody else, and why."""
    return view_of(await explain_opinion(playthrough_id, who, open_uow=application.open_uow, about=about))


router = Router(path="/", route_handlers=[show_opinion], tags=["rumours"])
