"""The output of ab's `-v`: the request, and each reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from httpdyno.compat.ab.options import Options
from httpdyno.compat.ab.plan import head
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_header, masked_text

__all__ = ["replies", "request"]

_MOST_SHOWN = 8191
"""Bytes of a reply, as many as ab's buffer holds."""
_CODES = 3
"""The verbosity from which each status is shown."""


def request(options: Options) -> str:
    """The head of the requests, with credentials masked."""
    line, *headers = head(options).split("\r\n")
    shown = _printable("\r\n".join([masked_text(line), *map(masked_header, headers)]))
    return f"INFO: {options.method} header == \n---\n{shown}\n---\n"


def replies(options: Options, received: Iterable[bytes]) -> Iterator[str]:
    """The beginning of each reply, and its status."""
    for reply in received:
        text = reply[:_MOST_SHOWN].decode("latin-1")
        yield f"LOG: header received:\n{_printable(text)}\n"
        status = re.match(r"HTTP/\d\.\d (\d{3})", text)
        code = status[1] if status else "500"
        if not code.startswith("2"):
            yield f"WARNING: Response code not 2xx ({code})\n"
        elif options.verbosity >= _CODES:
            yield f"LOG: Response code = {code}\n"


def _printable(text: str) -> str:
    """The text with its ends of lines, and without other control characters."""
    return "\r\n".join("\n".join(map(printable, line.split("\n"))) for line in text.split("\r\n"))
