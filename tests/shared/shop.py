"""A shop as people have them: login, list, item by id, order as JSON. It can fail on purpose.

    python tests/shared/shop.py 8080
    python tests/shared/shop.py 8080 --unavailable 0.002 --slow 'POST /orders=20' --fault crossed

- `POST /login`, `{"email": "ann@example.org", "password": "secret of ann@example.org"}`: a token
- `GET /items?page=1`: ten items
- `GET /items/{id}`, from 1 to 10,000: one item
- `POST /orders`, `{"item": 1, "count": 2}` with `Authorization: Bearer TOKEN`: 201

Every request is a line of `--log`: method, target, status, body in base64.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Literal, TextIO

ITEMS = 10_000
PAGE = 10
Fault = Literal["cached", "stale", "crossed"]
FAULTS: tuple[Fault, ...] = ("cached", "stale", "crossed")

_ORDERS = count(1)


@dataclass
class Settings:
    """The faults of a shop."""

    unavailable: float = 0.0
    """Share of requests that are answered 503, evenly spread."""
    slow_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds that an endpoint takes longer, by its name, such as `POST /orders`."""
    fault: Fault | None = None
    """Replies of `GET /items/{id}`: always that to the first request, that to the request before it
    on its connection, or now and then that to a request on another connection."""
    log: TextIO | None = None


@dataclass
class Shop:
    """The state of a running shop."""

    settings: Settings
    requests: int = 0
    refused: int = 0
    item_requests: int = 0
    first_item: bytes | None = None
    """The reply to the first request for an item."""
    last_item: bytes | None = None
    """The reply to the last request for an item, on any connection."""

    def is_unavailable(self) -> bool:
        """True for a share of the requests, evenly spread."""
        self.requests += 1
        due = int(self.requests * self.settings.unavailable)
        self.refused, before = due, self.refused
        return due > before

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        previous: bytes | None = None
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, target, fields = _head(head)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                name, status, page = self.answer(method, target, fields, body)
                if name == "GET /items/{id}" and status == 200:
                    right = page
                    page = self.faulty(page, previous)
                    previous = self.last_item = right
                    self.first_item = self.first_item or right
                if slow := self.settings.slow_ms.get(name):
                    await asyncio.sleep(slow / 1000)
                if self.settings.log:
                    line = f"{method} {target} {status} {b64encode(body).decode()}\n"
                    self.settings.log.write(line)
                writer.write(_reply(status, page))
                await writer.drain()
                if fields.get("connection", "").lower() == "close":
                    break
        writer.close()

    def faulty(self, right: bytes, previous: bytes | None) -> bytes:
        """The reply to a request for an item, with the fault of this shop."""
        self.item_requests += 1
        wrong: bytes | None = None
        if self.settings.fault == "cached":
            wrong = self.first_item
        elif self.settings.fault == "stale":
            wrong = previous
        elif self.settings.fault == "crossed" and self.item_requests % 100 == 0:
            wrong = self.last_item
        return wrong or right

    def answer(
        self, method: str, target: str, fields: dict[str, str], body: bytes
    ) -> tuple[str, int, bytes]:
        """The name of the endpoint, the status and the page."""
        path = target.partition("?")[0]
        is_item = path.startswith("/items/")
        name = f"{method} {'/items/{id}' if is_item else path}"
        if self.is_unavailable():
            return name, 503, _json({"error": "unavailable"})
        if name == "POST /login":
            return name, *_login(body)
        if name == "GET /items":
            return name, *_list(target)
        if name == "GET /items/{id}":
            return name, *_item(path.removeprefix("/items/"))
        if name == "POST /orders":
            return name, *_order(fields.get("authorization", ""), body)
        return name, 404, _json({"error": "not found"})


def token_of(email: str) -> str:
    """The token that the login of this user returns."""
    return sha256(f"token of {email}".encode()).hexdigest()[:32]


def password_of(email: str) -> str:
    """The password of this user."""
    return f"secret of {email}"


def item(number: int) -> dict[str, Any]:
    """The item with this number."""
    tags = ["new", "sale"] if number % 2 else ["used"]
    return {"id": number, "name": f"item {number}", "price": number / 4, "tags": tags}


_KNOWN: set[str] = set()
"""Tokens of logins."""


def _login(body: bytes) -> tuple[int, bytes]:
    given = _object(body)
    email = str(given.get("email", ""))
    if not email or given.get("password") != password_of(email):
        return 401, _json({"error": "wrong password"})
    _KNOWN.add(token_of(email))
    return 200, _json({"access_token": token_of(email), "email": email})


def _list(target: str) -> tuple[int, bytes]:
    page = dict(part.partition("=")[::2] for part in target.partition("?")[2].split("&"))
    number = page.get("page") or "1"
    if not number.isdecimal() or not 1 <= int(number) <= ITEMS // PAGE:
        return 404, _json({"error": "no such page"})
    first = (int(number) - 1) * PAGE + 1
    return 200, _json({"page": int(number), "items": [item(first + n) for n in range(PAGE)]})


def _item(number: str) -> tuple[int, bytes]:
    if not number.isdecimal() or not 1 <= int(number) <= ITEMS:
        return 404, _json({"error": "no such item"})
    return 200, _json(item(int(number)))


def _order(authorization: str, body: bytes) -> tuple[int, bytes]:
    if authorization.removeprefix("Bearer ") not in _KNOWN:
        return 401, _json({"error": "log in first"})
    given = _object(body)
    if not isinstance(given.get("item"), int) or not isinstance(given.get("count"), int):
        return 422, _json({"error": "expected an item and a count"})
    return 201, _json({"order": next(_ORDERS), "item": given["item"], "count": given["count"]})


def _object(body: bytes) -> dict[str, Any]:
    with suppress(ValueError):
        given = json.loads(body)
        return given if isinstance(given, dict) else {}
    return {}


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    return method, target, {name.lower(): value.strip() for name, _, value in pairs}


_WORDS = {200: "OK", 201: "Created", 401: "Unauthorized", 404: "Not Found"}


def _reply(status: int, page: bytes) -> bytes:
    cookie = "Set-Cookie: sid=s123; Path=/\r\n" if status == 200 else ""
    head = (
        f"HTTP/1.1 {status} {_WORDS.get(status, 'Other')}\r\nContent-Type: application/json\r\n"
        f"{cookie}X-Request-Id: r-{len(page)}\r\nContent-Length: {len(page)}\r\n\r\n"
    )
    return head.encode() + page


async def start(settings: Settings, port: int = 0) -> asyncio.Server:
    """A shop that listens on 127.0.0.1; port 0: a free one."""
    return await asyncio.start_server(Shop(settings).serve, "127.0.0.1", port, backlog=1024)


async def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--unavailable", type=float, default=0.0)
    parser.add_argument("--slow", action="append", default=[], metavar="'POST /orders=20'")
    parser.add_argument("--fault", choices=FAULTS)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    slow = {name: float(ms) for name, _, ms in (one.rpartition("=") for one in given.slow)}
    log = given.log.open("w", buffering=1) if given.log else None
    server = await start(Settings(given.unavailable, slow, given.fault, log), given.port)
    sys.stdout.write(f"listening {server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
