"""Placeholders in the texts of requests, by the grammar of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from httpdyno.compiled import compiled
from httpdyno.engine_plan.request import Request, Text

__all__ = ["check_placeholders", "literal", "with_placeholders"]


def with_placeholders(request: Request, names: Sequence[str] = ()) -> Request:
    """The request, marked if a text of it has placeholders. Raises ValueError with their faults.

    `names`: those that placeholders may have besides their kinds, here and below.
    """
    texts = [request.path, *(value for _, value in request.headers)]
    if isinstance(request.body, Text):
        texts.append(request.body.text)
    return replace(request, placeholders=True) if _any(texts, names) else request


def check_placeholders(text: str, names: Sequence[str] = (), *, is_secret: bool = False) -> str:
    """The text, if all its placeholders are right. Raises ValueError with the place of each fault.

    The error does not repeat anything of a text that is secret.
    """
    try:
        _any([text], names)
    except ValueError as wrong:
        if not is_secret:
            raise
        place = str(wrong).partition(":")[0]
        raise ValueError(
            f"{place}: expected a placeholder such as `{{random:1:10000}}`;"
            " double the braces of a text that is none"
        ) from None
    return text


def literal(text: str) -> str:
    """The text, written so that none of it is read as a placeholder."""
    if "{" not in text:
        return text
    written: str = compiled().literal(text)
    return written


def _any(texts: Iterable[str], names: Sequence[str]) -> bool:
    # The engine is loaded only if there is something to read.
    read = [compiled().has_placeholders(text, list(names)) for text in texts if "{" in text]
    return any(read)
