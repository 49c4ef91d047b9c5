"""Reads flag values: each reader returns the value, or reports the fault and returns None."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from httpdyno.cli.faults import Faults, UnreadableError
from httpdyno.output.printable import printable
from httpdyno.output.secrets import (
    masked_body,
    masked_cookie,
    masked_database,
    masked_header,
    masked_proxy,
    masked_url,
    masked_user,
)
from httpdyno.units import LOWEST_RATE, parse_duration, parse_number, parse_rate

__all__ = [
    "Values",
    "cpu_list",
    "ip_address",
    "listening_address",
    "parse_time",
    "picture_file",
    "plain_text",
    "port_range",
    "printable_name",
    "socket_path",
    "url_path",
    "usable_cpus",
]

T = TypeVar("T")

MOST_SOCKET_BYTES = 107
"""The longest path of a Unix socket on Linux: `sun_path` has 108 bytes (unix(7))."""
MOST_CPU = 8191
"""The highest processor number that Linux can have."""
MOST_BLOCKS, HIGHEST_SEED = 1000, 2**32 - 1
"""The most blocks and the highest seed that a study can have."""
SHORTEST_S = 1e-6
LONGEST_S = 7 * 86_400.0
"""The longest time that the engine accepts: a week."""
_MISTYPED_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#@:]+:[^@]*[^0-9@][^@]*@", re.IGNORECASE)


def _masked_address(text: str) -> str:
    """Mask the credentials of a URL that cannot be read: a mistyped password may contain `/`."""
    return masked_proxy(text) if _MISTYPED_PASSWORD.match(text) else masked_url(text)


_MASKS = {
    "URL": _masked_address,
    "--header": masked_header,
    "--proxy": masked_proxy,
    "--user": masked_user,
    "--cookie": masked_cookie,
    **dict.fromkeys(("--body", "--data", "--json-body", "--message"), masked_body),
    "--store": masked_database,
    "FROM": masked_database,
    "TO": masked_database,
}


class Values:
    """Reads flag values and collects what is wrong with them."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.names: list[str] = []
        """The names that placeholders may have besides their kinds: those of columns."""

    def read(self, flag: str, text: str | None, parse: Callable[[str], T]) -> T | None:
        """Parse `text`; a ValueError is a fault of `flag`. None: not given, or a fault."""
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as wrong:
            given = printable(_MASKS.get(flag, str)(text))
            subject = given if flag == "URL" else f"{flag} {given}"
            self.faults.add(f"`{subject}`: {wrong}", of_file=isinstance(wrong, UnreadableError))
            return None

    def count(self, flag: str, text: str | None, most: int, least: int = 1) -> int | None:
        """Read a whole number from `least` to `most`, such as `1000`, `1_000`, `1k` or `1e3`."""
        return self.read(flag, text, lambda given: _whole(given, least, most))

    def bytes_(self, flag: str, text: str | None, most: int, least: int = 1) -> int | None:
        """Read a number of bytes. `4k` is none: it may mean 4,000 or 4,096."""
        return self.read(flag, text, lambda given: _bytes(given, least, most))

    def seconds(self, flag: str, text: str | None, *, zero: bool = False) -> float | None:
        """Read a time in seconds: a week at most, more than 0 unless `zero` is allowed."""
        return self.read(flag, text, lambda given: parse_time(given, zero=zero))

    def rate(self, flag: str, text: str | None, least: float = LOWEST_RATE) -> float | None:
        """Read a rate per second, such as `5000`, `5k` or `5000/s`."""
        return self.read(flag, text, lambda given: parse_rate(given, least))

    def blocks(self, text: str | None) -> int | None:
        """Read the number of restarts of each server."""
        return self.count("--blocks", text, MOST_BLOCKS)

    def seed(self, text: str | None) -> int | None:
        """Read the seed of a shuffle."""
        return self.count("--seed", text, HIGHEST_SEED, least=0)

    def choice(self, flag: str, text: str, choices: Iterable[str]) -> str | None:
        """Read one of `choices`."""
        return self.read(flag, text, lambda given: _one_of(given, list(choices)))


def plain_text(text: str) -> str:
    """Return the text if it is valid UTF-8. Raises ValueError."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("expected text in UTF-8") from None
    return text


def printable_name(text: str) -> str:
    """Return the name of a file that can be written in a comment. Raises ValueError."""
    if not text.isprintable():
        raise ValueError("expected the name of a file, in printable characters")
    return text


def picture_file(text: str) -> str:
    """Return the name of a picture's file. Raises ValueError."""
    if not plain_text(text).endswith((".png", ".svg")):
        raise ValueError("expected a file that ends in `.png` or `.svg`")
    return text


def cpu_list(text: str) -> list[int]:
    """Processor numbers from `2,3` or `2-5`. Raises ValueError."""
    cpus: list[int] = []
    for piece in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})(?:-([0-9]{1,18}))?\s*", piece)
        if match is None:
            raise ValueError("expected processor numbers, such as `2,3` or `2-5`")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise ValueError("expected a range from a lower number to a higher one, such as `2-5`")
        if last > MOST_CPU:
            raise ValueError(f"expected processor numbers up to {MOST_CPU}")
        cpus.extend(range(first, last + 1))
    return cpus


def usable_cpus(text: str) -> list[int]:
    """Processor numbers as `cpu_list` reads them, which this process may use. Raises ValueError."""
    from httpdyno.host.pinning import available

    cpus, usable = cpu_list(text), available()
    absent = [cpu for cpu in cpus if cpu not in usable]
    if absent:
        here = ", ".join(map(str, usable))
        raise ValueError(f"processor {absent[0]} is not available: expected some of {here}")
    return cpus


def ip_address(text: str) -> str:
    """An IPv4 or IPv6 address. Raises ValueError."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError("expected an address of this machine, such as `127.0.0.2`") from None
    if isinstance(found, ipaddress.IPv6Address) and found.scope_id is not None:
        raise ValueError("expected an address of this machine without a scope (`%eth0`)")
    return str(found)


def socket_path(text: str) -> str:
    """The path of a Unix socket. Raises ValueError."""
    if not 1 <= len(plain_text(text).encode()) <= MOST_SOCKET_BYTES:
        raise ValueError(
            f"expected the path of a socket, of 1 to {MOST_SOCKET_BYTES} bytes;"
            " one relative to this folder may be shorter"
        )
    return text


def url_path(text: str) -> str:
    """A path to request. Raises ValueError."""
    if re.fullmatch("/[!-~]*", text) is None:
        raise ValueError("expected a path such as `/items?page=2`, in ASCII and without spaces")
    return text


def port_range(text: str) -> tuple[int, int]:
    """First and last port from `1024-65535`. Raises ValueError."""
    match = re.fullmatch(r"\s*([0-9]{1,5})\s*-\s*([0-9]{1,5})\s*", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]) <= 65535:
        raise ValueError("expected first and last port, 1 to 65535, such as `20000-60000`")
    return int(match[1]), int(match[2])


def _whole(text: str, least: int, most: int) -> int:
    comma = ", without commas" if "," in text else ""
    expected = f"expected a whole number{comma}, such as `1000` or `10k`"
    try:
        found = parse_number(text)
    except ValueError:
        raise ValueError(expected) from None
    if not least <= found <= most:
        raise ValueError(f"expected a whole number from {least} to {most}")
    if found != int(found):
        raise ValueError(expected)
    return int(found)


def _bytes(text: str, least: int, most: int) -> int:
    if not text.replace("_", "").strip().isdecimal():
        raise ValueError("expected a whole number of bytes, such as `4096`")
    return _whole(text, least, most)


def parse_time(text: str, *, zero: bool = False) -> float:
    """A time in seconds, above 0 unless `zero` is allowed, a week at most. Raises ValueError."""
    seconds = parse_duration(text)
    if seconds == 0 and not zero:
        raise ValueError("expected a time above zero, such as `10s`")
    if seconds < SHORTEST_S and not zero:
        raise ValueError("expected a microsecond (`1us`) at least")
    if seconds > LONGEST_S:
        raise ValueError("expected a week (`168h`) at most")
    return seconds


def _one_of(text: str, choices: list[str]) -> str:
    if text not in choices:
        raise ValueError("expected " + " or ".join(f"`{choice}`" for choice in choices))
    return text


def listening_address(text: str) -> str:
    """Return an address to listen on: `127.0.0.1:8080`, `[::1]:0`. Raises ValueError."""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\s]+):(\d+)", text)
    if match is None or int(match[2]) > 65535:
        raise ValueError("expected an address and a port, such as `127.0.0.1:8080`")
    return text
