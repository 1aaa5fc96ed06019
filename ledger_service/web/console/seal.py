"""What a browser may do with a page of ours: run our one script, load nothing from elsewhere, be in nobody's frame."""

from litestar.datastructures import MutableScopeHeaders
from litestar.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


def sealed(app: ASGIApp) -> ASGIApp:
    """Put these headers on every answer that has none of its own; the JSON interface keeps to its own."""

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if str(scope["type"]) != "http" or is_for_programs(scope["path"]):
            await app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableScopeHeaders.from_message(message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, marked)

    return call


def is_for_programs(path: str) -> bool:
    """Say whether an address belongs to the JSON interface."""
    return path == "/v1" or path.startswith(("/v1/", "/schema"))
