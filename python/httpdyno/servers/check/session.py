"""Checks a session: the engine sends each of its calls once, in order, with the values that earlier
replies have."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from httpdyno.choices import HttpVersion
from httpdyno.engine_plan import Target, literal, parse_data
from httpdyno.servers.check.requests import request
from httpdyno.servers.process.engine_calls import EngineCall, called_in_order
from httpdyno.workloads import Exchange, Workload

__all__ = ["called_in_session", "without_kept"]


def called_in_session(
    at: Target, workload: Workload, http: HttpVersion = "1.1"
) -> list[EngineCall]:
    """Sends each request of a session once. A wrong reply, or none, raises nothing.

    Raises UsageError for a session that cannot be sent.
    """
    requests = [request(one) for one in workload.measured]
    data = [parse_data(one) for one in workload.data]
    return called_in_order(at, requests, data=data, http=http)


def without_kept(workload: Workload) -> Workload:
    """The workload with the text of its placeholder in place of each kept value, for a server whose
    replies have none."""
    kept = {name for one in workload.measured for name, _, _ in one.keep}
    if not kept:
        return workload
    return replace(workload, measured=tuple(_without(one, kept) for one in workload.measured))


def _without(exchange: Exchange, kept: Set[str]) -> Exchange:
    def text(given: str) -> str:
        return literal(given) if any(f"{{{name}}}" in given for name in kept) else given

    body = exchange.body
    return replace(
        exchange,
        keep=(),
        path=text(exchange.path),
        headers=tuple((name, text(value)) for name, value in exchange.headers),
        body=text(body.decode()).encode() if body and exchange.body_varies else body,
    )
