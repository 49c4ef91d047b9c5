"""Several machines as one load generator: a plan split, started at one instant, merged exactly."""

from __future__ import annotations

import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from httpdyno import call_log, engine
from httpdyno.call_log import CallLog
from httpdyno.choices import PHASES, Phase
from httpdyno.engine import Progress, Running
from httpdyno.engine_plan import Base64, EnginePlan, File
from httpdyno.errors import EnvironmentFault, HttpdynoError, NodeFault, UsageError
from httpdyno.measurement import Measurement, NodePart
from httpdyno.scale.agent import RunSnapshot
from httpdyno.scale.cluster import Cluster
from httpdyno.scale.hosts_file import host_of, is_loopback
from httpdyno.scale.node import ANSWER_S, Node, together
from httpdyno.scale.parts import document, part_of

__all__ = ["ClusterRun", "Generators"]

LEAST_LEAD_S = 0.5
LEAST_TLS_LEAD_S = 1.0
LEAD_ROUND_TRIPS = 5
MOST_LEAD_S = 20.0
PREPARATIONS = 8
"""The engine connects before the start. On a busy machine it takes longer, as preparing it does."""
LATEST_START_S = 0.1
"""A part that begins later than this is another schedule."""
RESULT_S = 30.0
ABANDON_S = 3.0
MOST_DATA_BYTES = 64 * 1024**2


class Generators:
    """The load generators of a cluster, as one."""

    def __init__(self, cluster: Cluster, threads: int | None = None) -> None:
        self._cluster = cluster
        self._threads = threads
        """Engine threads on each machine, at most one per core; None: one per core."""

    @property
    def is_here(self) -> bool:
        """True if all of them are on this machine."""
        return all(is_loopback(host_of(node.worker)) for node in self._cluster.generators)

    def start(self, plan: EnginePlan) -> ClusterRun:
        """Splits the plan, and starts the parts at one instant that is still to come.

        Raises UsageError when the plan cannot be split, NodeFault for a machine that cannot start.
        """
        nodes, run = self._cluster.generators, uuid4().hex
        plan, files = _with_bodies(plan), _files(plan)
        parts = [
            part_of(plan, node.cores, self._threads, k, len(nodes)).from_address(node.source)
            for k, node in enumerate(nodes)
        ]
        began = time.monotonic()
        together(nodes, "prepare", lambda k: (run, document(plan, parts[k]), files), RESULT_S)
        prepared_s = time.monotonic() - began
        self._cluster.measure_clocks()
        lead_s = _lead_s(plan, nodes, prepared_s)
        at_ns = time.time_ns() + int(lead_s * 1e9)
        started = ClusterRun(plan, nodes, parts, run, at_ns)
        try:
            together(nodes, "start", lambda k: (run, at_ns + nodes[k].clock.offset_ns))
        except BaseException:
            started.abandon()
            raise
        return started


class ClusterRun(Running):
    """A run under way on several machines, with the methods of a run on this one."""

    def __init__(
        self,
        plan: EnginePlan,
        nodes: Sequence[Node],
        parts: Sequence[NodePart],
        run: str,
        at_ns: int,
    ) -> None:
        self._plan = plan
        self._nodes = tuple(nodes)
        self._parts = tuple(parts)
        self._id = run
        self._at_ns = at_ns
        self._seen: list[RunSnapshot] = []
        self._ended_well: set[int] = set()

    def wait(self, phase: Phase, timeout_s: float) -> bool:
        """Waits at most `timeout_s`; True once the run is in `phase` or a later one everywhere.

        Raises what ended it on one machine, and NodeFault for a machine that is lost.
        """
        if timeout_s > 0 or not self._seen:  # a signal asks without time, and must not wait
            waits = lambda _: (self._id, phase, timeout_s)  # noqa: E731
            self._seen = together(self._nodes, "wait", waits, timeout_s + ANSWER_S)
            self._raise_early_ends()
        least = PHASES.index(phase)
        return all(PHASES.index(seen.phase) >= least for seen in self._seen)

    def progress(self) -> Progress:
        """The sum of what the machines last reported; percentiles of the last second are those of
        the slowest one."""
        if not self._seen:
            self.wait("done", 0.0)
        each = [seen.progress for seen in self._seen]
        classes = sorted({name for one in each for name in one.errors})
        return Progress(
            phase=min((one.phase for one in each), key=PHASES.index),
            elapsed_s=max(one.elapsed_s for one in each),
            window_s=sum(one.window_s for one in each) / len(each),
            due=sum(one.due for one in each),
            sent=sum(one.sent for one in each),
            ok=sum(one.ok for one in each),
            failed=sum(one.failed for one in each),
            in_flight=sum(one.in_flight for one in each),
            open_connections=sum(one.open_connections for one in each),
            rate_per_s=sum(one.rate_per_s for one in each),
            p50_ns=max(one.p50_ns for one in each),
            p99_ns=max(one.p99_ns for one in each),
            lag_p99_ns=max(one.lag_p99_ns for one in each),
            errors={name: sum(one.errors.get(name, 0) for one in each) for name in classes},
            so_far=_sum(one.so_far for one in each),
        )

    def stop(self) -> None:
        """Tells all machines to stop, and does not wait: it is called by signals too."""
        for node in self._nodes:
            with suppress(HttpdynoError):
                node.agent.ask("stop", (self._id,))

    def abandon(self) -> None:
        """Ends the run everywhere, whatever has become of the machines."""
        self.stop()
        self.stop()
        there = [node for node in self._nodes if not node.agent.lost]
        waits = lambda _: (self._id, "done", 1.0)  # noqa: E731
        with suppress(HttpdynoError):
            together(there, "wait", waits, ABANDON_S)

    def result(self) -> Measurement:
        """The merged measurement, with a row for each machine; waits for the end everywhere."""
        self.follow("done")
        wholes = together(self._nodes, "result", lambda _: (self._id,), RESULT_S)
        merged = engine.merge(self._plan, wholes)
        rows, began_ns = [], []
        for node, part, row in zip(self._nodes, self._parts, merged.nodes or [], strict=True):
            known = {
                "name": node.name,
                "offset_ns": node.clock.offset_ns,
                "offset_error_ns": node.clock.error_ns,
                "part": part,
            }
            rows.append(row.model_copy(update=known))
            began_ns.append(row.started_at_ns - node.clock.offset_ns)
            self._demand_in_time(node, began_ns[-1])
        # The engine merges starts by the clocks of several machines.
        return merged.model_copy(update={"nodes": rows, "started_at": min(began_ns) * 1e-9})

    def call_log(self) -> CallLog:
        """The calls of all machines, in the order in which they ended."""
        return call_log.merge(together(self._nodes, "call_log", lambda _: (self._id,), RESULT_S))

    def _raise_early_ends(self) -> None:
        """Raises the error of a machine that ended long before the others."""
        phases = [PHASES.index(seen.phase) for seen in self._seen]
        for number, phase in enumerate(phases):
            early = phase == len(PHASES) - 1 and min(phases) < PHASES.index("draining")
            if early and number not in self._ended_well:
                self._nodes[number].call("result", self._id, within_s=RESULT_S)
                self._ended_well.add(number)  # such as a count that a fast part has reached

    def _demand_in_time(self, node: Node, began_ns: int) -> None:
        late_s = (began_ns - self._at_ns) * 1e-9
        if abs(late_s) > LATEST_START_S:
            raise NodeFault(
                node.name,
                f"it began {late_s:+.2f} s from the instant at which all were to begin",
                hint="its clock was set, or the machine stood still: measure again",
            )


def _sum(spreads: Iterable[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Response times with their counts, of all machines together: their buckets are the same."""
    counts = Counter[int]()
    for spread in spreads:
        counts.update(dict(spread))
    return sorted(counts.items())


def _lead_s(plan: EnginePlan, nodes: Sequence[Node], prepared_s: float) -> float:
    """The time to the start: every machine must know of it, and have connected once, before."""
    farthest = max(node.clock.round_trip_ns for node in nodes)
    unsure = max(node.clock.error_ns for node in nodes)
    least = LEAST_LEAD_S if plan.target.tls is None else LEAST_TLS_LEAD_S
    told_s = (LEAD_ROUND_TRIPS * farthest + unsure) * 1e-9
    return min(MOST_LEAD_S, max(least, told_s + PREPARATIONS * prepared_s))


def _files(plan: EnginePlan) -> dict[str, bytes]:
    """The TLS files and the data files that the plan names, with what is in them here."""
    tls = plan.target.tls
    names = [tls.ca, tls.certificate, tls.key] if tls is not None else []
    data = {one.file: _content(one.file) for one in plan.data}
    if (size := sum(map(len, data.values()))) > MOST_DATA_BYTES:
        raise UsageError(
            f"the data files have {size:,} bytes, which every load generator gets: expected at most"
            f" {MOST_DATA_BYTES:,}"
        )
    return {**data, **{name: _content(name) for name in names if name is not None}}


def _with_bodies(plan: EnginePlan) -> EnginePlan:
    """The plan with the bodies that it names by file, as they are here."""
    requests = []
    for request in plan.requests:
        expect = replace(request.expect, body=_inline(request.expect.body))
        body, raw = _inline(request.body), _inline(request.raw)
        requests.append(replace(request, body=body, raw=raw, expect=expect))
    return replace(plan, requests=requests)


def _inline(body: Any) -> Any:
    if not isinstance(body, File):
        return body
    return Base64(base64=b64encode(_content(body.file)).decode("ascii"))


def _content(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise EnvironmentFault(f"`{name}` cannot be read: {error.strerror}") from None
