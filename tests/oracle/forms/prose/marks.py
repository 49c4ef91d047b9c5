"""Cards of verdicts, words beside rows, and the order of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oracle.forms.prose.limits import fine
from oracle.made.studies import DOUBTS
from oracle.reading import Form, Heard


def _card(heard: Heard) -> Iterator[str]:
    """So many cells have a trial with this reason; without a reason, no trial at all."""
    code = heard["code"].replace(" ", "_")
    keys = list(heard.lab.cells())
    found = [
        key for key in keys if any(d.code == code for t in heard.lab.of(key) for d in t.doubts)
    ]
    if code == "none":
        found = [key for key in keys if not heard.lab.of(key)]
    if code not in {one.code for one in DOUBTS} | {"none"} or "trial" in heard["noun"]:
        return
    # A cell whose doubts are too few has none, and is no part of the count.
    if int(heard["m"]) != len(keys) or not 0 < int(heard["n"]) <= len(found):
        yield f"{len(found)} of {len(keys)} cells have it"


def _rounded(heard: Heard) -> Iterator[str]:
    """A share that is not all is never printed as all."""
    trials = [one for each in heard.lab.trials.values() for one in each if one.due]
    if heard["p"].startswith("100") and any(one.ok < (one.due or 0) for one in trials):
        yield "not all that fell due was answered"


def _row(heard: Heard) -> Iterator[str]:
    """That no difference is shown does not mean that there is none."""
    if heard["words"] == "no difference":
        yield "none was shown; there may be one"


def _ranked(heard: Heard) -> Iterator[str]:
    """Arms that all keep up with a rate have its throughput: they are ranked by p99."""
    if heard["by"] != "requests/s" or not heard.load:
        return
    keys = [(arm.name, heard.load, heard.point) for arm in heard.lab.rivals]
    if heard.at().kind in ("requests", "sessions") and all(map(heard.lab.holds, keys)):
        yield f"all arms keep up with {heard.point}: the table is ranked by p99"


def _sorted(heard: Heard) -> Iterator[str]:
    """The tables are sorted by what their arms are compared by; one of the ways is this table's."""
    ways = re.split(r", or ", heard["ways"])
    fits = {
        "by capacity": heard.at().kind == "capacity",
        "by requests/s": heard.at().kind != "capacity",
    }
    if unknown := [one for one in ways if one not in fits and not one.startswith("by p99")]:
        yield f"{unknown[0]} is no order"
    held = [heard.lab.holds((a.name, heard.load, heard.point)) for a in heard.lab.rivals]
    if ways == ["by requests/s"] and len(held) > 1 and all(held):
        yield f"all arms keep up with {heard.point}: they are ranked by p99"
    if any(fits.get(one) for one in ways):
        return
    if heard.at().kind not in ("requests", "sessions"):
        yield f"{heard.load} has no offered rate"
    if "all arms" in heard["ways"]:
        for arm in heard.lab.rivals:
            key = (arm.name, heard.load, heard.point)
            if heard.lab.holds(key) is False or heard.lab.is_disturbed(key):
                yield f"{arm.name} did not keep up with {heard.point}"


CARDS = (
    Form(
        "\\*\\*(?:suspect|invalid): <code:text>\\*\\* \\(<n:n> of <m:n> "
        "(?P<noun>cells?|trials?)(?:; doubts .+?)?\\)\\. .+",
        _card,
        "**suspect: overload** (4 of 16 cells; doubts p50, p99, errors, memory). Overload: less "
        "achieved than offered",
    ),
    Form("(?:What to do|Where): .+", fine, "What to do: look at it"),
    Form(
        ".*\\(<p:percent>, limit .+\\)",
        _rounded,
        "overload: 1,000/s offered, 900/s achieved (90.0 %, limit 99 %)",
    ),
)
ROWS = (
    Form(
        "<r:ratio>\\??(?: \\(<words:text>\\))?(?: <low:bare> to <high:ratio>)?",
        _row,
        "0.65× (no difference shown)",
    ),
)
LEGENDS = (
    Form("Sorted(?: by rank, then)? <ways:text>", _sorted, "Sorted by rank, then by requests/s"),
    Form("Best first(?:, by <by:text>)?", _ranked, "Best first, by requests/s"),
)
