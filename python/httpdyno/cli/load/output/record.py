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
from httpdyno.result import Reason, Status

__all__ = ["LoadRecord", "ThresholdRecord"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


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
    verdict: Status
    reasons: list[Reason]
    crossed: list[ThresholdRecord]
    """The thresholds that were crossed."""
    measurement: Measurement
