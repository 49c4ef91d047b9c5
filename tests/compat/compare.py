"""Compares two tools' runs: the requests that arrived, the shape of the output, and counts.

Two outputs have the same shape if they have the same lines in the same order, each with the same
text around numbers of the same format. A number matches a number with as many decimals, in a field
of the same width or with the same spaces before it.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from .replies import Request
from .tools import Both, Ran

Order = Literal["any", "per_connection", "exact", "none"]
"""The comparison of requests: as a multiset; as a multiset of connections, each with its requests
in order; connection by connection in the order of arrival; not at all."""

NUMBER = re.compile(
    r"(?P<space> *)(?<![\w.^*])-?\d++(?:\.(?P<decimals>\d++))?+(?![\w^])"  # not in 2xx, 10^6
)
USER_AGENT = r"(?i)user-agent:"
SHOWN = 40
"""Most lines of a diff."""


@dataclass(frozen=True)
class Number:
    """The format of a number in a line."""

    spaces: int
    width: int
    """With the spaces before it."""
    decimals: int

    def matches(self, other: Number) -> bool:
        """True if one format prints both."""
        long, short = sorted((self, other), key=lambda one: one.spaces)
        placed = self.spaces == other.spaces or self.width == other.width
        overflows = long.spaces <= 1 and long.width > short.width
        return self.decimals == other.decimals and (placed or overflows)


def assert_same(
    both: Both,
    *,
    order: Order = "any",
    counts: Sequence[str] = (),
    near: Mapping[str, float] | None = None,
    without: Sequence[str] = (),
    optional: Sequence[str] = (),
    stderr: bool = False,
) -> None:
    """Fail with a readable text if ours did not do, say and return what the real tool did.

    `counts`: labels whose numbers must be equal, such as `Complete requests:` or `replies`.
    `near`: label → share by which its number may differ.
    `without`: patterns of lines that are not compared; `optional`: of lines that only one may have.
    """
    found = [
        *_codes(both),
        *request_differences(both.real.requests, both.ours.requests, order),
        *shape_differences(lines(both.real), lines(both.ours), without, optional),
        *count_differences(both.real.out, both.ours.out, counts),
        *near_differences(both.real.out, both.ours.out, near or {}),
    ]
    if stderr:
        real, ours = (lines(ran, of_stderr=True) for ran in (both.real, both.ours))
        said = shape_differences(real, ours, without, optional)
        found += ["stderr:", *said] if said else []
    if found:
        command = " ".join(both.real.words)
        text = "\n".join([f"ours differs from the real tool: {command}", *found])
        pytest.fail(text, pytrace=False)


def request_differences(
    real: Iterable[Request], ours: Iterable[Request], order: Order = "any"
) -> list[str]:
    """A diff of the requests; empty if they are the same."""
    if order == "none":
        return []
    return _diff("requests that arrived", _arranged(real, order), _arranged(ours, order))


def shape_differences(
    real: Sequence[str],
    ours: Sequence[str],
    without: Sequence[str] = (),
    optional: Sequence[str] = (),
) -> list[str]:
    """A diff of the lines whose shape differs; empty if all are the same."""
    first, second = (_left([*without, USER_AGENT], given) for given in (real, ours))
    at = other = 0
    while at < len(first) or other < len(second):
        left, right = first[at : at + 1], second[other : other + 1]
        if left and right and same_shape(left[0], right[0]):
            at, other = at + 1, other + 1
        elif left and not _left(optional, left):
            at += 1
        elif right and not _left(optional, right):
            other += 1
        else:
            return _diff("shape of the output", first, _adapted(first, second))
    return []


def same_shape(real: str, ours: str) -> bool:
    """True if two lines have the same text around numbers of the same formats."""
    left, right = list(_parts(real)), list(_parts(ours))
    return len(left) == len(right) and all(
        one.matches(other)
        if isinstance(one, Number) and isinstance(other, Number)
        else one == other
        for one, other in zip(left, right, strict=True)
    )


def count_differences(real: str, ours: str, labels: Iterable[str]) -> list[str]:
    """The labels whose numbers are missing or not equal."""
    return [
        f"count `{label}`: {_or_none(left)} by the real tool, {_or_none(right)} by ours"
        for label in labels
        if (left := numbers(real, label)) != (right := numbers(ours, label)) or not left
    ]


def near_differences(real: str, ours: str, near: Mapping[str, float]) -> list[str]:
    """The labels whose numbers are missing or differ by more than their share."""
    found = []
    for label, share in near.items():
        left, right = numbers(real, label), numbers(ours, label)
        if not left or len(left) != len(right) or not all(map(_within(share), left, right)):
            told = f"{_or_none(left)} by the real tool, {_or_none(right)} by ours"
            found.append(f"`{label}`: {told}; may differ by {share:.0%}")
    return found


def numbers(text: str, label: str) -> list[float]:
    """All numbers that follow a label."""
    pattern = rf"(?<!\w){re.escape(label)}\s*(-?\d+(?:\.\d+)?)"
    return [float(found) for found in re.findall(pattern, text)]


def normalised(request: Request) -> bytes:
    """The request without its user agent and the server's port."""
    head = re.sub(rb"(?im)^user-agent:.*\r\n", b"", request.head)
    port = (request.header("Host") or "").rpartition(":")[2]
    if port.isdigit():
        head = head.replace(b":" + port.encode(), b":PORT")
    return head + request.body


def lines(ran: Ran, *, of_stderr: bool = False) -> list[str]:
    """The lines of the output, without what differs from run to run: port and folder, and ours
    that this machine was busy.

    Nor the values of headers in a repeated command line, which ours masks: they may be secret.
    """
    text = (ran.err if of_stderr else ran.out).replace(str(ran.folder), "FOLDER")
    text = re.sub(r"--add-header='.*?'(?= --|\n)", "--add-header=…", text)
    text = re.sub(r"(?m)^warning: other programs or the host .*\n", "", text)
    return re.sub(rf"(?<!\d){ran.port}(?!\d)", "PORT", text).splitlines()


def _parts(line: str) -> Iterator[str | Number]:
    at = 0
    for found in NUMBER.finditer(line):
        yield line[at : found.start()]
        yield Number(len(found["space"]), len(found.group()), len(found["decimals"] or ""))
        at = found.end()
    yield line[at:]


def _left(patterns: Sequence[str], given: Sequence[str]) -> list[str]:
    """The lines that no pattern matches."""
    return [line for line in given if not any(re.search(one, line) for one in patterns)]


def _adapted(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The second lines, each replaced by one of the first that has the same shape."""
    free = list(first)
    found = []
    for line in second:
        same = next((one for one in free if same_shape(one, line)), line)
        if same in free:
            free.remove(same)
        found.append(same)
    return found


def _arranged(requests: Iterable[Request], order: Order) -> list[str]:
    """The requests as lines that are equal if the requests are."""
    if order == "any":
        counted = Counter(_shown(request) for request in requests)
        return [f"{count} × {text}" for text, count in sorted(counted.items())]
    by_connection: dict[int, list[str]] = {}
    for request in requests:
        by_connection.setdefault(request.connection, []).append(_shown(request))
    groups = [_repeated(group) for group in by_connection.values()]
    if order == "exact":
        return [f"connection {n}: {text}" for n, group in enumerate(groups) for text in group]
    alike = sorted(Counter(map(tuple, groups)).items())
    return [f"{count} connections: {text}" for group, count in alike for text in group]


def _repeated(texts: Iterable[str]) -> list[str]:
    """Equal neighbours as one line with their number."""
    return [f"{len(list(same))} × {text}" for text, same in itertools.groupby(texts)]


def _shown(request: Request) -> str:
    return repr(normalised(request))[2:-1]


def _codes(both: Both) -> list[str]:
    if both.real.code == both.ours.code:
        return []
    last = (both.ours.err.strip() or both.ours.out.strip()).splitlines()[-3:]
    return [f"exit code: {both.real.code} by the real tool, {both.ours.code} by ours", *last]


def _diff(title: str, real: Sequence[str], ours: Sequence[str]) -> list[str]:
    found = list(difflib.unified_diff(real, ours, "real", "ours", lineterm="", n=1))
    more = [f"… and {len(found) - SHOWN} more lines"] if len(found) > SHOWN else []
    return [f"{title}:", *found[:SHOWN], *more] if found else []


def _within(share: float) -> Callable[[float, float], bool]:
    return lambda one, other: abs(one - other) <= share * max(abs(one), abs(other))


def _or_none(found: Sequence[float]) -> str:
    return ", ".join(f"{one:g}" for one in found) or "none"
