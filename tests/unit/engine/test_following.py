"""A run is looked at as often as its viewers need, and its signals are handled all the time."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
from typing import Any

import pytest
from httpdyno import engine
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Request, Stop, Target
from httpdyno.running.live.pace import Pace
from httpdyno.running.live.recorder import plan_record

WARM_UP_S, DURATION_S = 0.37, 60.0
PAGES = [("/hello", "text/plain", b"Hello, World!")]


class Clock:
    """A run of the engine in virtual time, whose threads publish every 0.1 s."""

    def __init__(self, reading_s: float = 0.0) -> None:
        self.now = 0.0
        self.reading_s = reading_s
        """The time that a reading takes."""
        self.waits: list[float] = []
        self.reads: list[float] = []

    def wait(self, _phase: str, timeout_s: float) -> bool:
        self.waits.append(timeout_s)
        # Time passes, however short the wait: the clock cannot show a quadrillionth of a second.
        self.now = min(self.now + max(timeout_s, 1e-6), WARM_UP_S + DURATION_S)
        return self.now >= WARM_UP_S + DURATION_S

    def progress(self) -> str:
        self.reads.append(self.now)
        window_s = max(0.0, math.floor((self.now - WARM_UP_S) * 10) / 10)
        counts = ("due", "sent", "ok", "failed", "in_flight", "open_connections")
        second = math.floor(window_s) - 1
        told: dict[str, Any] = {
            **dict.fromkeys(counts, 0),
            **dict.fromkeys(("p50_ns", "p99_ns", "lag_p99_ns"), 0),
            "phase": "measuring" if self.now >= WARM_UP_S else "warm_up",
            "elapsed_s": self.now,
            "window_s": window_s,
            "rate_per_s": second,
            "errors": {},
        }
        self.now += self.reading_s
        return json.dumps(told)


def plan(address: str = "127.0.0.1:1", **stop: Any) -> EnginePlan:
    host, _, port = address.rpartition(":")
    return EnginePlan(
        target=Target(host=host, port=int(port)),
        requests=[Request(path="/hello")],
        load=ClosedLoad(connections=4),
        warm_up_s=WARM_UP_S,
        stop=Stop(**stop),
    )


@pytest.mark.parametrize("reading_s", [0.0, 0.004, 0.05])
def test_each_second_of_a_window_is_read_once_soon_after_its_end(
    reading_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, pace = Clock(reading_s), Pace(plan_record(plan(duration_s=DURATION_S)))
    monkeypatch.setattr(engine, "monotonic", lambda: clock.now)
    engine.Running(clock).follow("done", pace.add)  # type: ignore[arg-type]
    # The rate of a second is its number here.
    assert pace.rates.values == list(range(int(DURATION_S) - 1))
    late = [(at - WARM_UP_S) % 1 for at in clock.reads if at - WARM_UP_S > 2]
    assert max(late) < 0.4
    assert len(clock.reads) <= DURATION_S + 2
    assert max(clock.waits) <= engine.SIGNAL_S


def test_a_faster_listener_is_served_at_its_own_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(engine, "monotonic", lambda: clock.now)
    engine.Running(clock).follow("done", lambda _: None, every_s=0.5)  # type: ignore[arg-type]
    assert len(clock.reads) == pytest.approx((WARM_UP_S + DURATION_S) / 0.5, abs=1)


def test_a_signal_is_handled_in_the_midst_of_a_long_wait() -> None:
    with engine.reference(pages=PAGES) as server:
        running = engine.start(plan(server.address, duration_s=30))
        before = signal.signal(signal.SIGUSR1, lambda *_: running.stop())
        sender = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
        try:
            sender.start()
            # Handled only after this wait, the signal would come too late.
            assert running.wait("done", 20)
        finally:
            sender.join()
            signal.signal(signal.SIGUSR1, before)
            running.abandon()
        assert running.result().stopped_by == "interrupt"
