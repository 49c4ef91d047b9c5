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


class ReasonRow(_Value):
    """One reason of a verdict, in words a reader understands, with what to do."""

    code: str
    status: Status
    text: str
    hint: str


class TrialRow(_Value):
    """One restart of a server, measured once. Rates a second, times in seconds, sizes in bytes."""

    block: int
    status: Status
    reasons: list[ReasonRow]
    throughput_per_s: float | None
    offered_per_s: float | None
    p50_s: float | None
    p99_s: float | None
    max_s: float | None
    error_share: float | None
    server_cpu_s_per_request: float | None
    server_rss_bytes: int | None
    server_threads: int | None
    server_processes: int | None
    generator_busy_share: float | None
    generator_lag_p99_s: float | None


class CellRow(_Value):
    """One arm under one load point: its trials and what they amount to.

    None: no result, see `reasons`.
    """

    arm: str
    load: str
    point: str
    """The load point in words: `2,000/s`, or `10 connections`."""
    rate_per_s: float | None
    """The offered rate of an open load, for the x axis."""
    status: Status
    reasons: list[ReasonRow]
    trials: list[TrialRow]
    throughput_per_s: Estimate | None
    p50_s: Estimate | None
    p99_s: Estimate | None
    error_share: Estimate | None
    server_cpu_s_per_request: Estimate | None
    server_rss_bytes: Estimate | None
    ceiling_per_s: float | None
    """What the generator itself reached on this load against the reference server."""
    ceiling_share: float | None
    """throughput ÷ ceiling."""
    latency_spectrum: list[tuple[float, float]]
    """(percentile 0-100, response time in seconds), of the trial with the median p99."""


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


class PublishedRow(_Value):
    """A number from the post that a study replays: history, not compared with ours."""

    arm: str
    load: str
    requests_per_s: float
    note: str


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


class ArmInfo(_Value):
    """One arm of the study: server × deployment × workload."""

    name: str
    """`tornado/1-process`; with the workload behind it when the study has several."""
    server: str
    deployment: str
    workload: str
    description: str
    version: str


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
    failures: list[FailureRow]
    notes: list[str]
    """What a reader must know: shared cores, unlike bodies, known limits of this study."""
