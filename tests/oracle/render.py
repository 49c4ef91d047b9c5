"""Entry points of the program's writers: every sentence about a result, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from httpdyno.export.markdown import markdown as comment
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.report_markdown import report_markdown
from httpdyno.result import StudyResult

from oracle import exported
from oracle.grids import faults, grids
from oracle.pages import whole_page
from oracle.prose import answer, markdown, titles
from oracle.raw import Lab
from oracle.reading import Said
from oracle.surfaces import explained, rows, terminal, tests


def everything(
    lab: Lab, result: StudyResult, *, beside: bool, page: bool = False
) -> Iterator[Said]:
    """The sentences of a study. `beside`, `page`: also those that take longer to render."""
    yield from answer(lab, result.answer)
    drawn = figures(result)
    yield from titles(lab, drawn)
    text = report_markdown(result, [(one.name, one.title) for one in drawn])
    yield from markdown(lab, text)
    for table in (*grids(text), *grids(comment(result))):
        for fault in faults(table, lab):
            yield Said("table", fault)
    if beside:
        yield from explained(result, drawn)
        yield from rows(drawn)
        yield from terminal(lab, result)
        yield from tests(lab, result)
        for fault in exported.faults(lab, result):
            yield Said("table", fault)
    if page:
        yield from whole_page(lab, result, drawn)
