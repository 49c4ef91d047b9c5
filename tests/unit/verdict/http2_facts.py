"""Measurements and facts that trip the rules about HTTP/2 and HTTP/3, and those that do not."""

from __future__ import annotations

from typing import Any

from generated import answered, lost, open_load
from hypothesis import strategies as st
from measured import Change, datagrams, plan, streams, time


def ended_with(code: str) -> Change:
    """A connection that ends with this code, after a call of it was cancelled."""
    return streams(cancels=1, goaways=1, goaway_codes={code: 1})


def cancelled(f: Change, draw: Any) -> None:
    codes = {draw(st.sampled_from(["ENHANCE_YOUR_CALM", "PROTOCOL_ERROR", "other"])): 1}
    f |= streams(cancels=draw(st.integers(1, 1000)), goaways=1, goaway_codes=codes)


def held_back(f: Change, draw: Any) -> None:
    """Calls wait for streams: more of them than a hundredth of those that were sent."""
    open_load(f)
    sent = answered(f) + lost(f)
    f |= streams(stream_wait=time(sent // 100 + 1 + draw(st.integers(0, 100))))


def used_up(f: Change, draw: Any) -> None:
    warm = f["warm_up_calls"]
    sent = answered(f) + lost(f)
    if warm:
        sent += answered({"calls": warm}) + lost({"calls": warm})
    f |= streams(windows_used_up=sent // 100 + 1 + draw(st.integers(0, 100)))


def busy_cores(
    used: float, *, cores: int | None = 4, connections: int = 1, **changes: Any
) -> Change:
    """The surroundings of a closed load over HTTP/2 whose server used so many processors."""
    load = {"kind": "closed", "connections": connections}
    beside = plan(load, **{"http": "2", **changes})
    return {"plan": beside, "server_share": used / (cores or 4), "server_cores": cores}


def lost_on_the_way(f: Change, draw: Any) -> None:
    f |= datagrams(packets_lost=draw(st.integers(11, 10_000)))


CASES: dict[str, tuple[Change, Change]] = {
    "goaway_after_cancels": (ended_with("ENHANCE_YOUR_CALM"), ended_with("NO_ERROR")),
    "packets_lost": (datagrams(packets_lost=11), datagrams(packets_lost=10)),
    "stream_limit": (streams(stream_wait=time(101)), streams(stream_wait=time(100))),
    "window_limited": (streams(windows_used_up=111), streams(windows_used_up=110)),
}
"""code → changes that trip it, changes just inside its limit that do not"""
MAKES = {
    "goaway_after_cancels": cancelled,
    "packets_lost": lost_on_the_way,
    "stream_limit": held_back,
    "window_limited": used_up,
}
"""code → makes of any facts those on which the rule gives its reason"""
