"""What somebody thinks of somebody, told in words: the sum first, then the stories, strongest first."""

from collections.abc import Iterator, Mapping

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.opinions import Opinion, Weighed
from ledger_service.rumours.provenance import Naming


def in_words(opinion: Opinion, entries: Mapping[EntryId, LedgerEntry], *, naming: Naming) -> Iterator[str]:
    """Say how the opinion comes about.

    >>> list(in_words(Opinion(who="ilsa", about="player"), {}, naming=Naming(people={"ilsa": "Ilsa"})))
    ['Ilsa thinks neither well nor ill of player (+0.00): no story that they hold bears on it.']
    """
    who, about = (naming.person(name) for name in (opinion.who, opinion.about))
    if not opinion.evidence:
        yield f"{who} thinks {_leaning(0.0)} of {about} (+0.00): no story that they hold bears on it."
        return
    yield (
        f"{who} thinks {_leaning(opinion.value)} of {about} ({opinion.value:+.2f}):"
        f" praise {opinion.praise:.2f}, less blame {opinion.blame:.2f}."
    )
    for item in opinion.evidence:
        yield _story(item, entries.get(item.entry_id), naming)


def _leaning(value: float) -> str:
    return "ill" if value < 0 else "well" if value > 0 else "neither well nor ill"


def _story(item: Weighed, entry: LedgerEntry | None, naming: Naming) -> str:
    said = item.entry_id if entry is None else entry.statement
    by = "" if entry is None or entry.source.by is None else f" by {naming.person(entry.source.by)}"
    how = "" if entry is None else f", {str(entry.source.kind).removesuffix('_by').replace('_', ' ')}{by}"
    return f"{item.contribution:+.2f}  {said} (weighs {item.weight:+.2f}, held at {item.confidence:.2f}{how})"
