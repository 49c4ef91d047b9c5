"""Titles, answers and reports in Markdown as sentences, each with the place that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from httpdyno.report.charts.figure import Figure

from oracle.grids import Grid, grids
from oracle.raw import Lab, Load
from oracle.reading import EVERY, Said, sentences, use_words

_METRICS = (
    ("Capacity relative", "capacity"),
    ("Requests per second relative", "throughput"),
    ("Response time at p99 relative", "p99"),
    ("CPU time per request relative", "cpu"),
)
"""Beginnings of the subtitles of ratios."""
_PUBLISHED = "Under the published load: "
_RATES = re.compile(r"Under the load “(?P<load>l\d)”: (?P<said>.+)")
_LOAD = re.compile(r"Load: .*")


def titles(lab: Lab, drawn: Sequence[Figure]) -> Iterator[Said]:
    """The parts of the title of each chart."""
    for one in drawn:
        load = one.load.name if one.load is not None else ""
        places = _places(lab, load, one.subtitle)
        if one.section == "ratio" and places and not places[0][1]:
            # A title of one arm does not name its point, if it is the only one that is compared.
            places += tuple((load, point.label) for point in lab.load(load).points)
        metric = next((name for word, name in _METRICS if one.subtitle.startswith(word)), "")
        workload = _workload(lab, one.subtitle)
        title = one.title.removeprefix(f"Workload {workload}: ")
        for part in title.split("; "):
            yield Said("title", part, one.section, places, title, metric, workload)


def _workload(lab: Lab, about: str) -> str:
    """The workload of a chart, if the study has several."""
    several = lab.workloads if len(lab.workloads) > 1 else []
    return next((name for name in several if re.search(rf"; {name}[.,;]", about)), "")


def _places(lab: Lab, load: str, about: str) -> tuple[tuple[str, str], ...]:
    """The load point that a chart is about; without one, all of its load."""
    if not load:
        return ()
    points = [one.label for one in lab.load(load).points]
    named = [
        one for one in points if re.search(rf"(?:; |, at |^){re.escape(one)}(?:[.;]|$)", about)
    ]
    if len(points) == 1:
        named = points
    return ((load, named[0] if named else ""),)


def answer(lab: Lab, text: str, surface: str = "answer") -> Iterator[Said]:
    """The sentences of an answer."""
    found = sentences(text)
    about = next((one for one in found if _LOAD.match(one)), "")
    every = [(load, point.label) for load in lab.loads for point in load.points]
    named = [
        (load, point)
        for load, point in every
        if re.match(rf"Load: (?:{_named(load)}), {re.escape(point)}", about)
    ]
    places = [(load.name, point) for load, point in named or every]
    for sentence in found:
        one = sentence.removeprefix(_PUBLISHED)
        if one != sentence:
            places = _published_places(lab)
        if match := _RATES.fullmatch(one):
            yield from _kept(lab, match["load"], match["said"])
        else:
            yield Said(surface, one, "answer", tuple(places), text)


def _named(load: Load) -> str:
    return f"{re.escape(use_words(load))}|{load.name}"


def _kept(lab: Lab, load: str, said: str) -> Iterator[Said]:
    """The rates that the arms kept up with, after the title of the load."""
    for part in said.split("; "):
        yield Said("title", part, "rates", ((load, ""),), said, workload=EVERY)


def _published_places(lab: Lab) -> list[tuple[str, str]]:
    return [(load.name, load.points[0].label) for load in lab.loads if load.published]


def markdown(lab: Lab, text: str) -> Iterator[Said]:
    """The prose of a report in Markdown: not its tables, headings and pictures."""
    above = ""
    for line in text.splitlines():
        bare = re.sub(r"^(?:> |  - |- )", "", line).strip()
        if bare.startswith(("Best first", "Sorted ")):
            first, *rest = sentences(bare)
            yield from legend(first, lab, list(grids(above)))
            yield from (Said("page", one, "legend", whole=bare) for one in rest)
            above = ""
        elif not bare or bare.startswith(("|", "#", "![", "<", ">", "[!")):
            above += f"{line}\n"
        elif bare.startswith("**") and bare.endswith("**"):
            yield from answer(lab, bare.strip("*"))
        elif bare.startswith(("**", "What to do: ", "Where: ")):
            yield Said("card", bare, "card")
        else:
            above += f"{line}\n"
            yield from answer(lab, bare, "page")


def legend(text: str, lab: Lab, tables: Sequence[Grid]) -> Iterator[Said]:
    """The order of the tables above it, once for each of them."""
    for grid in tables:
        keys = [key for row in grid.rows if (key := grid.place(lab, row)) is not None]
        workloads = {arm.workload for arm in lab.arms for key in keys if arm.name == key[0]}
        for workload in workloads if keys else ():
            places = tuple({key[1:] for key in keys})
            yield Said("legend", text, "legend", places, workload=workload)
