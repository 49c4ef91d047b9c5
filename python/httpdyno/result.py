"""What a study found, ready to be shown: the report reads this and computes nothing.

Format history of the JSON twin:
  1  first version.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

RESULT_VERSION = 1

Status = Literal["valid", "suspect", "invalid"]
Outcome = Literal["better", "worse", "no difference shown", "no result"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Estimate(_Value):
    """A number with its 95 % interval; `low` and `high` are None of too few trials."""

    value: float
    low: float | None
    high: float | None
    trials: int


class Reason(_Value):
    """Why a measurement is not simply valid: what was seen, the threshold, and what to do."""

    code: str
    status: Status
    text: str
    hint: str


class TrialRow(_Value):
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
    """Of right and wrong replies alike, without their headers."""
    server_threads: int | None
    server_processes: int | None
    generator_busy_share: float | None
    generator_lag_p99_s: float | None


class CellRow(_Value):
    """One arm under one load point: its trials and what they amount to.

    None: no result, see `reasons`. A cell that was refused before it was measured has no trials and
    one reason, of the code `refused`: its server cannot do what the load asks.
    """

    arm: str
    load: str
    point: str
    """The load point in words: `2,000/s`, or `10 connections`."""
    rate_per_s: float | None
    """The offered rate of an open load, for the x axis."""
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
    """What the generator itself reached on this load against the reference server."""
    ceiling_share: float | None
    """throughput ÷ ceiling."""
    latency_spectrum: list[tuple[float, float]]
    """(percentile 0-100, response time in seconds), of the trial with the median p99."""
    notes: list[str] = []
    """What was changed for this cell alone: `given 2 connections instead of 64: ...`."""


class Comparison(_Value):
    """An arm against the study's baseline arm, paired by block.

    ratio > 1: `arm` has more of `metric`. The outcome is the user's: less latency is `better`.
    """

    load: str
    point: str
    metric: Literal["throughput", "p99", "server CPU per request"]
    baseline: str
    arm: str
    ratio: Estimate | None
    outcome: Outcome
    smallest_detectable: float | None
    """The smallest relative difference these trials could have shown (0.03 = 3 %)."""
    dots: list[tuple[int, float]]
    """(block, ratio) of each pair of restarts."""


class LogFacts(_Value):
    """What the raw log of a published run says, counted by the generator of the time."""

    asked: int
    """Calls that the run was told to make."""
    replies: int
    wrong: int
    """Replies of another status than 200."""
    failed_connections: int
    seconds: float
    samples: int
    """Samples behind the published rate: httperf takes one each 5 s."""
    stdev_per_s: float | None = None
    """Spread of those samples; None: not in the log."""


class LogVerdict(_Value):
    """Whether the published run would be published by the rules of this httpdyno."""

    status: Status
    """`invalid`: it would be refused. `suspect`: shown with its reasons. `valid`: shown."""
    reasons: list[Reason]
    """Worst first, each with its number and its threshold."""
    facts: LogFacts


class PublishedRow(_Value):
    """A number from the post that a study replays: history, not compared with ours."""

    arm: str
    """The arm that stands for it here, or the post's own words when `measured` is False."""
    load: str
    requests_per_s: float
    """0: the post drew a bar of zero."""
    note: str
    source: str = ""
    """Which post or log of several it is from; empty: the study's source."""
    point: str | None = None
    """The load point it belongs to, as in `CellRow`; None: the load as a whole."""
    measured: bool = True
    """False: no arm of this study stands for it."""
    verdict_of_log: LogVerdict | None = None
    """What our rules say of the raw log behind the number; None: there is no such log."""


class FailureRow(_Value):
    """A server that could not be measured, and why."""

    arm: str
    stage: Literal["install", "build", "start", "check", "measure"]
    reason: str
    log: str | None
    """Path of the log, relative to the results folder."""


class LoadInfo(_Value):
    """One load of the study, in words."""

    name: str
    kind: Literal["closed", "requests", "sessions"]
    title: str
    """`as published: 10 connections, HTTP/1.0, a new connection a call`."""
    description: str
    as_published: bool = False
    """The shape of the post, run again; False: a corrected load, or no replay at all."""
    calls_per_arrival: int = 1
    """Calls that fall due with each arrival: a session's calls. Offered rate = rate * this."""


class ArmInfo(_Value):
    """One arm of the study: server × deployment × workload."""

    name: str
    """`tornado/1-process`; with the workload behind it when the study has several."""
    server: str
    deployment: str
    workload: str
    description: str
    version: str


class HabitRow(_Value):
    """One habit of a server on the wire, as it was probed."""

    name: str
    """`keep-alive`, `pipelining`, `HTTP/1.0 keep-alive`, ... as in `httpdyno servers check`."""
    answer: Literal["yes", "no", "partly"]
    detail: str
    """What was seen, in a line."""


class ConformanceRow(_Value):
    """How the server of some arms speaks HTTP, from its last check on this machine."""

    server: str
    deployment: str
    arms: list[str]
    """The arms of the study that it serves."""
    version: str
    checked_at: float
    """Unix time, seconds."""
    habits: list[HabitRow]
    contradictions: list[str] = []
    """Where the probes and the server's own `server.toml` say different things."""


class Fact(_Value):
    """One fact about the machine."""

    label: str
    value: str
    doubt: str | None = None
    """Why this fact makes the numbers doubtful, and what to do; None when it does not."""


class StudyResult(_Value):
    """All that a report shows."""

    format: Literal["httpdyno-result"] = "httpdyno-result"
    version: int = RESULT_VERSION
    name: str
    title: str
    question: str
    source: str | None
    answer: str
    """The answer in one or two sentences, with its interval."""
    command: str
    httpdyno_version: str
    seed: int
    blocks_planned: int
    blocks_done: int
    started_at: float
    ended_at: float
    complete: bool
    machine: list[Fact]
    loads: list[LoadInfo]
    arms: list[ArmInfo]
    cells: list[CellRow]
    comparisons: list[Comparison]
    published: list[PublishedRow]
    conformance: list[ConformanceRow] = []
    """One for each server and deployment that was checked; empty: none was."""
    failures: list[FailureRow]
    notes: list[str]
    """What a reader must know: shared cores, unlike bodies, known limits of this study."""
