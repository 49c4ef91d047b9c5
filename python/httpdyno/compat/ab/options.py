"""The options of ab 2.4."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.choices import TlsVersion
from httpdyno.compat.ab.url import Url

__all__ = ["LONGEST_S", "Markup", "Options"]

LONGEST_S = 7 * 86_400
"""The longest time that the engine accepts: a week."""
_UNSHOWN = 150
"""Shorter tests show no progress."""


@dataclass(frozen=True)
class Markup:
    """The attributes of the HTML table."""

    table: str = ""
    row: str = ""
    cell: str = "bgcolor=white"


@dataclass(frozen=True)
class Options:
    """A command line of ab."""

    url: Url
    requests: int = 1
    concurrency: int = 1
    time_limit_s: int | None = None
    timeout_s: int = 30
    window_bytes: int | None = None
    source: str | None = None
    method: str = "GET"
    body: bytes | None = None
    content_type: str = "text/plain"
    cookie: str | None = None
    credentials: tuple[tuple[str, str], ...] = ()
    """The headers of `-A` and `-P`, in their order: name and value."""
    headers: tuple[str, ...] = ()
    """The lines of `-H`."""
    proxy: tuple[str, int] | None = None
    keep_alive: bool = False
    any_length: bool = False
    goes_on: bool = False
    """`-r`: go on after an error of a connection."""
    csv: str | None = None
    gnuplot: str | None = None
    markup: Markup | None = None
    """None: text."""
    percentiles: bool = True
    deviations: bool = True
    quiet: bool = False
    verbosity: int = 0
    tls_version: TlsVersion | None = None
    """None: any that the library speaks."""
    certificate: str | None = None
    names_server: bool = True
    """False with `-I`: TLS without the server's name."""
    verdict: bool = False

    def gives(self, name: str) -> str | None:
        """The value of the last header with this name that the user gave."""
        start = f"{name.lower()}:"
        found = [line for line in self.headers if line.lower().startswith(start)]
        return found[-1].partition(":")[2].strip() if found else None

    @property
    def heartbeat(self) -> int:
        """The number of requests between two lines of progress; 0: none are shown."""
        if self.quiet or self.requests <= _UNSHOWN:
            return 0
        return max(100, self.requests // 10)

    @property
    def server_name(self) -> str | None:
        """The name that TLS sends: of the Host header if one was given; an address is no name."""
        if not self.url.tls or not self.names_server:
            return None
        name = self.gives("Host") or self.url.host
        name = name if name.startswith("[") else name.partition(":")[0] or name
        return None if _is_address(name.strip("[]")) or ":" in name else name


def _is_address(text: str) -> bool:
    import ipaddress  # noqa: PLC0415 - on first use

    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
