"""The lines with which ab begins."""

from __future__ import annotations

from httpdyno import __version__
from httpdyno.compat.ab.options import Options
from httpdyno.output.printable import printable

__all__ = ["banner", "version"]

_REVISION = f"httpdyno {__version__}"
_ABOUT = (
    "Options and output are those of ab; httpdyno's engine sends and measures.",
    "The differences are in https://httpdyno.github.io/httpdyno/reference/ab/.",
)


def version() -> str:
    """The version, and what this is."""
    lines = [f"This is ApacheBench, Version 2.3 <{_REVISION}>", *_ABOUT, ""]
    return "".join(f"{line}\n" for line in lines)


def banner(options: Options) -> str:
    """The version, and in text what is tested."""
    if options.markup is not None:
        first = f"This is ApacheBench, Version 2.3 <i>&lt;{_REVISION}&gt;</i>"
        return "<p>\n" + "".join(f" {line}<br>\n" for line in (first, *_ABOUT)) + "</p>\n<p>\n"
    proxy = "[through {}:{}] ".format(*options.proxy) if options.proxy else ""
    patience = "(be patient)\n" if options.heartbeat else "(be patient)..."
    return f"{version()}Benchmarking {printable(options.url.host)} {proxy}{patience}"
