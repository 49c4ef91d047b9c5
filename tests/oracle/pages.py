"""The report as a page, read back without its tags: answer, limits and verdicts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from httpdyno.report.charts.figure import Figure
from httpdyno.report.page import render
from httpdyno.result import StudyResult

from oracle.prose import answer
from oracle.raw import Lab
from oracle.reading import Said

SECTIONS = ("answer", "limits", "verdicts")
_PARAGRAPH = re.compile(r"<(p|li)\b([^>]*)>(.*?)</\1>", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"(?<=\w)(?:<[^>]*>)+(?=\w)")


def whole_page(lab: Lab, result: StudyResult, drawn: Sequence[Figure]) -> Iterator[Said]:
    """The paragraphs of these sections."""
    text = render(result, drawn)
    for name in SECTIONS:
        section = re.search(rf'<section [^>]*id="{name}".*?</section>', text, re.DOTALL)
        for _, attributes, inner in _PARAGRAPH.findall(section[0] if section else ""):
            apart = _BETWEEN_WORDS.sub(" ", inner)
            bare = html.unescape(" ".join(re.sub(r"<[^>]*>", "", apart).split()))
            if bare and "hidden" not in attributes:
                yield from answer(lab, bare, "html")
