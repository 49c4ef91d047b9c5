"""Flag values from text: each reader returns the value, or tells the fault and returns None."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from httpdyno.cli.faults import Faults
from httpdyno.units import parse_duration

__all__ = ["Values", "cpu_list", "ip_address", "port_range", "usable_cpus"]

T = TypeVar("T")


class Values:
    """Reads flag values into one collection of faults."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults

    def read(self, flag: str, text: str | None, parse: Callable[[str], T]) -> T | None:
        """What `parse` makes of `text`; its ValueError is a fault of `flag`. None: not given."""
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as wrong:
            given = text if flag == "URL" else f"{flag} {text}"
            self.faults.add(f"`{given}`: {wrong}")
            return None

    def count(self, flag: str, text: str | None, least: int = 1) -> int | None:
        """A whole number of at least `least`."""
        return self.read(flag, text, lambda given: _whole(given, least))

    def seconds(self, flag: str, text: str | None, *, zero: bool = False) -> float | None:
        """A time in seconds, more than nothing unless `zero` is allowed."""
        return self.read(flag, text, lambda given: _time(given, zero=zero))

    def choice(self, flag: str, text: str, choices: Iterable[str]) -> str | None:
        """One of `choices`."""
        return self.read(flag, text, lambda given: _one_of(given, list(choices)))


def cpu_list(text: str) -> list[int]:
    """Processors from `2,3` or `2-5`. Raises ValueError."""
    cpus: list[int] = []
    for piece in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", piece)
        if match is None:
            raise ValueError("expected processor numbers, such as `2,3` or `2-5`")
        first = int(match[1])
        cpus.extend(range(first, int(match[2] or first) + 1))
    if not cpus:
        raise ValueError("the range is empty: expected its first number not to be above its last")
    return cpus


def usable_cpus(text: str) -> list[int]:
    """Processors as `cpu_list` reads them, that this process may use. Raises ValueError."""
    from httpdyno.host import available

    cpus, usable = cpu_list(text), available()
    absent = [cpu for cpu in cpus if cpu not in usable]
    if absent:
        here = ", ".join(map(str, usable))
        raise ValueError(f"processor {absent[0]} may not be used here: expected some of {here}")
    return cpus


def ip_address(text: str) -> str:
    """An IPv4 or IPv6 address, checked. Raises ValueError."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ValueError("expected an address of this machine, such as `127.0.0.2`") from None


def port_range(text: str) -> tuple[int, int]:
    """First and last port from `1024-65535`. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]) <= 65535:
        raise ValueError("expected first and last port, 1 to 65535, such as `20000-60000`")
    return int(match[1]), int(match[2])


def _whole(text: str, least: int) -> int:
    digits = text.strip().replace("_", "").replace(",", "")
    if not digits.isdecimal() or int(digits) < least:
        raise ValueError(f"expected a whole number of at least {least}")
    return int(digits)


def _time(text: str, *, zero: bool) -> float:
    try:
        seconds = parse_duration(text)
    except ValueError:
        raise ValueError("expected a time such as `10s`, `250ms` or `2m`") from None
    if seconds == 0 and not zero:
        raise ValueError("expected a time above zero, such as `10s`")
    return seconds


def _one_of(text: str, choices: list[str]) -> str:
    if text not in choices:
        raise ValueError("expected " + " or ".join(f"`{choice}`" for choice in choices))
    return text
