"""The types of the keys of a study file. A field's description is what an error says was expected.

Times are seconds, rates per second. In the file, a time is text such as `"15s"` or a number, and a
rate a number or text such as `"5k"`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from httpdyno import choices
from httpdyno.limits.keys import as_list, different
from httpdyno.study.precision import COARSEST, EXPECTED, FINEST, parse_precision
from httpdyno.units import HIGHEST_RATE, LOWEST_RATE, parse_duration, parse_rate

LEAST_S = 0.001
LONGEST_S = 3600.0
MOST_CONNECTIONS = 100_000
MOST_COUNTED = 1_000_000_000_000


def _seconds(given: Any) -> Any:
    return parse_duration(given) if isinstance(given, str) else given


def _per_second(given: Any) -> Any:
    return parse_rate(given) if isinstance(given, str) else given


def _share(given: Any) -> Any:
    return parse_precision(given) if isinstance(given, str) else given


def text(limit: int = 2000) -> Any:
    """A text of this many characters at most."""
    return Field(min_length=1, max_length=limit, description="a text")


def up_to(most: int) -> Any:
    """A whole number from 1 to `most`."""
    return Field(ge=1, le=most, strict=True, description=f"a whole number from 1 to {most:,}")


def _time(*, zero: bool = False) -> Any:
    most = f'{LONGEST_S:,.0f} s, such as "15s"'
    if zero:
        return Field(ge=0, le=LONGEST_S, strict=True, description=f"a time up to {most}")
    return Field(ge=LEAST_S, le=LONGEST_S, strict=True, description=f"a time from 1 ms to {most}")


Text = Annotated[str, text()]
Name = Annotated[str, Field(pattern=r"^[^\s/][^\n]*$", max_length=80, description="a name")]
Seconds = Annotated[float, BeforeValidator(_seconds), _time()]
SecondsOrNone = Annotated[float, BeforeValidator(_seconds), _time(zero=True)]
Whole = Annotated[
    int,
    Field(ge=0, le=MOST_COUNTED, strict=True, description=f"a whole number up to {MOST_COUNTED:,}"),
]
Yes = Annotated[bool, Field(strict=True, description="true or false")]
Names = Annotated[tuple[Name, ...], Field(min_length=1, description="a list of names")]
Connections = Annotated[int, up_to(MOST_CONNECTIONS)]
Precision = Annotated[
    float,
    BeforeValidator(_share),
    Field(ge=FINEST, le=COARSEST, strict=True, description=EXPECTED),
]
Rate = Annotated[
    float,
    BeforeValidator(_per_second),
    Field(ge=LOWEST_RATE, le=HIGHEST_RATE, strict=True),
]
OneRate = Annotated[
    float,
    BeforeValidator(_per_second),
    Field(
        ge=LOWEST_RATE,
        le=HIGHEST_RATE,
        strict=True,
        description=f"a rate per second from {LOWEST_RATE:g} to {HIGHEST_RATE:,.0f}",
    ),
]

ConnectionPoints = Annotated[
    tuple[Connections, ...],
    BeforeValidator(as_list),
    AfterValidator(different),
    Field(
        min_length=1,
        max_length=50,
        description=f"a whole number from 1 to {MOST_CONNECTIONS:,}, or a list of different ones",
    ),
]
RatePoints = Annotated[
    tuple[Rate, ...],
    BeforeValidator(as_list),
    AfterValidator(different),
    Field(
        min_length=1,
        max_length=50,
        description=f"a rate per second from {LOWEST_RATE:g} to {HIGHEST_RATE:,.0f},"
        " or a list of different ones",
    ),
]
HttpVersion = Annotated[Literal["1.0", "1.1", "2"], Field(description='"1.0", "1.1" or "2"')]
Spacing = Annotated[
    choices.Spacing,
    Field(description='"constant", "uniform" or "exponential"'),
]


class StudyTable(BaseModel):
    """A table of a study file. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
