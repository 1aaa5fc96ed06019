"""The prompt of a packet, by a Jinja2 template that is handed selected text only."""

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from ledger_service.domain.packets import ContextPacket, FlagKind
from ledger_service.domain.worlds import World

_SPOKEN_FLAGS = frozenset(FlagKind) - {FlagKind.IDENTITY_UNLINKED}


class JinjaPrompt:
    """Renders `templates/prompt.jinja`; what was withheld or is acted on only never reaches it."""

    def prompt(self, packet: ContextPacket, world: World) -> str:
        """Return the prompt's text."""
        character = world.find_character(packet.speaker)
        return _template().render(
            speaker=packet.speaker,
            name=character.name if character else packet.speaker,
            voice=character.voice if character else None,
            audience=packet.audience,
            at=packet.at,
            line=packet.line,
            selected=packet.selected,
            flags=[f for f in packet.flags if f.kind in _SPOKEN_FLAGS],
            commitments=packet.commitments,
            standings=packet.standings,
            residue=packet.residue,
            consequences=[c for c in packet.consequences if c.asked],
        )


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("ledger_service.responders"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701  (plain text for a model; pages are rendered elsewhere, with escaping)
    )
    return environment.get_template("prompt.jinja")
