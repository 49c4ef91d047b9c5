"""An exchange as a request of the engine, and a session as its script."""

from __future__ import annotations

import base64
from typing import assert_never

from httpdyno.engine_plan import (
    Base64,
    Body,
    Expect,
    Html,
    InCookie,
    InHeader,
    InJson,
    InMatch,
    Json,
    Keep,
    Length,
    Like,
    Regex,
    Request,
    Same,
    Script,
    ScriptStep,
    Text,
)
from httpdyno.workloads import Exchange, Workload

__all__ = ["request", "script_of"]


def request(exchange: Exchange) -> Request:
    """An exchange as a request whose reply is checked: byte for byte, unless it says otherwise."""
    body: Body | None = None if exchange.body is None else _bytes(exchange.body)
    if exchange.body is not None and exchange.body_varies:
        body = Text(text=exchange.body.decode())
    return Request(
        name=exchange.name,
        method=exchange.method,
        path=exchange.path,
        headers=list(exchange.headers),
        body=body,
        placeholders=exchange.varies,
        grpc=exchange.grpc,
        keep=[_keep(*one) for one in exchange.keep],
        weight=exchange.weight,
        expect=Expect(
            status=None if exchange.statuses is None else list(exchange.statuses),
            body=_right_body(exchange),
            check_one_in=exchange.check_one_in,
        ),
    )


def _keep(name: str, kind: str, place: str) -> Keep:
    source: InJson | InMatch | InHeader | InCookie
    match kind:
        case "regex":
            source = InMatch(regex=place)
        case "header":
            source = InHeader(header=place)
        case "cookie":
            source = InCookie(cookie=place)
        case _:
            source = InJson(json=place)
    return Keep(name=name, source=source)


def script_of(workload: Workload, think_s: float) -> Script | None:
    """The script of a workload's session over its requests; None: the workload is no session.

    `think_s` is the pause behind calls that name none.
    """
    if not workload.session:
        return None
    return [
        ScriptStep(requests=[index], think_s=think_s if one.think_s is None else one.think_s)
        for index, one in enumerate(workload.measured)
        for _ in range(one.weight)
    ]


def _right_body(exchange: Exchange) -> Body | Length | Same | Like | Json | Html | Regex | None:
    text = exchange.answer.decode
    right: Body | Length | Same | Like | Json | Html | Regex | None
    match exchange.right:
        case "answer":
            right = _bytes(exchange.answer)
        case "length":
            right = Length(length=exchange.length)
        case "same":
            right = Same()
        case "like":
            right = Like()
        case "json":
            right = Json(json=text())
        case "html":
            right = Html(html=text())
        case "regex":
            right = Regex(regex=text())
        case "any":
            right = None
        case _:
            assert_never(exchange.right)
    return right


def _bytes(content: bytes) -> Base64:
    return Base64(base64=base64.b64encode(content).decode())
