"""Limits as a study declares them: one text, or a list of different ones."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from httpdyno.limits.thresholds import parse_limit

T = TypeVar("T")


def as_list(given: Any) -> Any:
    """A list as it is, and anything else as a list of one."""
    return given if isinstance(given, list | tuple) else (given,)


def different(given: tuple[T, ...]) -> tuple[T, ...]:
    """The items. Raises ValueError if one of them is there twice."""
    if len(set(given)) < len(given):
        raise ValueError("one of them is there twice")
    return given


def _parse(given: tuple[str, ...]) -> tuple[str, ...]:
    for text in given:
        parse_limit(text)
    return different(given)


Limits = Annotated[
    tuple[str, ...],
    BeforeValidator(as_list),
    AfterValidator(_parse),
    Field(
        min_length=1,
        max_length=10,
        description='an upper limit such as "p99<20ms", "p50<5ms" or "errors<0.1%",'
        " or a list of different ones",
    ),
]


def _of_errors(given: tuple[str, ...]) -> tuple[str, ...]:
    for text in given:
        if not parse_limit(text).is_of_errors:
            raise ValueError(f"`{text}` is no share of errors")
    return given


ErrorBudget = Annotated[
    tuple[str, ...],
    BeforeValidator(as_list),
    AfterValidator(_parse),
    AfterValidator(_of_errors),
    Field(
        max_length=10,
        description='a share of errors that is allowed, such as "errors<1%" or "status_5xx<0.1%",'
        " or a list of different ones",
    ),
]
