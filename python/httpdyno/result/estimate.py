"""A number of a result with its interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import create_model

from httpdyno.metrics import MEASURED
from httpdyno.units import counted
from httpdyno.value import Value

ValueT = TypeVar("ValueT", bound=Value)


def with_metrics(kind: Any) -> Callable[[type[ValueT]], type[ValueT]]:
    """Add the metrics that a row does not declare, each with a number of this kind.

    Those that it declares are in every result. One that is added is not in results of earlier
    versions, so it can be None.
    """

    def add_columns(row: type[ValueT]) -> type[ValueT]:
        names = [one.column for one in MEASURED if one.column not in row.model_fields]
        if not names:
            return row
        more: dict[str, Any] = dict.fromkeys(names, (kind | None, None))
        return create_model(
            row.__name__, __base__=row, __module__=row.__module__, __doc__=row.__doc__, **more
        )

    return add_columns


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
