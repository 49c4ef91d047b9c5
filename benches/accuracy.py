"""How true the engine's times are: what the reference server really did against what is reported.

    make bench
    python benches/accuracy.py [--seconds N] [--rate N] [--spin] [--server-cpu N] [--engine-cpu N]

The server delays each reply by a known distribution and keeps how long it really held it, from the
reading of the request to the sending of the reply: on a busy machine that is more than was asked
for, and it is the truth here. Beside it stands what the engine reports: service time (from sent on)
and response time (from due on, so with the generator's own lag). Limit: 3 % of the truth or 100 µs,
whichever is larger; exit code 1 when one is crossed. A stall of 1 s comes
last: the share of calls over 100 ms that the schedule predicts for response and for service time.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from httpdyno import engine
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement

QUANTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99}
DELAYS = ("1ms", "10ms", "exponential:10ms")
DRIVERS = ("io_uring", "epoll")


def measure(
    server: Any, paths: dict[str, int], driver: str, options: Any
) -> tuple[Measurement, list[int]]:
    """An open load at a constant rate, and the delays (ns) that the server really held meanwhile.

    `paths` are requests with their weights. The warm-up opens the connections.
    """
    host, _, port = server.address.rpartition(":")
    segment = {"from_per_s": options.rate, "to_per_s": options.rate}
    plan = {
        "target": {"host": host, "port": int(port)},
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
    run = engine.start(EnginePlan.model_validate(plan))
    run.wait("measuring", 10.0)
    server.take_delays()
    return run.result(), server.take_delays()


def compare(driver: str, delay: str, truth_ns: list[int], measured: Measurement) -> int:
    """Print the rows of one run; how many are outside the limit."""
    crossed = 0
    for name, quantile in QUANTILES.items():
        truth = float(np.quantile(truth_ns, quantile)) / 1e6
        row = f"{driver:9} {delay:17} {name:4} {truth:9.3f}"
        for time in (measured.times.service, measured.times.response):
            reported = getattr(time, f"{name}_ns") / 1e6
            within = abs(reported - truth) <= max(0.03 * truth, 0.1)
            crossed += not within
            row += f" {reported:10.3f} {(reported - truth) * 1e3:+7.0f} {'' if within else 'NO':2}"
        print(row)
    lag = measured.times.lag
    print(f"{'':27} lag p50 {lag.p50_ns / 1e3:.0f} µs, p99 {lag.p99_ns / 1e3:.0f} µs")
    return crossed


def share_over(hdr: str, limit_ns: int) -> float:
    """Share of a histogram above a limit, to a thousandth."""
    values = engine.quantiles(hdr, [n / 1000 for n in range(1000)])
    return sum(value > limit_ns for value in values) / 1000


def stall(server: Any, driver: str, options: Any) -> None:
    """One connection, one stall of 1 s: who waited, and who was served slowly."""
    options = argparse.Namespace(**{**vars(options), "rate": 200.0, "connections": 1})
    calls = int(options.rate * (options.seconds + 1))
    paths = {"/pong": calls - 1, "/control/stall?for=1s": 1}
    measured, _ = measure(server, paths, driver, options)
    waited = share_over(measured.times.response.hdr, 100_000_000)
    served = share_over(measured.times.service.hdr, 100_000_000)
    # Who was due in the first 0.9 s of the stall waits over 100 ms; one call was sent into it.
    predicted = 0.9 / options.seconds
    print(
        f"{driver:9} stall of 1 s       over 100 ms: response time {waited:.1%}"
        f" (predicted {predicted:.1%}), service time {served:.1%} (predicted {1 / calls:.2%})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--connections", type=int, default=512)
    parser.add_argument("--server-cpu", type=int, default=0)
    parser.add_argument("--engine-cpu", type=int, default=1)
    parser.add_argument("--spin", action="store_true", help="the engine polls instead of sleeping")
    options = parser.parse_args()
    print(f"{options.rate:,.0f} requests/s for {options.seconds:g} s; times in ms, errors in µs")
    columns = f" {'service':>10} {'error':>7}    {'response':>10} {'error':>7}"
    print(f"{'driver':9} {'delay':17} {'':4} {'truth':>9}{columns}   (NO: outside the limit)")
    crossed = 0
    pages = [("/pong", "text/plain", b"PONG")]
    with engine.reference(pages=pages, cpus=[options.server_cpu]) as server:
        for driver in DRIVERS:
            for delay in DELAYS:
                measured, truth = measure(server, {f"/pong?delay={delay}": 1}, driver, options)
                crossed += compare(driver, delay, truth, measured)
            stall(server, driver, options)
    return 1 if crossed else 0


if __name__ == "__main__":
    sys.exit(main())
