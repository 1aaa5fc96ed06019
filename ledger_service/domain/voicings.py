"""How a telling was put by a model: shown beside the words that count, and evidence of nothing."""

from msgspec import Struct

from ledger_service.domain.rumours import Telling


class Voicing(Struct, frozen=True, kw_only=True):
    """Another wording of a telling, or why there is none; one for each telling."""

    telling_id: str
    voice: str
    """Which model was asked."""
    text: str = ""
    dropped: str = ""
    """What was wrong with what it said, which is not kept."""


class VoicedTelling(Struct, frozen=True, kw_only=True):
    """A telling as it counts, and how it was put since, if it was."""

    telling: Telling
    voicing: Voicing | None = None

    @property
    def said(self) -> str:
        """The words to show: those of the model where there are any, else the template's."""
        return self.voicing.text if self.voicing is not None and self.voicing.text else self.telling.statement
