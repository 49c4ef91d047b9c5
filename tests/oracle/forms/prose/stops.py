"""Sentences of a study that stops at a precision."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from oracle.forms.prose.limits import fixed
from oracle.numbers import is_printed, number
from oracle.raw import Lab
from oracle.reading import Form, Heard


def _asked(heard: Heard) -> Iterator[str]:
    """The precision is that of the study, and so are the blocks; the widest interval is known."""
    until = heard.lab.until
    if until is None or not is_printed(heard["asked"], until):
        yield f"{heard['asked']}: the study asks for {until}"
        return
    measured = {one.block for each in heard.lab.trials.values() for one in each}
    if heard["n"] and int(heard["n"]) > len(measured):
        yield f"{len(measured)} blocks were measured"
    if heard["m"] and int(heard["m"]) != heard.lab.blocks:
        yield f"it has {heard.lab.blocks} blocks at most"
    if heard["known"]:
        reached = "not reached" not in heard.said.text
        if reached != (number(heard["known"]) <= until * 1.005):
            yield f"{heard['known']} is {'wider' if reached else 'no wider'} than {heard['asked']}"


def _more(heard: Heard) -> Iterator[str]:
    """Not fewer blocks than the usual intervals would need, and no more than anybody measures."""
    blocks = number(heard["n"])
    if blocks <= heard.lab.blocks - 1 or heard.lab.until is None:
        yield f"{heard.lab.blocks} blocks were planned"
    if blocks > _most(heard):
        yield f"nobody measures {heard['n']} blocks"
    if blocks + _ROUNDED < 0.95 * _least(heard.lab):
        yield f"the intervals of the trials need {_least(heard.lab):,.0f} blocks"
    known = _by_width(heard)
    if known is not None and not math.isclose(blocks, known, rel_tol=0.1, abs_tol=_ROUNDED):
        yield f"by the printed width it is {known:,.0f}"


def _no_more(heard: Heard) -> Iterator[str]:
    """The bound is that of what anybody measures, and the printed width is beyond it."""
    if heard.lab.until is None or number(heard["n"]) != _most(heard):
        yield f"{_most(heard)} blocks are not too many"
    known = _by_width(heard)
    if known is not None and known < 0.9 * _most(heard):
        yield f"by the printed width about {known:,.0f} blocks would do"


def _most(heard: Heard) -> int:
    return max(_MOST, heard.lab.blocks)


def _by_width(heard: Heard) -> float | None:
    """The blocks that the printed interval needs: twice as narrow takes four times as many. None:
    an arm without a trial is missing from each block."""
    match = _WIDEST.search(heard.said.whole)
    if match is None or match["n"] == "0":
        return None
    return number(match["n"]) * (number(match["known"]) / number(match["asked"])) ** 2


def _least(lab: Lab) -> float:
    """The blocks that the usual intervals of the throughputs need: those that hold after every
    block are wider."""
    needed = [0.0]
    for load in (one for one in lab.loads if one.kind == "closed" and lab.until):
        for arm in lab.arms[1:]:
            found = lab.pairs(arm.name, lab.baseline, load.name, load.points[0].label, "throughput")
            if found is not None and found.n >= lab.fewest:
                width = math.sqrt(found.high / found.low) - 1
                needed.append(found.n * (width / (lab.until or math.inf)) ** 2)
    return max(needed)


_MOST = 200
"""Nobody measures more blocks, unless a study has more."""
_ROUNDED = 5
"""The number of blocks is rounded to this."""
_WIDEST = re.compile(
    "precision of ±(?P<asked>[0-9.]+ %) was not reached after (?P<n>[0-9,]+) .*: the widest"
    " interval is ±(?P<known>[0-9.,]+ %)"
)
_ASKED = "The requested precision of ±(?P<asked>[0-9.]+ %) was "
STOPS = (
    Form(
        f"{_ASKED}not reached: there is no interval yet",
        _asked,
        "The requested precision of ±2 % was not reached: there is no interval yet",
    ),
    Form(
        f"{_ASKED}not reached after <n:n> of at most <m:n> blocks: .+ has no interval yet",
        _asked,
        "The requested precision of ±2 % was not reached after 7 of at most 10 blocks: p99 of a "
        "has no interval yet",
    ),
    Form(
        f"{_ASKED}not reached after <n:n> of at most <m:n> blocks: .+ "
        "±(?P<known>[0-9.,]+ %)(?: .+)?",
        _asked,
        "The requested precision of ±2 % was not reached after 10 of at most 10 blocks: the widest "
        "interval is ±3.1 %",
    ),
    Form(
        f"{_ASKED}reached: the widest interval is (?:±(?P<known>[0-9.,]+ %)|below ±0.0001 %)",
        _asked,
        "The requested precision of ±2 % was reached: the widest interval is ±1.9 %",
    ),
    Form(
        "Stopped after block <n:n> of at most <m:n>: the widest interval is ±(?P<known>[0-9.,]+ %) "
        "\\(requested: ±(?P<asked>[0-9.]+ %)\\)",
        _asked,
        "Stopped after block 10 of at most 20: the widest interval is ±1.9 % (requested: ±2 %)",
    ),
    Form(
        "It would probably take about <n:n> blocks",
        _more,
        "It would probably take about 65 blocks",
    ),
    Form(
        "More blocks will not help: it would take more than <n:n>",
        _no_more,
        "More blocks will not help: it would take more than 200",
    ),
    *fixed(
        "Make the trials longer or the machine quieter, or request a lower precision",
        "All intervals hold after every block at once, so they are valid although the study chose "
        "when to stop",
    ),
)
