"""The result of a study: written by the statistics, read by the report.

Format history of `result.json`:
  1  first version.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import StrictInt

from httpdyno.doubts import NUMBERS, Number, Reason, Status, status_of
from httpdyno.doubts.pace import Pace
from httpdyno.result.capacity import CapacityRow
from httpdyno.result.claims import (
    Comparison,
    DecisionOutcome,
    DecisionRow,
    KeptUp,
    Lack,
    Outcome,
    ProtocolComparison,
    RankedArm,
    Ranking,
    VersionPlace,
)
from httpdyno.result.endpoints import EndpointRow, EndpointStepTrial, EndpointTrial
from httpdyno.result.estimate import Estimate, few_trials, with_metrics
from httpdyno.result.fact import Fact
from httpdyno.result.machines import MachineRow, PathRow, Role
from httpdyno.result.published_numbers import LogFacts, LogVerdict, PublishedRow
from httpdyno.result.second import SecondRow
from httpdyno.result.shape import Group, Shape
from httpdyno.value import Value

__all__ = [
    "RESULT_VERSION",
    "ArmInfo",
    "CapacityRow",
    "CellRow",
    "Comparison",
    "ConformanceRow",
    "DecisionOutcome",
    "DecisionRow",
    "EndpointRow",
    "EndpointStepTrial",
    "EndpointTrial",
    "Estimate",
    "Fact",
    "FailureRow",
    "Group",
    "KeptUp",
    "Lack",
    "LoadInfo",
    "LogFacts",
    "LogVerdict",
    "MachineRow",
    "Outcome",
    "Pace",
    "PathRow",
    "ProbeRow",
    "ProtocolComparison",
    "PublishedRow",
    "RankedArm",
    "Ranking",
    "Reason",
    "Role",
    "SecondRow",
    "Shape",
    "Status",
    "Stopping",
    "StudyResult",
    "TrialRow",
    "VersionPlace",
    "few_trials",
    "verb_of",
]

RESULT_VERSION = 1


@with_metrics(float)
class TrialRow(Value):
    """One restart of a server, measured once. Rates a second, times in seconds, sizes in bytes."""

    block: int
    status: Status
    reasons: list[Reason]
    throughput_per_s: float | None
    offered_per_s: float | None
    p50_s: float | None
    p99_s: float | None
    max_s: float | None
    error_share: float | None
    server_cpu_s_per_request: float | None
    server_rss_bytes: int | None
    body_bytes_per_s: float | None = None
    """Bodies of right and wrong replies, without their headers."""
    server_threads: int | None
    server_processes: int | None
    generator_busy_share: float | None
    generator_lag_p99_s: float | None
    pace: Pace | None = None
    """Did the server keep up with the offered rate? None: a load without one, or a capacity."""
    capacity_per_s: float | None = None
    """The rate at which the limits stopped to hold on this start; capacity loads only."""
    endpoints: list[EndpointTrial] = []
    """Empty: its workload has only one, or the trial has no result."""

    def status_of(self, number: Number) -> Status:
        """The status of one of its numbers."""
        return status_of(number, self.status, self.reasons)


@with_metrics(Estimate)
class CellRow(Value):
    """One arm under one load point: its trials and the estimates from them.

    Estimates are geometric means over the trials; shares of errors, and numbers that are zero in a
    trial, are medians.

    An estimate that is None has no result; `reasons` says why. A cell that was refused before
    it was measured has no trials and one reason with the code `refused`: its server does not
    support the load.
    """

    arm: str
    load: str
    point: str
    """The load point in words: `2,000/s`, or `10 connections`."""
    rate_per_s: float | None
    """The offered rate of an open load, for the x axis."""
    pace: Pace | None = None
    """Did the arm keep up with that rate? None: a load without one, or a capacity."""
    status: Status
    reasons: list[Reason]
    trials: list[TrialRow]
    throughput_per_s: Estimate | None
    p50_s: Estimate | None
    p99_s: Estimate | None
    error_share: Estimate | None
    server_cpu_s_per_request: Estimate | None
    server_rss_bytes: Estimate | None
    body_bytes_per_s: Estimate | None = None
    ceiling_per_s: float | None
    """Throughput of the load generator itself against the reference server, on this load."""
    ceiling_is_bound: bool = False
    """Only a lower bound of it is known: the machine was busy."""
    ceiling_share: float | None
    """throughput ÷ ceiling."""
    latency_spectrum: list[tuple[float, float]]
    """(percentile 0-100, response time in seconds), of the trial with the median p99."""
    notes: list[str] = []
    """Changes that apply to this cell alone (`given 2 connections instead of 64: ...`), and
    explanations of its numbers."""
    doubts: dict[Number, list[str]]
    """The suspect numbers, each with the codes of its reasons."""
    latency_density: list[tuple[float, float]] = []
    """(upper end of a bin in seconds, share of the requests in it), of the same trial, without the
    fastest and the slowest 0.5 %. The first is the lower end of the first bin."""
    timeline: list[SecondRow] = []
    """The same trial, second by second."""
    capacity: CapacityRow | None = None
    """Capacity loads only."""
    shape: Shape | None = None
    """Two modes or a drift of the trials, of p99 at a rate that the arm kept up with, else of
    throughput. None: neither is seen, which few trials cannot rule out."""
    endpoints: list[EndpointRow] = []
    """Empty: its workload has only one, or no trial has a result. None of a capacity."""

    def status_of(self, number: Number | None) -> Status:
        """The status of one of its numbers; None: of its capacity, which rests on all of them."""
        if number is None or self.status == "invalid":
            return self.status
        return "suspect" if number in self.doubts else "valid"

    def reasons_of(self, number: Number | None) -> list[Reason]:
        """The reasons why one of its numbers, or its capacity, is suspect or invalid."""
        if number is None or self.status == "invalid":
            return [] if self.status == "valid" else self.reasons
        codes = self.doubts.get(number, ())
        return [reason for reason in self.reasons if reason.code in codes]

    @property
    def doubted(self) -> tuple[Number, ...]:
        """The numbers that are suspect."""
        return tuple(one for one in NUMBERS if self.status_of(one) == "suspect")

    @property
    def capacity_per_s(self) -> Estimate | None:
        """The capacity; None without one, and for other loads."""
        return self.capacity.capacity_per_s if self.capacity else None

    @property
    def at_least_per_s(self) -> float | None:
        """The lower bound of a capacity that the search did not find; None without one."""
        row = None if self.status == "invalid" else self.capacity
        return row.at_least_per_s if row and row.capacity_per_s is None else None

    @property
    def best_capacity_per_s(self) -> float | None:
        """The capacity, or its lower bound; None without either."""
        found = None if self.status == "invalid" else self.capacity_per_s
        return self.at_least_per_s if found is None else found.value


class Stopping(Value):
    """The rule by which a study stops before its last block, and what came of it."""

    until: float
    """Requested precision: half the width of each interval, relative to its value (0.02 = 2 %)."""
    reached: float | None
    """The precision of the widest interval; None: there is none yet."""
    blocks: int
    most_blocks: int
    stopped: bool
    """True if the precision ended the study."""
    text: str
    """All of this in a sentence."""


class FailureRow(Value):
    """A server that could not be measured, and why."""

    arm: str
    stage: Literal["install", "build", "start", "check", "measure"]
    reason: str
    log: str | None
    """Path of the log, relative to the results folder."""


class LoadInfo(Value):
    """One load of the study, in words."""

    name: str
    kind: str
    """As the study declares it; `parse` of `report/result_json.py` refuses an unknown one."""
    title: str
    """`as published: 10 connections, HTTP/1.0, one connection per request`."""
    description: str
    as_published: bool = False
    """The load of the post, run again; False: a corrected load, or the study is no replay."""
    calls_per_arrival: int = 1
    """Requests per arrival: more than 1 for sessions. Requests offered = rate * this."""
    note: str = ""
    """A limit of the load itself, given once for all cells: `about 1,000 calls in 512 ms per
    trial, the published size; httpdyno would choose more`."""
    declared: dict[str, Any] = {}
    """Its keys as in the study, to measure it again."""


class ArmInfo(Value):
    """One arm of the study: server × deployment × workload."""

    name: str
    """`tornado/1-process`, followed by the workload if the study has several."""
    server: str
    deployment: str
    workload: str
    description: str
    version: str
    restarted: bool = True
    """False: its server ran already and went on running from trial to trial."""
    language: str = ""
    """The programming language of the server; empty: unknown."""
    own_key: str = ""
    """A digest of the project and the start of an arm of the user's own: arms of one name with
    different keys are different programs. Empty: its server has a `server.toml`."""
    pauses: list[float] = []
    """The think times (s) behind the requests of its session, in their order. Empty: its workload
    names none."""


class ProbeRow(Value):
    """The answer of a server to one conformance probe."""

    name: str
    """`keep-alive`, `pipelining`, `HTTP/1.0 keep-alive`, ... as in `httpdyno servers check`."""
    answer: Literal["yes", "no", "partly"]
    detail: str
    """The observation, in one line."""


class ConformanceRow(Value):
    """HTTP conformance of the server of some arms, from its last check on this machine."""

    server: str
    deployment: str
    arms: list[str]
    """Arms of the study that use this server and deployment."""
    version: str
    checked_at: float
    """Unix time, seconds."""
    habits: list[ProbeRow]
    contradictions: list[str] = []
    """Differences between the probes and the server's own `server.toml`."""


class StudyResult(Value):
    """Everything that a report shows."""

    format: Literal["httpdyno-result"] = "httpdyno-result"
    version: StrictInt = RESULT_VERSION
    name: str
    title: str
    question: str
    source: str | None
    answer: str
    """The answer in a few sentences, with its confidence intervals."""
    answer_lead: str = ""
    """The sentences of the answer that everyone should read: its beginning."""
    answer_load: str = ""
    answer_point: str = ""
    """The place of its first sentence; empty: a capacity, or no result."""
    command: str
    httpdyno_version: str
    seed: int
    blocks_planned: int
    """0: nothing was repeated, as of `httpdyno load` and `httpdyno sweep`."""
    blocks_done: int
    started_at: float
    ended_at: float
    complete: bool
    machine: list[Fact]
    """Facts of the machine that `httpdyno` ran on."""
    loads: list[LoadInfo]
    arms: list[ArmInfo]
    cells: list[CellRow]
    comparisons: list[Comparison]
    published: list[PublishedRow]
    conformance: list[ConformanceRow] = []
    """One row per server and deployment that was checked."""
    failures: list[FailureRow]
    notes: list[str]
    """Caveats: shared cores, bodies that differ, known limits of this study."""
    rankings: list[Ranking] = []
    """One for each load point and workload with at least two arms to rank."""
    kept_up: list[KeptUp] = []
    """One for each arm and load with offered rates."""
    endpoint_comparisons: list[Comparison] = []
    """Each endpoint of an arm compared with that of the baseline, by its p99, under rates that both
    kept up with. They are decided together."""
    protocols: list[ProtocolComparison] = []
    """Versions of HTTP on the same arm, by the CPU time per request."""
    decisions: list[DecisionRow] = []
    """Of `httpdyno compare`: one for each metric; empty: another study."""
    stopping: Stopping | None = None
    """None: the number of blocks was fixed in advance."""
    machines: list[MachineRow] = []
    """The machines of a run on several, this one first; empty: all was on one."""
    paths: list[PathRow] = []
    """From each load generator to the server, if they are on different machines."""

    @property
    def is_comparison(self) -> bool:
        """True for a run of `httpdyno compare`, in which each ratio is decided by itself."""
        return verb_of(self.command) == "compare"

    @property
    def facts(self) -> list[Fact]:
        """The facts of all machines, each labelled with its machine if there are several."""
        if not self.machines:
            return self.machine
        found = [fact for one in self.machines for fact in one.labelled]
        paths = [
            Fact(label=f"path {one.generator} → {one.server}", value=one.text) for one in self.paths
        ]
        return [*found, *paths]


def verb_of(command: str) -> str:
    """The verb of a command: `run`, or one that makes its study itself, whose flags hints name."""
    return "".join(command.split()[1:2])
