"""The options of httperf as values: checked, with its defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from httpdyno.compat.httperf import values
from httpdyno.compat.httperf.grammar import split
from httpdyno.compat.httperf.values import (
    ONE_AFTER_THE_OTHER,
    Pace,
    SessionLog,
    Sessions,
    UriList,
    WorkingSet,
)

if TYPE_CHECKING:
    from httpdyno.choices import TlsVersion

__all__ = ["Options", "OptionsError", "read_options"]


@dataclass(frozen=True)
class Options:
    """One command line of httperf."""

    # requests
    server: str = "localhost"
    server_name: str | None = None
    port: int = 80
    uri: bytes = b"/"
    method: str | None = None
    http: str = "1.1"
    host_header: bool = True
    add_header: str | None = None
    """As it was given; `header` is what is sent."""
    header: bytes = b""
    add_header_file: str | None = None
    # workload
    num_conns: int = 1
    num_calls: int = 1
    burst_length: int = 1
    pace: Pace = ONE_AFTER_THE_OTHER
    client: tuple[int, int] = (0, 1)
    wsess: Sessions | None = None
    wsesslog: SessionLog | None = None
    wlog: UriList | None = None
    wset: WorkingSet | None = None
    # limits
    timeout: float = 0.0
    """Seconds; 0: none."""
    think_timeout: float = 0.0
    runtime: float = 0.0
    max_connections: int = 0
    """0: no limit."""
    max_piped_calls: int = 0
    failure_status: int = 0
    retry_on_failure: bool = False
    session_cookies: bool = False
    # connections
    hog: bool = False
    myaddr: tuple[str, ...] = ()
    close_with_reset: bool = False
    send_buffer: int = 4096
    recv_buffer: int = 16384
    # TLS
    ssl: bool = False
    ssl_reuse: bool = True
    ssl_protocol: str | None = None
    ssl_version: TlsVersion | None = None
    ssl_verify: bool = False
    ssl_ca_file: str | None = None
    ssl_certificate: str | None = None
    ssl_key: str | None = None
    tls_server_name: str | None = None
    # output
    verbose: int = 0
    print_reply: values.PrintPart | None = None
    print_request: values.PrintPart | None = None
    periodic_stats: bool = False
    use_timer_cache: bool = False
    verdict: bool = False
    help: bool = False
    version: bool = False

    @property
    def has_sessions(self) -> bool:
        """True for session workloads, false for plain connections."""
        return self.wsess is not None or self.wsesslog is not None


class OptionsError(ValueError):
    """Every fault of a command line."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


Reader = Callable[[str], Any]
_VALUES: dict[str, tuple[str, Reader]] = {
    "add-header": ("add_header", values.header_text),
    "burst-length": ("burst_length", values.count),
    "client": ("client", values.client),
    "failure-status": ("failure_status", values.status),
    "http-version": ("http", values.http_version),
    "max-connections": ("max_connections", values.connections),
    "max-piped-calls": ("max_piped_calls", values.count_or_none),
    "method": ("method", values.method),
    "num-calls": ("num_calls", values.count),
    "num-conns": ("num_conns", values.count),
    "period": ("pace", values.period),
    "port": ("port", values.port),
    "rate": ("pace", values.rate),
    "recv-buffer": ("recv_buffer", values.buffer_size),
    "runtime": ("runtime", values.seconds_above_zero),
    "send-buffer": ("send_buffer", values.buffer_size),
    "server": ("server", values.host),
    "server-name": ("server_name", values.host),
    "ssl-ca-file": ("ssl_ca_file", str),
    "ssl-certificate": ("ssl_certificate", str),
    "ssl-key": ("ssl_key", str),
    "ssl-protocol": ("ssl_protocol", values.ssl_protocol),
    "think-timeout": ("think_timeout", values.seconds),
    "timeout": ("timeout", values.seconds),
    "tls-server-name": ("tls_server_name", values.host),
    "uri": ("uri", values.uri),
    "wlog": ("wlog", values.uri_list),
    "wsess": ("wsess", values.sessions),
    "wsesslog": ("wsesslog", values.session_log),
    "wset": ("wset", values.working_set),
}
"""Option → field, and its reader, which raises ValueError with what was expected."""
_FLAGS: dict[str, tuple[str, bool]] = {
    "close-with-reset": ("close_with_reset", True),
    "help": ("help", True),
    "hog": ("hog", True),
    "no-host-hdr": ("host_header", False),
    "periodic-stats": ("periodic_stats", True),
    "retry-on-failure": ("retry_on_failure", True),
    "session-cookies": ("session_cookies", True),
    "ssl": ("ssl", True),
    "ssl-no-reuse": ("ssl_reuse", False),
    "use-timer-cache": ("use_timer_cache", True),
    "verdict": ("verdict", True),
    "version": ("version", True),
}
_GONE = {
    "ssl-ca-path": "give all trusted certificates in one PEM file with `--ssl-ca-file`",
    "ssl-ciphers": "httpdyno's TLS library chooses among the ciphers of TLS 1.2 and 1.3",
    "wsesspage": "httpdyno does not parse HTML; list a page's objects in a file for `--wsesslog`",
}
"""Options that cannot be honoured, and what to do instead."""


def read_options(arguments: Sequence[str]) -> Options:
    """The options of a command line. Raises OptionsError with all of its faults."""
    words = split(arguments)
    faults = list(words.faults)
    found: dict[str, Any] = {}
    for name, value in words.options:
        try:
            _read(name, value, found)
        except ValueError as wrong:
            given = f"--{name}" if value is None else f"--{name}={value}"
            faults.append(f"`{given}`: {wrong}")
        except OSError as wrong:
            faults.append(f"`--{name}={value}` cannot be read: {wrong.strerror or wrong}")
    if found.get("help") or found.get("version"):
        return Options(help=bool(found.get("help")), version=bool(found.get("version")))
    faults += _contradictions(found)
    if faults:
        raise OptionsError(faults)
    return _complete(found)


def _read(name: str, value: str | None, found: dict[str, Any]) -> None:
    """Read one option into `found`, where a later one replaces an earlier one."""
    if name in _GONE:
        raise ValueError(_GONE[name])
    if name in _FLAGS:
        field, given = _FLAGS[name]
        found[field] = given
    elif name == "verbose":
        found["verbose"] = found.get("verbose", 0) + 1
    elif name == "debug":
        values.count_or_none(value or "")  # the engine prints no debug output
    elif name in ("print-reply", "print-request"):
        found[name.replace("-", "_")] = values.part_to_print(value)
    elif name == "ssl-verify":
        found["ssl_verify"] = values.yes(value)
    elif name == "myaddr":
        found["myaddr"] = (*found.get("myaddr", ()), *values.addresses(value or ""))
    elif name == "add-header-file":
        found["add_header_file"], found["header"] = value, values.file_bytes(value or "")
    elif name == "servers":
        found["servers"] = values.only_server(value or "")
    else:
        field, read = _VALUES[name]
        found[field] = read(value or "")


def _contradictions(found: dict[str, Any]) -> list[str]:
    """The faults of options that are right alone, and wrong together."""
    cases = (
        (
            "server" in found and "servers" in found,
            "`--server` and `--servers` exclude each other: expected one of them",
        ),
        (
            "wsess" in found and "wsesslog" in found,
            "`--wsess` and `--wsesslog` exclude each other: expected one kind of sessions",
        ),
        (
            "wlog" in found and "wset" in found,
            "`--wlog` and `--wset` exclude each other: expected one source of URIs",
        ),
        (
            "session_cookies" in found and not {"wsess", "wsesslog"} & found.keys(),
            "`--session-cookies` applies only to sessions:"
            " expected `--wsess` or `--wsesslog` with it",
        ),
        (
            ("ssl_certificate" in found) != ("ssl_key" in found),
            "`--ssl-certificate` and `--ssl-key` belong together: expected both",
        ),
    )
    return [sentence for contradicts, sentence in cases if contradicts]


def _complete(found: dict[str, Any]) -> Options:
    """The options with what follows from several of them."""
    server = found.pop("servers", None)
    if server is not None:
        found["server"], port = server
        found.setdefault("port", port) if port else None
    if found.get("ssl_protocol"):
        found["ssl"] = True
        found["ssl_version"] = values.tls_version(found["ssl_protocol"])
    found.setdefault("port", 443 if found.get("ssl") else 80)
    header = values.unescape(found.get("add_header", ""))
    found["header"] = header + found.get("header", b"")
    return Options(**found)
