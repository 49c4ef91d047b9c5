"""The arithmetic of `benches/lag.py`, `benches/connections.py` and `benches/variants.py`."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHES = Path(__file__).resolve().parents[3] / "benches"
RATE = 1000.0


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import from `benches/`, which is a folder of programs, not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module


def even(count: int, rate: float = RATE, first_s: float = 3.0) -> list[float]:
    return [first_s + place / rate for place in range(count)]


def test_an_even_spacing_is_on_schedule_whenever_it_started(load: Any) -> None:
    off, share = load("lag").off_schedule(even(2000), RATE)
    assert max(off.values()) == pytest.approx(0.0, abs=1e-9)
    assert share == pytest.approx(1.0)


def test_a_wrong_rate_is_distinguished_from_lateness(load: Any) -> None:
    off, share = load("lag").off_schedule(even(2000, 0.98 * RATE), RATE)
    assert max(off.values()) == pytest.approx(0.0, abs=1e-9)
    assert share == pytest.approx(0.98)


def test_the_tail_shows_how_late_the_late_requests_were(load: Any) -> None:
    came = even(10_000)
    came = [moment + 0.0002 * (place % 50 == 0) for place, moment in enumerate(came)]
    off, share = load("lag").off_schedule(came, RATE)
    assert off["p50"] == pytest.approx(0.0, abs=1e-6)
    assert off["p99"] == pytest.approx(0.0002, rel=0.05)
    assert off["max"] == pytest.approx(0.0002, rel=0.05)
    assert share == pytest.approx(1.0, abs=1e-4)


def test_the_beginning_and_the_end_do_not_count(load: Any) -> None:
    came = even(10_000)
    came[10] += 5.0
    came[-10] += 5.0
    assert max(load("lag").off_schedule(came, RATE)[0].values()) < 0.01


def test_too_few_requests_are_a_failure(load: Any) -> None:
    with pytest.raises(load("peers.runs.trial").FailedError, match="made 12 requests"):
        load("lag").off_schedule(even(12), RATE)


def test_the_worse_driver_decides_whether_a_lag_goal_is_met(load: Any) -> None:
    lag = load("lag")
    seen = {
        "httpdyno, io_uring, sleeping": lag.Seen(own=[{"p99": 90e-6}, {"p99": 300e-6}]),
        "httpdyno, epoll, sleeping": lag.Seen(own=[{"p99": 80e-6}]),
        "httpdyno, io_uring, spinning": lag.Seen(own=[{"p99": 4e-6}]),
        "vegeta": lag.Seen(),
    }
    sleeping, low_latency, spinning = lag.goals(seen)
    assert (sleeping.met, low_latency.met, spinning.met) == (False, None, True)
    assert "195.0 µs, httpdyno, io_uring" in sleeping.found
    assert [goal.met for goal in lag.goals({})] == [None, None, None]


def test_the_clock_alone_is_shown_with_a_goal_and_never_decides_it(load: Any) -> None:
    lag = load("lag")
    told = {"p50": 1e-7, "p99": 7e-6, "p99.9": 2e-3, "max": 3e-3}
    seen = {
        "the clock alone, spinning": lag.Seen(own=[{**told, "p99": 800e-6}]),
        "httpdyno, epoll, spinning": lag.Seen(own=[told], off=[told], rates=[0.999]),
        "oha": lag.Seen(),
    }
    goal = list(lag.goals(seen))[-1]
    assert goal.met
    assert goal.found.endswith("the clock alone: 800.0 µs")
    lines = list(lag.table(RATE, seen))
    alone = "| the clock alone, spinning | 0.1 | 800.0 | 2,000.0 | 3,000.0 |  |  |  |  |  |"
    assert lines[4] == alone
    assert lines[-1] == "Failed in each round: oha."


def test_no_lag_is_reported_if_all_calls_waited_for_a_connection(load: Any, tmp_path: Path) -> None:
    lag = {"p50_ns": 300, "p99_ns": 4000, "p999_ns": 9000, "max_ns": 20_000}
    for count, p99_s in ((7, 4e-6), (0, None)):
        text = json.dumps({"times": {"lag": {**lag, "count": count}}})
        (tmp_path / "out").write_text(text, encoding="utf-8")
        assert load("lag").reported_lag(tmp_path / "out").get("p99") == p99_s


def held(load: Any, sockets: int) -> Any:
    return load("peers.runs.kernel").Held(sockets, 0, 0, 0)


def test_connections_are_open_once_both_ends_of_all_exist(load: Any) -> None:
    looks = [(second, held(load, 3 + n)) for second, n in enumerate((0, 1, 90, 199, 200, 200, 0))]
    opening = load("peers.runs.many_connections").opening
    assert opening(looks, 3, 100) == 4 - 2
    assert opening(looks, 3, 101) is None


def test_a_page_gets_its_tables_between_the_marks_and_keeps_its_other_text(load: Any) -> None:
    between = load("peers.tables.marks").between
    page = "# Title\n<!-- begin: make x -->\nold\n<!-- end: make x -->\nThe end.\n"
    once = between(page, "make x", "| new |")
    assert once == page.replace("old", "| new |")
    assert between(once, "make x", "| new |") == once
    with pytest.raises(ValueError, match="lacks the marks"):
        between("# Title\n", "make x", "| new |")


SHORT_CONNECTIONS = """
import socket
from peers.runs.network import own_network
print(own_network())
with socket.create_server(("127.0.0.1", 0)) as server:
    for _ in range(50):
        with socket.create_connection(server.getsockname()):
            server.accept()[0].close()
print(open("/proc/net/sockstat").read())
"""


def test_the_network_of_the_bench_keeps_no_port_of_a_closed_connection(tmp_path: Path) -> None:
    ports = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="utf-8")
    words = [sys.executable, "-c", SHORT_CONNECTIONS]
    told = subprocess.run(
        words,
        cwd=tmp_path,
        env={"PYTHONPATH": str(BENCHES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    if told.stdout.startswith("the machine's own"):
        pytest.skip(told.stdout.splitlines()[0])
    assert " tw 0 " in told.stdout
    assert Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="utf-8") == ports
