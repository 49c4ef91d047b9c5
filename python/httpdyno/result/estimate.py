"""A number of a result with its interval."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from httpdyno.units import counted


class Value(BaseModel):
    """A part of a result. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Estimate(Value):
    """A number with its 95 % confidence interval.

    `low` and `high` are None with too few trials.
    """

    value: float
    low: float | None
    high: float | None
    trials: int


def few_trials(trials: int) -> str:
    """Why a number has no interval: `3 trials: too few for an interval`."""
    return f"{counted(trials, 'trial')}: too few for an interval"
