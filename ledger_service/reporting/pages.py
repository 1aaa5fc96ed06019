"""What our HTML pages are made with: everything is escaped, and an unknown name is an error."""

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


def template(name: str) -> Template:
    """Return the template of a page that stands alone."""
    return _environment().get_template(name)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("ledger_service.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
