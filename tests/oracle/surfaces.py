"""Other places that print sentences about a result: the page, rows of charts, a terminal, JUnit."""

from __future__ import annotations

import contextlib
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from httpdyno.cli.run.table import show_result
from httpdyno.export.junit import junit
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.page import page
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import StudyResult

from oracle.prose import answer
from oracle.raw import Lab
from oracle.reading import Said, sentences

_TEXT = re.compile(r"<text\b.*?</text>", re.DOTALL)
_RATIO = re.compile(r"[0-9.,]+×\??(?: \(.*\))?(?: [0-9.,]+ to [0-9.,]+×)?")


def explained(result: StudyResult, drawn: Sequence[Figure]) -> Iterator[Said]:
    """The sentences beneath the headings of the page."""
    made = page(make_safe(result), drawn)
    for question in made.questions:
        for one in sentences(question.explanation):
            yield Said("page", one, question.section)


def rows(drawn: Sequence[Figure]) -> Iterator[Said]:
    """The words beside the rows of the charts of ratios."""
    for one in drawn:
        if one.section == "ratio":
            for text in _TEXT.findall(one.svg):
                bare = " ".join(re.sub(r"<[^>]*>", " ", text).split())
                if _RATIO.fullmatch(bare) and bare != "1×":
                    yield Said("row", bare, "ratio")


def terminal(lab: Lab, result: StudyResult) -> Iterator[Said]:
    """The paragraphs at the end of a run: its tables have lines with several columns."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        show_result(result)
    for block in re.split(r"\n\s*\n", shown.getvalue()):
        lines = block.splitlines()
        if any("──" in line for line in lines):
            below = [at for at, line in enumerate(lines) if line.startswith("rank:")]
            lines = lines[below[0] :] if below else []
        if lines and not lines[0].startswith(" ") and not lines[0].endswith(" was left out"):
            text = re.split(r"\n {2,}", "\n".join(lines))[0]
            for part in re.split(r"\n(?=l\d: |\S+ · l\d · )", text):
                yield from answer(lab, " ".join(part.split()), "terminal")


def tests(lab: Lab, result: StudyResult) -> Iterator[Said]:
    """The numbers of each test case of JUnit."""
    for case in ET.fromstring(junit(result)).iter("testcase"):
        arm, _, point = str(case.get("name")).partition(" · ")
        load = str(case.get("classname")).rpartition(".")[2]
        if arm not in lab.names or load not in {one.name for one in lab.loads}:
            continue
        for line in (case.findtext("system-out") or "").splitlines():
            yield Said("junit", f"{arm}: {line}", "junit", ((load, point),))
