"""Names of arms, each in its colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from httpdyno.report.charts.drawing import style
from httpdyno.report.text.arms import arm_names, coloured, short_names
from httpdyno.result import StudyResult


@dataclass(frozen=True)
class ArmLabel:
    """The name of an arm and the CSS variable of its colour; an unknown arm has none."""

    name: str
    colour: str | None


Labels = Callable[[str], ArmLabel]


def labels(result: StudyResult) -> Labels:
    """The label of each arm, by its name."""
    short, order = short_names(result), coloured(result)
    places = {name: place for place, name in enumerate(order)}
    colours = {name: f"--arm-{places[short[name]] % style.COLOURS}" for name in arm_names(result)}
    return lambda name: ArmLabel(name, colours.get(name))


def colours_note(result: StudyResult) -> str:
    """A sentence about the colours of the arms."""
    arms = len(coloured(result))
    if arms <= style.COLOURS:
        return "An arm has the same colour throughout the report."
    return (
        f"The {arms} arms share {style.COLOURS} colours: tell them apart by the names beside them."
    )
