"""Limits as a study declares them: one text, or a list of different ones."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from httpdyno.limits.thresholds import parse_limit


def _several(given: object) -> object:
    return given if isinstance(given, list | tuple) else (given,)


def _parse(given: tuple[str, ...]) -> tuple[str, ...]:
    for text in given:
        parse_limit(text)
    if len(set(given)) < len(given):
        raise ValueError("one of them is there twice")
    return given


Limits = Annotated[
    tuple[str, ...],
    BeforeValidator(_several),
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
    BeforeValidator(_several),
    AfterValidator(_parse),
    AfterValidator(_of_errors),
    Field(
        max_length=10,
        description='a share of errors that is allowed, such as "errors<1%" or "status_5xx<0.1%",'
        " or a list of different ones",
    ),
]
