"""Accuracy of the engine's times: what it reports, compared with what the reference server did.

    make bench
    python benches/accuracy.py [--rounds N] [--seconds N] [--rate N] [--spin] [--server-cpu N]
    python benches/accuracy.py --http 2 [--connections 8] [--streams 64]

The server delays each reply by a known distribution and records how long it really held it, from
reading the request to sending the reply. On a busy machine that is longer than asked for, and it is
the truth here. The engine reports service time (from sending) and response time (from the due time,
so including its own lag). Every cell is measured once per round; its error is the median over the
rounds, with the worst round beside it. Limit: 3 % of the truth or 100 µs, whichever is larger; exit
code 1 if one is exceeded. The last test is a stall of 1 s: the share of calls over 100 ms, compared
with what the schedule predicts for response and for service time.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from typing import Any

import numpy as np
from httpdyno import engine
from httpdyno.engine_plan.reading import read
from httpdyno.measurement import Measurement

QUANTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99}
DELAYS = ("1ms", "10ms", "exponential:10ms")
DRIVERS = ("io_uring", "epoll")


def measure(
    server: Any, paths: dict[str, int], driver: str, options: Any
) -> tuple[Measurement, list[int]]:
    """Run an open load at a constant rate; also return the delays (ns) that the server really held.

    `paths`: requests with their weights. The warm-up opens the connections.
    """
    host, _, port = server.address.rpartition(":")
    segment = {"from_per_s": options.rate, "to_per_s": options.rate}
    plan = {
        "target": {"host": host, "port": int(port)},
        "http": options.http,
        "http2": {"streams": options.streams} if options.http == "2" else None,
        "requests": [{"path": path, "weight": weight} for path, weight in paths.items()],
        "load": {
            "kind": "requests",
            "connections": options.connections,
            "arrivals": {"spacing": "constant", "segments": [segment]},
        },
        "warm_up_s": 1.0,
        "stop": {"duration_s": options.seconds},
        "driver": driver,
        "cpus": [options.engine_cpu],
        "spin": options.spin,
    }
    run = engine.start(read(plan))
    run.wait("measuring", 10.0)
    server.take_delays()
    return run.result(), server.take_delays()


def errors_us(truth_ns: list[int], measured: Measurement) -> np.ndarray:
    """Reported time minus truth, [µs], shape (quantiles, 2): service time, response time."""
    truth = np.quantile(truth_ns, list(QUANTILES.values()))
    times = (measured.times.service, measured.times.response)
    reported = [[getattr(time, f"{name}_ns") for time in times] for name in QUANTILES]
    return (np.array(reported) - truth[:, np.newaxis]) / 1e3


def compare(driver: str, delay: str, errors: np.ndarray, truth_ms: np.ndarray) -> int:
    """Print the rows of a delay, `errors` of shape (rounds, quantiles, 2); return how many fail."""
    crossed = 0
    middle = np.median(errors, axis=0)
    farthest = np.abs(errors).argmax(axis=0, keepdims=True)
    worst = np.take_along_axis(errors, farthest, axis=0)[0]
    for row, name in enumerate(QUANTILES):
        line = f"{driver:9} {delay:17} {name:4} {truth_ms[row]:9.3f}"
        for time in range(2):
            within = abs(middle[row, time]) <= max(0.03 * truth_ms[row] * 1e3, 100.0)
            crossed += not within
            mark = "" if within else "NO"
            line += f" {middle[row, time]:+8.0f} {worst[row, time]:+8.0f} {mark:3}"
        print(line)
    return crossed


def share_over(hdr: str, limit_ns: int) -> float:
    """Share of a histogram above a limit, to the nearest 0.1 %."""
    values = engine.quantiles(hdr, [n / 1000 for n in range(1000)])
    return sum(value > limit_ns for value in values) / 1000


def stall(server: Any, driver: str, options: Any) -> None:
    """Measure a stall of 1 s on one connection: the share of slow response and service times."""
    alone = {"rate": 200.0, "connections": 1, "streams": 1}
    options = argparse.Namespace(**{**vars(options), **alone})
    calls = int(options.rate * (options.seconds + 1))
    paths = {"/pong": calls - 1, "/control/stall?for=1s": 1}
    measured, _ = measure(server, paths, driver, options)
    waited = share_over(measured.times.response.hdr, 100_000_000)
    served = share_over(measured.times.service.hdr, 100_000_000)
    # Calls due in the first 0.9 s of the stall wait over 100 ms; only one call is sent into it.
    predicted = 0.9 / options.seconds
    print(
        f"{driver:9} stall of 1 s       over 100 ms: response time {waited:.1%}"
        f" (predicted {predicted:.1%}), service time {served:.1%} (predicted {1 / calls:.2%})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="length of each run (4)")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds (7)")
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--http", choices=("1.1", "2"), default="1.1")
    parser.add_argument("--connections", type=int, help="(512, or 8 over HTTP/2)")
    parser.add_argument("--streams", type=int, default=64, help="of a connection of HTTP/2 (64)")
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--engine-cpu", type=int, default=1)
    parser.add_argument("--spin", action="store_true", help="busy-wait instead of sleeping")
    options = parser.parse_args()
    options.connections = options.connections or (8 if options.http == "2" else 512)
    load = f"HTTP/{options.http}, {options.rate:,.0f} requests/s for {options.seconds:g} s"
    print(f"{load}, {options.rounds} rounds")
    print("truth in ms; errors in µs, median and worst of the rounds; NO: median outside the limit")
    columns = f" {'service':>8} {'worst':>8}     {'response':>8} {'worst':>8}"
    print(f"{'driver':9} {'delay':17} {'':4} {'truth':>9}{columns}")
    crossed = 0
    pages = [("/pong", "text/plain", b"PONG")]
    cells = list(itertools.product(DRIVERS, DELAYS))
    errors: dict[tuple[str, str], list[np.ndarray]] = {cell: [] for cell in cells}
    truths: dict[tuple[str, str], list[np.ndarray]] = {cell: [] for cell in cells}
    with engine.reference(pages=pages, cpus=[options.server_cpu]) as server:
        for round_ in range(options.rounds):
            for driver, delay in cells:
                measured, truth = measure(server, {f"/pong?delay={delay}": 1}, driver, options)
                errors[driver, delay].append(errors_us(truth, measured))
                truths[driver, delay].append(np.quantile(truth, list(QUANTILES.values())))
            print(f"round {round_ + 1} of {options.rounds}", file=sys.stderr)
        for cell in cells:
            truth_ms = np.median(truths[cell], axis=0) / 1e6
            crossed += compare(*cell, np.array(errors[cell]), truth_ms)
        for driver in DRIVERS:
            stall(server, driver, options)
    return 1 if crossed else 0


if __name__ == "__main__":
    sys.exit(main())
