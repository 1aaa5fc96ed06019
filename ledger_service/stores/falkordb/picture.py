"""A picture of one graph, for whoever looks through the spyglass: read by the queries that compare it, and bounded."""

from typing import Any, Final

from ledger_service.domain.confidence import MILLION
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.spyglass import (
    GraphPicture,
    SeenCharacter,
    SeenNotice,
    SeenPlace,
    SeenRule,
    SeenStory,
    SeenTelling,
    SeenTrust,
)
from ledger_service.stores.falkordb import queries
from ledger_service.stores.falkordb.client import GraphClient, Rows

NODES_LOOKED_AT: Final = 2_000
STORIES_SHOWN: Final = 100


async def take_picture(client: GraphClient, graph: str) -> GraphPicture:
    """Read people, places, rules and notices among the first nodes, and the newest stories."""
    page = {"first": 0, "past": NODES_LOOKED_AT}
    counted = await client.read(graph, queries.COUNT_NODES.text)
    people = await client.read(graph, queries.LIST_PEOPLE.text, **page)
    places = await client.read(graph, queries.LIST_PLACES.text, **page)
    rules = await client.read(graph, queries.LIST_RULES.text, **page)
    notices = await client.read(graph, queries.LIST_NOTICES.text, first=0, past=counted[0][0])
    stories = await client.read(graph, queries.FIND_STORIES.text, most=STORIES_SHOWN)
    return GraphPicture(
        characters=tuple(_character(row) for row in people),
        places=tuple(SeenPlace(id=row[0], name=row[1], region=row[2]) for row in places),
        trusts=_trusts(people),
        stories=tuple(_story(row) for row in stories),
        rules=tuple(_rule(row) for row in rules),
        notices=tuple(
            SeenNotice(entry_id=r[0], notice=r[1], places=tuple(r[2]), posted=r[3], taken_down=r[4]) for r in notices
        ),
        nodes=counted[0][0],
        is_cut=counted[0][0] > NODES_LOOKED_AT or len(stories) == STORIES_SHOWN,
    )


def _character(row: list[Any]) -> SeenCharacter:
    return SeenCharacter(id=row[0], name=row[1], place=next(iter(row[4]), None), is_player=row[0] == PLAYER)


def _trusts(people: Rows) -> tuple[SeenTrust, ...]:
    found = [
        SeenTrust(listener=who, teller=teller, trust=trust / MILLION, is_strong=teller in {t for t, _ in strong})
        for who, _, trusted, strong, _ in people
        for teller, trust, _ in trusted
    ]
    return tuple(sorted(found, key=lambda t: (t.listener, t.teller)))


def _story(row: list[Any]) -> SeenStory:
    return SeenStory(
        entry_id=row[0],
        origin=row[1],
        statement=row[2],
        severity=row[3],
        tick=row[4],
        is_hearsay=row[5],
        holders={who: millionths / MILLION for who, millionths in sorted(row[6])},
        heard=tuple(
            SeenTelling(teller=t[0], listener=t[1], tick=t[2], outcome=t[3], from_entry=t[4])
            for t in sorted(row[7], key=lambda t: (t[2], t[0]))
        ),
    )


def _rule(row: list[Any]) -> SeenRule:
    return SeenRule(
        id=row[0], sort=row[1], about=row[2], holds_when=row[3], keepers=tuple(sorted(row[6])),
        places=tuple(sorted(row[7])),
    )  # fmt: skip
