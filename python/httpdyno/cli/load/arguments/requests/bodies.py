"""The body of the requests, from `--body`, `--data` or `--json-body`."""

from __future__ import annotations

import os
from base64 import b64encode

from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.input_files import read_input
from httpdyno.cli.values import Values, plain_text
from httpdyno.engine_plan import Base64, Body, File, Text

__all__ = ["body_of", "body_of_bytes", "parse_body"]


def body_of(flags: LoadFlags, values: Values) -> tuple[Body | None, str | None]:
    """The body of every request, and the media type that its flag stands for."""
    ways = (
        ("--body", flags.body, None),
        ("--data", flags.data, "application/x-www-form-urlencoded"),
        ("--json-body", flags.json_body, "application/json"),
    )
    given = [way for way in ways if way[1] is not None]
    if not given:
        return None, None
    if len(given) > 1:
        names = " and ".join(f"`{flag}`" for flag, _, _ in given)
        values.faults.add(f"{names} exclude each other: expected one of them")
    flag, text, media_type = given[0]
    return values.read(flag, text, parse_body), media_type


def parse_body(text: str) -> Body:
    """A body given as text, or as `@FILE`. Raises ValueError."""
    if text.startswith("@"):
        found = read_input(text[1:])
        return body_of_bytes(found) if isinstance(found, bytes) else File(file=str(found))
    try:
        return Text(text=plain_text(text))
    except ValueError:
        return body_of_bytes(os.fsencode(text))


def body_of_bytes(content: bytes) -> Base64:
    """A body with this content."""
    return Base64(base64=b64encode(content).decode("ascii"))
