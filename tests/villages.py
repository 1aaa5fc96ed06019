"""Small villages for tests: people with schedules, trust between them, and the ladder of a theft."""

from ledger_service.domain.worlds import Character, Ladder, Place, Stay, Trust, World

RUNGS = (
    "the player took an apple",
    "the player stole a basket of apples",
    "the player robbed the fruit stall",
    "the player ransacked the whole market",
    "the player belongs to a gang of thieves",
)


def somebody(who: str, *stays: tuple[str, int], sure: bool = True, **more: object) -> Character:
    schedule = tuple(Stay(place=place, from_hour=hour, until_hour=hour + 1) for place, hour in stays)
    return Character(id=who, name=who.title(), home=f"home_{who}", schedule=schedule,
                     exaggeration=1.0 if sure else 0.0, **more)  # type: ignore[arg-type]  # fmt: skip


def a_village(cast: tuple[Character, ...], trust: dict[tuple[str, str], float], **more: object) -> World:
    places = ["market", "well", "inn", "gate", *(f"home_{c.id}" for c in cast)]
    return World(
        id="village",
        title="A village",
        cast=cast,
        places=tuple(Place(id=p, name=p) for p in places),
        trust=tuple(Trust(listener=a, teller=b, trust=t) for (a, b), t in trust.items()),
        ladders=(Ladder(id="theft", rungs=RUNGS, weights=(-0.2, -0.35, -0.5, -0.7, -0.9)),),
        **more,  # type: ignore[arg-type]
    )


CHAIN = {("pip", "tomas"): 0.5, ("bertha", "tomas"): 0.7, ("bertha", "pip"): 0.8, ("ilsa", "bertha"): 0.75}


def worked(**more: object) -> World:
    """Tomas tells Pip at 8; Pip tells Bertha at 9, and Tomas tells her at 10; Bertha tells Ilsa at 11."""
    cast = (
        somebody("tomas", ("market", 7), ("market", 8), ("inn", 10)),
        somebody("pip", ("market", 8), ("well", 9)),
        somebody("bertha", ("well", 9), ("inn", 10), ("gate", 11)),
        somebody("ilsa", ("gate", 11)),
    )
    return a_village(cast, CHAIN, **more)
