"""What `httpdyno load --json` writes. Format history:

  1  first version.

A reader accepts its own version and older ones, ignores fields it does not know, and refuses
newer versions.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Measurement

__all__ = ["LoadRecord", "ThresholdRecord", "VerdictReason"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class VerdictReason(_Value):
    """Why the measurement is not simply valid: a number, its limit, what to do."""

    code: str
    status: Literal["valid", "suspect", "invalid"]
    text: str
    hint: str


class ThresholdRecord(_Value):
    """A --fail-if that was crossed, and by what."""

    threshold: str
    measured: str


class LoadRecord(_Value):
    """One run of `httpdyno load`."""

    format: Literal["httpdyno-load"] = "httpdyno-load"
    version: int = 1
    httpdyno_version: str
    command: list[str]
    """The command line, word by word."""
    url: str
    plan: EnginePlan
    """What the engine was told to do, defaults written out."""
    verdict: Literal["valid", "suspect", "invalid"]
    reasons: list[VerdictReason]
    crossed: list[ThresholdRecord]
    """The thresholds that were crossed."""
    measurement: Measurement
