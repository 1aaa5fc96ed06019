"""Settings: every variable that the product reads, with its default and what it means."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from ledger_service.domain.errors import SettingError

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
LOOP = {"use_uvloop": True}
"""What every event loop is run with."""
_LAST_PORT = 65_535
OPENINGS = ("projection", "copy", "copy_always")


class Settings(Struct, frozen=True, kw_only=True):
    """What a run of the product is told from outside."""

    home: Path
    """Where the embedded stores and run reports are kept."""
    postgres_url: str | None = None
    """A real PostgreSQL (15 or newer) for the service, instead of the embedded one."""
    postgres_admin_url: str | None = None
    """The same server for migrations and set-up."""
    falkordb_url: str | None = None
    """A real FalkorDB (4.16 or newer), instead of the embedded one."""
    graph_opening: str = "projection"
    """How a playthrough's graph is opened: `projection`, `copy` of a template, or `copy_always`, on old engines too."""
    graph_idle_minutes: float = 0
    """After so long without a question a graph is let go, and comes back from the record; 0 is never."""
    host: str = "127.0.0.1"
    """Address that `continuity serve` listens on; anything but loopback needs a key."""
    port: int = 8321
    """Port that `continuity serve` listens on."""
    max_body_bytes: int = 4_000_000
    """Largest request body."""
    max_import_bytes: int = 200_000_000
    """Largest exported playthrough that is taken in over HTTP."""
    request_timeout_s: float = 30.0
    """Longest time a request may take."""
    chat_url: str | None = None
    """An OpenAI-compatible endpoint for the `http_chat` speaker."""
    chat_model: str = ""
    """The model that `http_chat` asks for."""
    chat_key: str | None = None
    """The key that `http_chat` sends."""
    chat_deadline_s: float = 20.0
    """After this the template speaks instead."""
    judge_url: str | None = None
    """An OpenAI-compatible endpoint that is asked where rules cannot tell whether a reply holds; none asks nobody."""
    judge_model: str = ""
    """The one model that judges; never the one that speaks."""
    judge_key: str | None = None
    """The key that the judge is asked with."""
    judge_deadline_s: float = 10.0
    """After this the reply stays unscored."""
    judge_may_gate: bool = False
    """The judge's word decides; only after `continuity judge calibrate` says that it may."""
    chat_per_minute: float = 0
    """Requests begun in a minute: by each process, and by all workers on runs together; 0 is no limit."""
    chat_in_flight: int = 8
    """Requests that each process may have under way at once."""
    chat_price_in: float = 0
    """What a million tokens of prompt cost."""
    chat_price_out: float = 0
    """What a million tokens of answer cost."""
    memory_url: str | None = None
    """An outside memory system for the `http_memory` subject."""
    memory_name: str = ""
    """Its name in reports."""
    memory_key: str | None = None
    """The key that `http_memory` sends."""
    memory_deadline_s: float = 20.0
    """Longest time that each of its calls may take."""

    @property
    def is_loopback(self) -> bool:
        """Only this machine can reach the service."""
        return self.host in LOOPBACK


VARIABLES: Mapping[str, tuple[str, str]] = {
    "CONTINUITY_HOME": ("~/.local/share/continuity", "where the embedded stores and run reports are kept"),
    "CONTINUITY_POSTGRES_URL": ("embedded", "a real PostgreSQL, as the role the service uses"),
    "CONTINUITY_POSTGRES_ADMIN_URL": ("embedded", "the same server, as a role that may migrate"),
    "CONTINUITY_FALKORDB_URL": ("embedded", "a real FalkorDB, redis:// or unix://"),
    "CONTINUITY_GRAPH_OPENING": ("projection", "how a graph is opened: projection, copy (of a template), copy_always"),
    "CONTINUITY_GRAPH_IDLE_MINUTES": ("0", "minutes after which an idle graph is let go; 0 is never"),
    "CONTINUITY_HOST": ("127.0.0.1", "address to listen on; anything but loopback needs a key"),
    "CONTINUITY_PORT": ("8321", "port to listen on"),
    "CONTINUITY_MAX_BODY_BYTES": ("4000000", "largest request body"),
    "CONTINUITY_MAX_IMPORT_BYTES": ("200000000", "largest exported playthrough that is taken in over HTTP"),
    "CONTINUITY_REQUEST_TIMEOUT_S": ("30", "longest time a request may take"),
    "CONTINUITY_CHAT_URL": ("", "OpenAI-compatible endpoint of the http_chat speaker"),
    "CONTINUITY_CHAT_MODEL": ("", "model that http_chat asks for"),
    "CONTINUITY_CHAT_KEY": ("", "key that http_chat sends"),
    "CONTINUITY_CHAT_DEADLINE_S": ("20", "seconds after which the template speaks instead"),
    "CONTINUITY_JUDGE_URL": ("", "OpenAI-compatible endpoint of the judge, asked where rules leave a reply unscored"),
    "CONTINUITY_JUDGE_MODEL": ("", "model that judges; never the one that speaks"),
    "CONTINUITY_JUDGE_KEY": ("", "key that the judge is asked with"),
    "CONTINUITY_JUDGE_DEADLINE_S": ("10", "seconds after which a reply stays unscored"),
    "CONTINUITY_JUDGE_MAY_GATE": ("no", "yes lets the judge's word decide, once `judge calibrate` says it may"),
    "CONTINUITY_CHAT_PER_MINUTE": ("0", "requests begun in a minute, by all workers on runs together; 0 is no limit"),
    "CONTINUITY_CHAT_IN_FLIGHT": ("8", "requests that each process may have under way at once"),
    "CONTINUITY_CHAT_PRICE_IN": ("0", "what a million tokens of prompt cost, in any currency"),
    "CONTINUITY_CHAT_PRICE_OUT": ("0", "what a million tokens of answer cost, in the same"),
    "CONTINUITY_MEMORY_URL": ("", "outside memory system of the http_memory subject (`continuity schema memory`)"),
    "CONTINUITY_MEMORY_NAME": ("", "its name in reports"),
    "CONTINUITY_MEMORY_KEY": ("", "key that http_memory sends"),
    "CONTINUITY_MEMORY_DEADLINE_S": ("20", "seconds that each of its calls may take"),
}
"""Name, default and meaning of every variable; README and `continuity doctor` show this table."""


def from_env(env: Mapping[str, str]) -> Settings:
    """Read settings from a mapping such as `os.environ`.

    Raises:
        SettingError: a value that cannot be used, with the cure.
    """
    url, admin = env.get("CONTINUITY_POSTGRES_URL") or None, env.get("CONTINUITY_POSTGRES_ADMIN_URL") or None
    if admin and not url:
        cure = "set CONTINUITY_POSTGRES_URL as well, or neither"
        raise SettingError("CONTINUITY_POSTGRES_ADMIN_URL", "is set without CONTINUITY_POSTGRES_URL", cure=cure)
    return Settings(
        home=_home(env),
        postgres_url=_checked_url(env, "CONTINUITY_POSTGRES_URL", ("postgresql://", "postgres://")),
        postgres_admin_url=_checked_url(env, "CONTINUITY_POSTGRES_ADMIN_URL", ("postgresql://", "postgres://")),
        falkordb_url=_checked_url(env, "CONTINUITY_FALKORDB_URL", ("redis://", "rediss://", "unix://")),
        graph_opening=_one_of(env, "CONTINUITY_GRAPH_OPENING", OPENINGS),
        graph_idle_minutes=_number(env, "CONTINUITY_GRAPH_IDLE_MINUTES", 0.0, least=0, most=100_000),
        host=env.get("CONTINUITY_HOST") or "127.0.0.1",
        port=int(_number(env, "CONTINUITY_PORT", 8321, most=_LAST_PORT)),
        max_body_bytes=int(_number(env, "CONTINUITY_MAX_BODY_BYTES", 4_000_000, most=1_000_000_000)),
        max_import_bytes=int(_number(env, "CONTINUITY_MAX_IMPORT_BYTES", 200_000_000, most=2_000_000_000)),
        request_timeout_s=_number(env, "CONTINUITY_REQUEST_TIMEOUT_S", 30.0, most=3_600),
        chat_url=env.get("CONTINUITY_CHAT_URL") or None,
        chat_model=env.get("CONTINUITY_CHAT_MODEL", ""),
        chat_key=env.get("CONTINUITY_CHAT_KEY") or None,
        chat_deadline_s=_number(env, "CONTINUITY_CHAT_DEADLINE_S", 20.0, most=600),
        judge_url=_judge_url(env),
        judge_model=env.get("CONTINUITY_JUDGE_MODEL", ""),
        judge_key=env.get("CONTINUITY_JUDGE_KEY") or None,
        judge_deadline_s=_number(env, "CONTINUITY_JUDGE_DEADLINE_S", 10.0, most=600),
        judge_may_gate=(_one_of(env, "CONTINUITY_JUDGE_MAY_GATE", ("no", "yes")) == "yes"),
        chat_per_minute=_number(env, "CONTINUITY_CHAT_PER_MINUTE", 0.0, least=0, most=1_000_000),
        chat_in_flight=int(_number(env, "CONTINUITY_CHAT_IN_FLIGHT", 8, most=1_000)),
        chat_price_in=_number(env, "CONTINUITY_CHAT_PRICE_IN", 0.0, least=0, most=1_000_000),
        chat_price_out=_number(env, "CONTINUITY_CHAT_PRICE_OUT", 0.0, least=0, most=1_000_000),
        memory_url=env.get("CONTINUITY_MEMORY_URL") or None,
        memory_name=env.get("CONTINUITY_MEMORY_NAME", ""),
        memory_key=env.get("CONTINUITY_MEMORY_KEY") or None,
        memory_deadline_s=_number(env, "CONTINUITY_MEMORY_DEADLINE_S", 20.0, most=600),
    )


def _judge_url(env: Mapping[str, str]) -> str | None:
    """Return where the judge is; it is pinned to a model, and to none that speaks."""
    url, model = _checked_url(env, "CONTINUITY_JUDGE_URL", ("http://", "https://")), env.get("CONTINUITY_JUDGE_MODEL")
    if url is not None and not model:
        raise SettingError("CONTINUITY_JUDGE_MODEL", "is missing", cure="name the one model that judges")
    if url is not None and model == env.get("CONTINUITY_CHAT_MODEL"):
        cure = "let another model judge than the one that speaks"
        raise SettingError("CONTINUITY_JUDGE_MODEL", f"{model} is the model that speaks", cure=cure)
    return url


def _home(env: Mapping[str, str]) -> Path:
    named = env.get("CONTINUITY_HOME") or f"{env.get('XDG_DATA_HOME') or '~/.local/share'}/continuity"
    try:
        return Path(named).expanduser().absolute()
    except RuntimeError as error:
        raise SettingError("CONTINUITY_HOME", str(error), cure="name the folder in full, from / on") from error


def _checked_url(env: Mapping[str, str], name: str, schemes: tuple[str, ...]) -> str | None:
    url = env.get(name) or None
    if url is not None and not url.startswith(schemes):
        raise SettingError(name, "is no URL of the right kind", cure=f"it starts with {' or '.join(schemes)}")
    try:
        urlsplit(url or "").port  # noqa: B018  (reading it is what checks it)
    except ValueError as error:
        cure = "write it as scheme://user:password@host:port"
        raise SettingError(name, f"cannot be read: {error}", cure=cure) from None
    return url


def _one_of(env: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    word = env.get(name) or words[0]
    if word not in words:
        raise SettingError(name, f"{word!r} is none of its values", cure=f"take one of {', '.join(words)}")
    return word


def _number(env: Mapping[str, str], name: str, default: float, *, most: float, least: float = 1) -> float:
    text = env.get(name) or ""
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not least <= value <= most:
        why = f"{text!r} is not a number from {least:,.0f} to {most:,.0f}"
        raise SettingError(name, why, cure=f"leave it out for {default:.0f}")
    return value


def environment(settings: Settings) -> dict[str, str]:
    """Return the variables that say the same to another process.

    >>> environment(Settings(home=Path("/a"), judge_may_gate=True, port=9))["CONTINUITY_JUDGE_MAY_GATE"]
    'yes'
    """
    given = {name: getattr(settings, name) for name in settings.__struct_fields__}
    said = {name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in given.items()}
    return {f"CONTINUITY_{name.upper()}": str(value) for name, value in said.items() if value not in {None, ""}}
