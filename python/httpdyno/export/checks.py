"""Checks of a result: against a comparison or a limit, judged by the caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "failed", "cannot tell", "no result"]


@dataclass(frozen=True)
class Check:
    """A judgement that CI shows: a regression or a crossed limit is `failed`.

    If its result is too uncertain it is `cannot tell`, without one `no result`: no format turns
    either into a pass.
    """

    name: str
    """The subject of the check, such as `p99 of mine/1-worker, 2,000/s`."""
    outcome: Outcome
    text: str
    """The observation with its interval and threshold, in one sentence."""
