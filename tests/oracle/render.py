"""Entry points of the program's writers: every sentence about a result, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.figure import Figure
from httpdyno.report.report_markdown import report_markdown
from httpdyno.result import StudyResult

from oracle.raw import Lab
from oracle.reading import Said, sentences

_METRICS = (
    ("Capacity relative", "capacity"),
    ("Requests per second relative", "throughput"),
    ("Response time at p99 relative", "p99"),
    ("CPU time per request relative", "cpu"),
)
"""Beginnings of the subtitles of ratios."""
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
        for part in one.title.split("; "):
            yield Said("title", part, one.section, places, one.title, metric)


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
    places = [
        (load.name, point.label)
        for load in lab.loads
        for point in load.points
        if f", {point.label}" in about
    ]
    for one in found:
        here = _published_places(lab) if one.startswith("Under the published") else places
        yield Said(surface, one, "answer", tuple(here), text)


def _published_places(lab: Lab) -> list[tuple[str, str]]:
    return [(load.name, load.points[0].label) for load in lab.loads if load.published]


def markdown(lab: Lab, text: str) -> Iterator[Said]:
    """The prose of a report in Markdown: not its tables, headings and pictures."""
    for line in text.splitlines():
        bare = re.sub(r"^(?:> |  - |- )", "", line).strip()
        if not bare or bare.startswith(("|", "#", "![", "<", ">", "[!")):
            continue
        if bare.startswith("**") and bare.endswith("**"):
            yield from answer(lab, bare.strip("*"))
        elif bare.startswith(("**", "What to do: ", "Where: ")):
            yield Said("card", bare, "card")
        else:
            yield from answer(lab, bare, "page")


def everything(lab: Lab, result: StudyResult) -> Iterator[Said]:
    """The sentences that every study is read for."""
    yield from answer(lab, result.answer)
    drawn = figures(result)
    yield from titles(lab, drawn)
    pictures = [(one.name, one.title) for one in drawn]
    yield from markdown(lab, report_markdown(result, pictures))
