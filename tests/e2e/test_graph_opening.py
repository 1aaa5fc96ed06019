"""How a graph is opened is a setting: by projection, or by a copy of its world's template; both come to the same."""

import msgspec
import pytest

from ledger_service.bootstrap import open_application
from ledger_service.domain.events import Deed
from ledger_service.recording.mirror import whole_world
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import rebuild_mirror, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.falkordb.worlds import template_name
from tests.villages import RUNGS, a_village, somebody

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
THEFT = Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=("pip",), ladder="theft")


@pytest.mark.parametrize(("opening", "copied"), [("projection", False), ("copy_always", True)])
async def test_a_graph_is_opened_as_the_setting_says(settings, places, opening, *, copied):
    world = a_village((somebody("pip"), somebody(f"odo_{opening}")), {})
    async with open_application(msgspec.structs.replace(settings, graph_opening=opening), places) as application:
        version = await add_world(world, open_uow=application.open_uow)
        played = (await open_playthrough(version, open_uow=application.open_uow)).playthrough_id
        await record_events(played, (THEFT,), open_uow=application.open_uow)
        await rebuild_mirror(played, open_uow=application.open_uow, graph=application.graph)
        assert await verify_mirror(played, open_uow=application.open_uow, graph=application.graph) == ()
        template = template_name(whole_world(world, seq=0))
        people = await application.graph.client.read(template, "MATCH (c:Character {id: 'pip'}) RETURN c.id")
        assert people == ([["pip"]] if copied else [])
        await application.graph.client.drop(template)
