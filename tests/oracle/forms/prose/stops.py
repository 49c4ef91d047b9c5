"""Sentences of a study that stops at a precision."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.forms.prose.limits import fixed
from oracle.numbers import is_printed, number
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
    if number(heard["n"]) <= heard.lab.blocks - 1 or heard.lab.until is None:
        yield f"{heard.lab.blocks} blocks were planned"


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
        "It would probably take about 31,780 blocks",
    ),
    *fixed(
        "All intervals hold after every block at once, so they are valid although the study chose "
        "when to stop",
    ),
)
