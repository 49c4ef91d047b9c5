"""Reads the values of httperf's options. Each reader raises ValueError with what was expected."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import struct
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from httpdyno.compat.session_log import Session, SessionLogError, parse_session_log

if TYPE_CHECKING:
    from httpdyno.choices import TlsVersion

__all__ = [
    "ONE_AFTER_THE_OTHER",
    "Pace",
    "PrintPart",
    "SessionLog",
    "Sessions",
    "UriList",
    "WorkingSet",
]

PrintPart = Literal["header", "body", "whole"]
MOST = 2**31 - 1
LONGEST_S = 7 * 86_400.0
MOST_FILE_BYTES = 64 * 2**20
MOST_PERIODS = 1000
MOST_URIS = 100_000
_NUMBER = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_WORD = re.compile(rb"[^\x00-\x20\x7f]+")
_PROTOCOLS: dict[str, TlsVersion | None] = {
    "auto": None,
    "tlsv1": None,  # in httperf, TLS of any version
    "tlsv1.2": "1.2",
    "tlsv1.3": "1.3",
}
_GET_ADDRESS = 0x8915
"""The request SIOCGIFADDR of ioctl: the IPv4 address of a network interface."""


@dataclass(frozen=True)
class Pace:
    """When connections or sessions begin. Without a rate, one after the other."""

    kind: Literal["d", "u", "e", "v"] = "d"
    """Fixed, uniform, exponential, or a list of periods with their durations."""
    values: tuple[float, ...] = (0.0,)
    """Seconds: the period; the least and the greatest; the mean; period, duration, period …"""

    @property
    def mean_s(self) -> float:
        """The mean period; 0: sequential."""
        of_interest = self.values[::2] if self.kind == "v" else self.values
        return sum(of_interest) / len(of_interest)


ONE_AFTER_THE_OTHER = Pace()


@dataclass(frozen=True)
class Sessions:
    """`--wsess`: sessions, calls per session, and seconds of think time between bursts."""

    count: int
    calls: int
    think_s: float


@dataclass(frozen=True)
class SessionLog:
    """`--wsesslog`: sessions, default think time, and the sessions of a file, used in turn."""

    count: int
    think_s: float
    file: str
    log: tuple[Session, ...]


@dataclass(frozen=True)
class UriList:
    """`--wlog`: the URIs of a file; `repeats`: from the first again after the last."""

    repeats: bool
    uris: tuple[bytes, ...]


@dataclass(frozen=True)
class WorkingSet:
    """`--wset`: a number of URIs, and the rate of moving to the next one."""

    files: int
    miss_rate: float


def count(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1, MOST)


def count_or_none(text: str) -> int:
    """A whole number from 0."""
    return _whole(text, 0, MOST)


def connections(text: str) -> int:
    """Connections of a session; 0: the default."""
    return _whole(text, 0, 100)


def buffer_size(text: str) -> int:
    """The size of a socket buffer in bytes."""
    return _whole(text, 1, MOST)


def port(text: str) -> int:
    """A TCP port."""
    return _whole(text, 1, 65535)


def status(text: str) -> int:
    """An HTTP status."""
    return _whole(text, 100, 599)


def seconds(text: str) -> float:
    """A time in seconds; 0: none."""
    value = _number(text)
    if not 0 <= value <= LONGEST_S:
        raise ValueError("expected seconds, a week (604800) at most")
    return value


def seconds_above_zero(text: str) -> float:
    """A time in seconds above 0."""
    value = seconds(text)
    if value == 0:
        raise ValueError("expected seconds above 0, such as `30`")
    return value


def rate(text: str) -> Pace:
    """Connections or sessions per second; 0: one after the other."""
    value = _number(text)
    return Pace("d", (1 / value if value else 0.0,))


def period(text: str) -> Pace:
    """The time between connections or sessions: `[d]T`, `uT1,T2`, `eT` or `vT1,D1,T2,D2,…`."""
    kind = text[:1].lower()
    if kind in ("d", "u", "e", "v"):
        text = text[1:]
    else:
        kind = "d"
    times = tuple(_number(piece) for piece in text.split(","))
    if kind in ("d", "e"):
        if len(times) != 1:
            raise ValueError("expected one time in seconds, such as `0.01`")
    elif kind == "u":
        if len(times) != 2 or times[0] > times[1]:
            raise ValueError("expected the least and the greatest time, such as `u0.1,0.3`")
    elif len(times) % 2 or len(times) > 2 * MOST_PERIODS or not all(times):
        raise ValueError("expected periods, each with its duration, such as `v0.1,10,0.01,20`")
    if max(times) > LONGEST_S:
        raise ValueError("expected seconds, a week (604800) at most")
    return Pace(kind, times)  # type: ignore[arg-type]


def client(text: str) -> tuple[int, int]:
    """This client's number and the number of clients: `I/N`."""
    number, slash, clients = text.partition("/")
    if not slash:
        raise ValueError("expected `I/N`, such as `0/1`")
    of = _whole(clients, 1, 65536)
    return _whole(number, 0, of - 1), of


def http_version(text: str) -> str:
    """`1.0` or `1.1`."""
    if text not in ("1.0", "1.1"):
        raise ValueError("expected `1.0` or `1.1`")
    return text


def method(text: str) -> str:
    """A method, such as `GET`."""
    if _TOKEN.fullmatch(text) is None:
        raise ValueError("expected a method such as `POST`")
    return text


def host(text: str) -> str:
    """The name or address of a host."""
    if _WORD.fullmatch(os.fsencode(text)) is None:
        raise ValueError("expected the name or address of a host")
    return text


def uri(text: str) -> bytes:
    """A URI, which is sent as it is."""
    found = os.fsencode(text)
    if _WORD.fullmatch(found) is None:
        raise ValueError("expected a URI without spaces, such as `/index.html`")
    return found


def header_text(text: str) -> str:
    """Header lines with escapes, as they were given."""
    found = unescape(text)
    if found and not found.endswith(b"\n") and b"\r\n\r\n" not in found:
        raise ValueError("expected a line end `\\n` after each header, as in 'NAME: VALUE\\n'")
    return text


def unescape(text: str) -> bytes:
    """Header lines with escapes replaced: `\\n` ends a line (CR LF)."""
    plain = {b"\\": b"\\", b"a": b"\n", b"r": b"\r", b"n": b"\r\n"}

    def character(found: re.Match[bytes]) -> bytes:
        escape = found[1]
        if escape in plain:
            return plain[escape]
        if escape[:1].isdigit() and int(escape, 8) < 256:
            return bytes([int(escape, 8)])
        shown = os.fsdecode(escape)
        raise ValueError(f"`\\{shown}` is no escape: expected \\n, \\r, \\a, \\\\ or octal digits")

    return re.sub(rb"\\([0-7]+|.|$)", character, os.fsencode(text), flags=re.DOTALL)


def ssl_protocol(text: str) -> str:
    """A protocol of httperf's list that is still spoken."""
    if text.lower() not in _PROTOCOLS:
        raise ValueError("expected `auto`, `TLSv1.2` or `TLSv1.3`: older ones are not supported")
    return text


def tls_version(protocol: str) -> TlsVersion | None:
    """The one version that a protocol of `--ssl-protocol` allows; None: all."""
    return _PROTOCOLS[protocol.lower()]


def part_to_print(text: str | None) -> PrintPart:
    """The part of requests or replies to print."""
    if text is None:
        return "whole"
    if text not in ("header", "body"):
        raise ValueError("expected `header`, `body`, or nothing for both")
    return text  # type: ignore[return-value]


def yes(text: str | None) -> bool:
    """`yes` or `no`; nothing is `yes`."""
    if text not in (None, "yes", "no"):
        raise ValueError("expected `yes` or `no`")
    return text != "no"


def sessions(text: str) -> Sessions:
    """`N1,N2,X`: sessions, calls per session, think time."""
    parts = text.split(",")
    if len(parts) != 3:
        raise ValueError("expected sessions, calls per session and think time, such as `100,10,2`")
    return Sessions(count(parts[0]), count(parts[1]), seconds(parts[2]))


def session_log(text: str) -> SessionLog:
    """`N,X,F`: sessions, default think time, file."""
    parts = text.split(",", 2)
    if len(parts) != 3:
        raise ValueError("expected sessions, think time and a file, such as `100,2,sessions.txt`")
    number, think_s = count(parts[0]), seconds(parts[1])
    try:
        log = parse_session_log(file_bytes(parts[2]))
    except SessionLogError as wrong:
        raise ValueError("; ".join(wrong.faults)) from None
    return SessionLog(number, think_s, parts[2], tuple(log))


def uri_list(text: str) -> UriList:
    """`y,F` or `n,F`: the URIs of a file, separated by NUL."""
    mode, _, file = text.partition(",")
    if mode not in ("y", "Y", "n", "N") or not file:
        raise ValueError("expected `y` or `n` and a file, such as `y,uris`")
    uris = tuple(one for one in file_bytes(file).split(b"\0") if one.strip(b"\r\n"))
    if not uris:
        raise ValueError("expected a file of URIs, separated by NUL characters; it has none")
    if len(uris) > MOST_URIS:
        raise ValueError(f"the file has {len(uris):,} URIs: expected at most {MOST_URIS:,}")
    wrong = next((one for one in uris if _WORD.fullmatch(one) is None), None)
    if wrong is not None:
        start = re.split(rb"[\r\n]", wrong)[0][:60].decode(errors="replace")
        lines = "; `tr '\\n' '\\0'` makes them of lines" if b"\n" in wrong else ""
        expected = f"expected URIs separated by NUL characters{lines}"
        raise ValueError(f"what begins with `{start}` is no URI: {expected}")
    return UriList(mode in "yY", uris)


def working_set(text: str) -> WorkingSet:
    """`N,X`: files, and the rate of moving to the next one."""
    files, _, miss_rate = text.partition(",")
    found = WorkingSet(count(files), _number(miss_rate))
    if found.miss_rate > 1:
        raise ValueError("expected a rate from 0 to 1 after the number of files")
    return found


def addresses(text: str) -> list[str]:
    """IP addresses to connect from: given as such, as host names, or as network interfaces."""
    return [address for one in text.split(",") for address in _addresses_of(one.strip())]


def only_server(file: str) -> tuple[str, int | None]:
    """The host and port of a list of servers, which must be one."""
    listed = set(os.fsdecode(file_bytes(file)).split())
    if len(listed) != 1:
        raise ValueError(
            f"the file lists {len(listed)} servers: expected one; run httperf once for each server"
        )
    name, _, number = listed.pop().partition(":")
    return host(name), port(number) if number else None


def file_bytes(file: str) -> bytes:
    """The content of a file of at most 64 MiB. Raises OSError, or ValueError if it is larger."""
    with Path(file).open("rb") as opened:
        content = opened.read(MOST_FILE_BYTES + 1)
    if len(content) > MOST_FILE_BYTES:
        raise ValueError(f"`{file}` is larger than 64 MiB")
    return content


def _addresses_of(text: str) -> list[str]:
    try:
        return [str(ipaddress.ip_address(text))]
    except ValueError:
        pass
    if text in (name for _, name in socket.if_nameindex()):
        return [_address_of_interface(text)]
    try:
        found = socket.getaddrinfo(text, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ValueError(
            f"`{text}` is no address, host or network interface of this machine"
        ) from None
    return [str(address[0]) for *_, address in found]


def _address_of_interface(name: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as query:
        try:
            answer = ioctl(query, _GET_ADDRESS, struct.pack("256s", name.encode()[:15]))
        except OSError:
            raise ValueError(f"the network interface `{name}` has no IPv4 address") from None
    return socket.inet_ntoa(answer[20:24])


def _whole(text: str, least: int, most: int) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 20:
        raise ValueError(f"expected a whole number from {least}")
    number = int(text)
    if not least <= number <= most:
        raise ValueError(f"expected a whole number from {least} to {most}")
    return number


def _number(text: str) -> float:
    if _NUMBER.fullmatch(text) is None or float(text) > 1e15:
        raise ValueError("expected a number of 0 or more, such as `2.5`")
    return float(text)
