"""Examples that the OpenAPI description shows for the calls a game makes."""

from typing import Any

from litestar.enums import RequestEncodingType
from litestar.openapi.spec import Example
from litestar.params import BodyKwarg, QueryParameter


def shown(summary: str, value: dict[str, Any]) -> BodyKwarg:
    """Return a JSON body's declaration with one example."""
    return BodyKwarg(media_type=RequestEncodingType.JSON, examples=[Example(summary=summary, value=value)])


OPEN = shown("Open the story of Maelin", {"world": "maelin", "title": "first try"})
EVENTS = shown(
    "A deed, and a promise",
    {
        "events": [
            {
                "kind": "deed", "actor": "player", "statement": "player replaced the relay fuse",
                "witnesses": ["maelin"], "key": "session7-41",
            },
            {
                "kind": "commitment_made", "owner": "player", "to": "maelin", "name": "sensor",
                "statement": "player will return the missing sensor", "trigger": "next_station_visit",
            },
        ]
    },
)  # fmt: skip
HOURS = shown("An evening goes by", {"hours": 3, "key": "session7-evening"})
PACKET = shown(
    "What Maelin may draw on", {"speaker": "maelin", "audience": ["player"], "line": "Let me use the transmitter."}
)
REPLY = shown("The line that was said", {"text": "Not before the sensor is back.", "responder": "my-model"})
TURN = shown(
    "The player asks, and Maelin answers",
    {"speaker": "maelin", "line": "Let me use the transmitter.", "key": "session7-turn12"},
)
TELLER = QueryParameter(name="teller", description="Who has the story.", examples=[Example(value="tomas")])
LISTENER = QueryParameter(name="listener", description="Whom it is to reach.", examples=[Example(value="ilsa")])
TARGET = QueryParameter(name="target", description="Whom the story is to reach.", examples=[Example(value="ilsa")])
SAY = QueryParameter(
    name="say", description="What is done or whispered; without it, the mildest praise that the world has.",
    max_length=4_000, examples=[Example(value="the player saved the harvest")],
)  # fmt: skip
QUERIES = QueryParameter(
    name="queries", description="How many of the last queries to show.", ge=0, le=500, examples=[Example(value=20)]
)
MOST_LISTED = QueryParameter(
    name="limit", description="How many, the newest first.", ge=1, le=500, examples=[Example(value=20)]
)
LADDER = QueryParameter(
    name="ladder", description="The ladder that retellings of it climb.", examples=[Example(value="rescue")]
)
