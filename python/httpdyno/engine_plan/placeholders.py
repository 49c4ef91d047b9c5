"""Placeholders in the texts of requests, by the grammar of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from httpdyno.compiled import compiled
from httpdyno.engine_plan.request import Request, Text

__all__ = ["check_placeholders", "literal", "names_sent", "texts_of", "with_placeholders"]


def with_placeholders(request: Request, names: Sequence[str] = ()) -> Request:
    """The request, marked if a text of it has placeholders. Raises ValueError with their faults.

    `names`: those that placeholders may have besides their kinds, here and below.
    """
    return replace(request, placeholders=True) if _any(texts_of(request), names) else request


def texts_of(request: Request) -> list[str]:
    """The texts of a request that may have placeholders."""
    body = [request.body.text] if isinstance(request.body, Text) else []
    return [request.path, *(value for _, value in request.headers), *body]


def names_sent(
    texts: Iterable[str], names: Sequence[str] = (), *, in_session: bool = False
) -> list[str]:
    """The names that the right answer to a request with these texts may have.

    They are those of its own, and the known ones if it has placeholders or is part of a session.
    """
    varied = [text for text in texts if "{" in text]
    own = [name for text in varied for name in compiled().own_names(text, list(names))]
    try:
        has_row = in_session or _any(varied, names)
    except ValueError:  # reported elsewhere
        has_row = True
    return [*own, *names] if has_row else own


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
