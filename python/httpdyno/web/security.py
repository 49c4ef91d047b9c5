"""Who may ask for what. Each request passes here before any page sees it.

- Host: only names of this machine. Another site's name that resolves to it (DNS rebinding) is none.
- Token: needed where other machines can reach the page. The link brings it; a cookie keeps it.
- Actions: only by POST, from a form of these pages, which carries the page's own secret (CSRF).
- Pages: nothing inline, nothing from elsewhere, in no frame, no address passed on.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from email.utils import formatdate
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from httpdyno.web.listener import Listener

MOST_BODY = 16 << 10
"""Bytes of a form."""
BODY_S = 10.0
"""The longest wait for a form."""
MOST_COOKIES = 16 << 10
"""Bytes of the cookies of a request: browsers keep 4 KB of one, and ports share them."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with `no-referrer`, forms have the origin `null`
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_WELCOME = """<!doctype html><html lang="en"><meta charset="utf-8"><title>httpdyno</title>
<meta http-equiv="refresh" content="0; url={path}"><p><a href="{path}">Continue</a></p></html>"""
"""Not a redirection: a browser that came from another site sends no `SameSite=Strict` cookie with
the redirected request."""

_SILENT = {"referrer-policy": "no-referrer"}
"""The address of that page has the token."""


@dataclass(frozen=True)
class Access:
    """The secrets and names of one page server."""

    listening: Listener
    form_secret: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers do not tell ports apart."""
        return f"httpdyno-{self.listening.port}"

    def knows_host(self, given: str) -> bool:
        """True for a name of this machine, with the right port."""
        host, port = _host_and_port(given)
        if port != self.listening.port:
            return False
        if self.listening.any_address and _is_address(host):
            return True
        own = _OWN_NAMES if self.listening.token else frozenset()
        return host in _LOOPBACK | own | {self.listening.host.lower()}

    def is_token(self, given: str | None) -> bool:
        """Compares in constant time."""
        token = self.listening.token
        return token is None or (given is not None and _same(given, token))

    def is_form_secret(self, given: str) -> bool:
        """Compares in constant time."""
        return _same(given, self.form_secret)


_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_NAME = socket.gethostname().lower()
_OWN_NAMES = frozenset({_NAME, f"{_NAME}.local"})


class Guard:
    """The outermost layer of the pages."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is not allowed; pass on the rest, and add the headers to its answer."""
        if scope["type"] != "http":
            return
        refused = self._refusal(scope)
        await (refused or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._access.knows_host(hosts[0]):
            return _plain(421, "this page is not known by that name; use the link that was printed")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _plain(405, "expected GET or POST")
        origin = headers.get("origin")
        if scope["method"] == "POST" and origin not in (None, f"http://{hosts[0]}"):
            return _plain(403, "this form is not from this page")
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        if self._access.listening.token is None:
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if scope["method"] == "GET" and given:
            if self._access.is_token(given[0]):
                return self._welcome(scope["path"])
            return _plain(403, "that token is not the one of this page; use the printed link")
        if self._access.is_token(_cookie(headers, self._access.cookie)):
            return None
        return _plain(403, "this page needs its token: open the link that httpdyno printed")

    def _welcome(self, path: str) -> Response:
        """Keep the token in a cookie, and show the page without it in the address."""
        safe = path if _is_plain(path) else "/"
        response = Response(_WELCOME.format(path=safe), media_type="text/html", headers=_SILENT)
        response.set_cookie(
            self._access.cookie,
            self._access.listening.token or "",
            httponly=True,
            samesite="strict",
            path="/",
        )
        return response


async def form_of(request: Request, access: Access) -> dict[str, str] | Response:
    """The fields of a form of these pages; else the refusal."""
    body = b""
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BODY:
                    return _plain(413, f"expected a form of at most {MOST_BODY} bytes")
    except TimeoutError:
        return _plain(408, f"expected the whole form within {BODY_S:g} s")
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return _plain(400, "expected a form")
    values = {name: given[-1] for name, given in fields.items()}
    if not access.is_form_secret(values.pop("secret", "")):
        return _plain(403, "this form is from before the page was started again: reload it")
    return values


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["date"] = formatdate(usegmt=True)
            headers.setdefault("content-security-policy", POLICY)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _plain(status: int, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", status)


def _cookie(headers: Headers, name: str) -> str | None:
    """The value of one cookie. Python's `SimpleCookie` takes quadratic time for some headers, which
    anybody can send."""
    given = headers.get("cookie", "")
    if len(given) > MOST_COOKIES:
        return None
    pairs = (one.strip().partition("=") for one in given.split(";"))
    return next((value for found, _, value in pairs if found == name), None)


def _host_and_port(given: str) -> tuple[str, int]:
    """The host without brackets, in lower case, and the port; -1 if it is no number."""
    host, colon, port = given.rpartition(":")
    if not colon or host.endswith(":") or (given.endswith("]")):
        host, port = given, "80"
    number = int(port) if port.isascii() and port.isdecimal() and len(port) <= 5 else -1
    return host.strip("[]").lower(), number


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_plain(path: str) -> bool:
    """True for a path that stays on this server and needs no escaping."""
    letters = path.replace("/", "").replace("-", "")
    return path.startswith("/") and not path.startswith("//") and (not letters or letters.isalnum())


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())
