"""The margin of each metric: how much worse it may become before that matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.units import parse_share

MARGIN = 0.05
P99_MARGIN = 0.5
"""The margins that 10 blocks decide on a small virtual machine; docs/decisions/comparing.md."""
ERRORS_MARGIN = 0.01
"""Of errors: the share of calls that may fail in addition."""
DEFAULT: Mapping[ComparedBy, float] = {
    "throughput": MARGIN,
    "p99": P99_MARGIN,
    "errors": ERRORS_MARGIN,
    "server CPU per request": MARGIN,
}
NAMES: Mapping[str, ComparedBy] = {COMPARED[one].name: one for one in DEFAULT}
"""The metrics as flags name them."""


def parse_margin(text: str) -> dict[ComparedBy, float]:
    """`3%` is for throughput and CPU per request, `p99=20%` for one metric. Raises ValueError."""
    name, sign, share = text.rpartition("=")
    if sign and name not in NAMES:
        expected = ", ".join(f"`{one}=`" for one in NAMES)
        raise ValueError(f"expected {expected} or only a share")
    margin = _share(share)
    if sign:
        return {NAMES[name]: margin}
    return {"throughput": margin, "server CPU per request": margin}


def margins(given: Iterable[Mapping[ComparedBy, float]]) -> dict[ComparedBy, float]:
    """The margin of each metric, the later ones first."""
    found = dict(DEFAULT)
    for one in given:
        found.update(one)
    return found


def _share(text: str) -> float:
    share = parse_share(text)
    if not 0 < share < 1:
        raise ValueError("expected a share above 0 % and below 100 %, such as `3%`")
    return share
