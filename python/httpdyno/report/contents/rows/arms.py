"""Names of arms, each with its colour, its part of the page, and the words to filter it by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from httpdyno.output.slugs import all_different, slug
from httpdyno.report.charts.drawing import style
from httpdyno.report.text.arms import arm_names, coloured_names, short_names
from httpdyno.result import StudyResult
from httpdyno.units import list_items


@dataclass(frozen=True)
class ArmLabel:
    """The name of an arm. An arm of which nothing was measured has only that."""

    name: str
    place: int | None = None
    """Its place among the colours: the `data-arm` of its rows and of its marks in charts."""
    id: str = ""
    """Its part of the page."""
    server: str = ""
    languages: Sequence[str] = ()
    workload: str = ""
    """Empty if the study has only one."""

    @property
    def colour(self) -> str:
        """The CSS class of its colour."""
        return "" if self.place is None else f"c{self.place % style.COLOURS}"


Labels = Callable[[str], ArmLabel]


def labels(result: StudyResult) -> Labels:
    """The label of each arm, by its name."""
    names, short = arm_names(result), short_names(result)
    places = {name: place for place, name in enumerate(coloured_names(result))}
    ids = all_different([slug("arm", name) for name in names])
    infos = {arm.name: arm for arm in result.arms}
    several = len({arm.workload for arm in result.arms}) > 1
    found = {}
    for name, part in zip(names, ids, strict=True):
        info = infos.get(name)
        found[name] = ArmLabel(
            name=name,
            place=places[short[name]],
            id=part,
            server=info.server if info else "",
            languages=list_items(info.language) if info else (),
            workload=info.workload if info and several else "",
        )
    return lambda name: found.get(name) or ArmLabel(name)


def colours_note(result: StudyResult) -> str:
    """A sentence about the colours of the arms."""
    arms = len(coloured_names(result))
    if arms <= style.COLOURS:
        return "An arm has the same colour throughout the report."
    return (
        f"The {arms} arms share {style.COLOURS} colours: tell them apart by the names beside them."
    )
