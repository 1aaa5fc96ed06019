"""What happened, in a sentence that a writer reads."""

from ledger_service.domain import events as e


def in_words(event: e.GameEvent) -> str:  # noqa: PLR0911, PLR0912, C901  (a flat match over event kinds)
    """Return an event as a sentence; names stand as the world has them.

    >>> in_words(e.TimePassed(hours=1)), in_words(e.Moved(who="pip", to="well"))
    ('1 hour passes', 'pip goes to well')
    """
    match event:
        case e.Utterance():
            return f"{event.speaker} to {', '.join(event.to)}: “{event.text}”"
        case e.Told():
            return f"{event.teller} tells {event.listener}: {event.statement}"
        case e.Inferred():
            return f"{event.who} concludes: {event.statement}"
        case e.DocumentRead():
            return f"{event.reader} reads {event.document}: {event.statement}"
        case e.Moved():
            return f"{event.who} goes to {event.to}"
        case e.TimePassed():
            return f"{event.hours} hour{'s pass' if event.hours > 1 else ' passes'}"
        case e.HourPassed():
            where = "everywhere" if event.regions is None else ", ".join(event.regions) or "nowhere"
            return f"an hour passes, and people talk ({where})"
        case e.RegionsCaughtUp():
            return f"what went by unwatched is made up for: {', '.join(event.regions)}"
        case e.SceneChanged():
            return (
                f"a new scene{f': {event.title}' if event.title else ''}{f', at {event.place}' if event.place else ''}"
            )
        case e.StateSet():
            return f"{event.state_key} is {event.value}"
        case e.Seeded():
            return f"chance is drawn by {event.seed}"
        case e.Happened():
            return event.statement or event.name.replace("_", " ")
        case e.CommitmentFulfilled() | e.CommitmentBroken() | e.CommitmentReleased():
            became = e.event_kind(event).removeprefix("commitment_")
            return f"{event.commitment} is {became}{f': {event.reason}' if event.reason else ''}"
        case e.Corrected():
            return f"{event.entry_id} is corrected: {event.statement or event.reason}"
        case e.ContradictionResolved():
            return f"{event.contradiction} is settled{f' for {event.winner}' if event.winner else ''}: {event.reason}"
        case e.Confirmed():
            return f"{event.entry_id} is confirmed{f': {event.reason}' if event.reason else ''}"
        case e.Reviewed():
            return f"{event.entry_id} is {event.outcome}: {event.reason}"
        case e.EntriesPosted():
            said = "; ".join(draft.statement for draft in event.entries[:3])
            more = len(event.entries) - 3
            return f"posted: {said}{f'; and {more} more' if more > 0 else ''}"
        case e.GroupJoined():
            return f"{event.who} joins {event.group}"
        case e.GroupLeft():
            return f"{event.who} leaves {event.group}"
        case e.FellUnconscious():
            return f"{event.who} falls unconscious"
        case e.Died():
            return f"{event.who} dies"
        case e.Woke():
            return f"{event.who} wakes"
        case e.Eased():
            return f"{event.who} feels {event.emotion or 'it'} no longer"
        case e.WorldChanged():
            return f"the story goes on under {event.world_version}"
        case e.Deed() | e.CommitmentMade() | e.RelationshipChanged() | e.Felt():
            return event.statement
