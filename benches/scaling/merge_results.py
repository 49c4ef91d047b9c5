"""The time to merge the results of many load generators.

    python benches/scaling/merge_results.py [--nodes N] [--seconds N] [--rate N]

Runs all parts of a plan at once in this process, each with a thread of its own, against the
reference server, and merges their results seven times. Shows the size of a result, the time to
write it, and the time to merge all of them.
"""

from __future__ import annotations

import argparse
import statistics
import time

from httpdyno import engine
from httpdyno.engine_plan import (
    Arrivals,
    EnginePlan,
    PlanPart,
    Request,
    RequestsLoad,
    Stop,
    Target,
)

TIMES = 7
AHEAD_NS = 3_000_000_000


def measured(nodes: int, rate: float, seconds: float) -> tuple[EnginePlan, list[bytes], float]:
    """The plan, the results of its parts, and the seconds that writing one of them takes."""
    with engine.reference(pages=[("/hello", "text/plain", b"Hello, World!")]) as server:
        host, port = server.address.split(":")
        plan = EnginePlan(
            target=Target(host=host, port=int(port)),
            requests=[Request(path="/hello")],
            load=RequestsLoad(arrivals=Arrivals.steady(rate), connections=10 * nodes),
            stop=Stop(duration_s=seconds),
        )
        at = time.time_ns() + AHEAD_NS
        parts = [PlanPart(index=index, of=nodes) for index in range(nodes)]
        running = [engine.start(plan.model_copy(update={"part": part}), at) for part in parts]
        for run in running:
            run.result()
        began = time.perf_counter()
        results = [run.whole() for run in running]
        return plan, results, (time.perf_counter() - began) / nodes


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--rate", type=float, default=10_000.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    plan, results, writing_s = measured(options.nodes, options.rate, options.seconds)
    took = []
    for _ in range(TIMES):
        began = time.perf_counter()
        merged = engine.merge(plan, results)
        took.append(time.perf_counter() - began)
    print(f"{options.nodes} load generators, {merged.calls.ok:,} calls")
    print(f"one result: {len(results[0]) / 1024:.0f} KiB, written in {writing_s * 1e3:.1f} ms")
    print(f"merge of all: {statistics.median(took) * 1e3:.0f} ms (least {min(took) * 1e3:.0f} ms)")


if __name__ == "__main__":
    main()
