"""The record that `httpdyno load --json` writes. Format history:

  1  first version. Without `--keep-secrets`, the values of headers that may carry credentials are
     `***`, and the bodies of a request and of the reply that it expects are a `Digest`.

A reader accepts its own version and older ones, ignores fields it does not know, and refuses
newer versions.
"""

from __future__ import annotations

from typing import Literal

from httpdyno.cli.load.output.steps import StepRecord
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement
from httpdyno.result import Reason, Status
from httpdyno.value import Value

__all__ = ["LoadRecord", "ThresholdRecord"]


class ThresholdRecord(Value):
    """A --fail-if that failed, and the measured value."""

    threshold: str
    measured: str


class LoadRecord(Value):
    """One run of `httpdyno load`."""

    format: Literal["httpdyno-load"] = "httpdyno-load"
    version: Literal[1] = 1
    httpdyno_version: str
    command: list[str]
    """The command line, word by word, with credentials and bodies masked."""
    url: str
    plan: EnginePlan
    """The plan that the engine ran, with defaults, and without credentials and bodies."""
    verdict: Status
    reasons: list[Reason]
    crossed: list[ThresholdRecord]
    """The thresholds that failed."""
    measurement: Measurement
    steps: list[StepRecord] = []
    """The steps of a rate that changes; empty: it does not."""
