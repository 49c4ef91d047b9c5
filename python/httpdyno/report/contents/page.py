"""The page as a whole: its parts in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from httpdyno.dates import moment
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.answer import Answer, answer
from httpdyno.report.contents.arm_pages import ArmPage, arm_pages
from httpdyno.report.contents.banners import Banner, banners, caveats, is_summary
from httpdyno.report.contents.capacity import Capacity, capacity
from httpdyno.report.contents.filters import Filters, filters
from httpdyno.report.contents.questions import Question, questions
from httpdyno.report.contents.replay import LogVerdicts, Replay, log_verdicts, replay
from httpdyno.report.contents.rows.arms import ArmLabel, colours_note, labels
from httpdyno.report.contents.rows.endpoints import endpoint_tables
from httpdyno.report.contents.rows.protocols import protocol_tables
from httpdyno.report.contents.rows.tables import LoadTable, cell_tables
from httpdyno.report.contents.verdicts import Verdicts, verdicts
from httpdyno.report.text import words
from httpdyno.report.text.conformance_table import Conformance, conformance
from httpdyno.report.text.explanations import kind_words, restart_words
from httpdyno.result import FailureRow, LoadInfo, StudyResult

FEW_ROWS = 48
"""All tables of so many rows together are open when the page is."""


@dataclass(frozen=True)
class Page:
    """Everything that the templates show. A part that is None or empty is left out."""

    result: StudyResult
    """For texts that are shown as they are: title, question, command, machine."""
    answer: Answer
    banners: Sequence[Banner]
    caveats: Sequence[str]
    filters: Filters
    replay: Replay | None
    log_verdicts: LogVerdicts | None
    loads: Sequence[tuple[LoadInfo, str]]
    """Each load, and its kind in words."""
    colours_note: str
    capacity: Capacity | None
    questions: Sequence[Question]
    numbers: Sequence[LoadTable]
    endpoints: Sequence[LoadTable]
    protocols: Sequence[LoadTable]
    verdicts: Verdicts
    arms: Sequence[ArmPage]
    conformance: Conformance | None
    failures: Sequence[tuple[ArmLabel, FailureRow]]
    """The arms that could not be measured."""
    restarts: str
    """The servers that each trial starts anew."""
    started: str
    took: str
    has_trials: bool

    @property
    def is_empty(self) -> bool:
        """True if nothing was measured: the page says only that."""
        return words.is_empty(self.result)

    @property
    def opened(self) -> int:
        """The number of tables of all numbers that are open when the page is."""
        few = sum(len(table.lines) for table in self.numbers) <= FEW_ROWS
        return len(self.numbers) if few else 1

    @property
    def parts(self) -> Sequence[Part]:
        """The parts that are there, in order."""
        return list(_parts(self))


@dataclass(frozen=True)
class Part:
    """A part of the page: its id, which is also the name of its template, and its heading."""

    id: str
    heading: str
    template: str
    question: Question | None = None


def page(result: StudyResult, figures: Sequence[Figure], *, under_way: bool = False) -> Page:
    """The page of a result with these charts. `under_way`: its run goes on."""
    named = labels(result)
    return Page(
        result=result,
        answer=answer(result, named),
        banners=banners(result, under_way=under_way),
        caveats=[] if words.is_empty(result) else caveats(result),
        filters=filters(result, named),
        replay=replay(result, figures, named),
        log_verdicts=log_verdicts(result, named),
        loads=[(load, kind_words(load)) for load in result.loads],
        colours_note=colours_note(result),
        capacity=capacity(result, figures, named),
        questions=questions(result, figures, named),
        numbers=cell_tables(result, named),
        endpoints=endpoint_tables(result, named),
        protocols=protocol_tables(result, named),
        verdicts=verdicts(result, named),
        arms=arm_pages(result, named),
        conformance=conformance(result),
        failures=[(named(failure.arm), failure) for failure in result.failures],
        restarts=restart_words(result.arms),
        started=moment(result.started_at),
        took=_took(result),
        has_trials=not is_summary(result),
    )


def _took(result: StudyResult) -> str:
    """The length of the run; of an interrupted one, only the end of its last trial is known."""
    length = words.length(result.ended_at - result.started_at)
    return f"took {length}" if result.complete else f"the last stored trial ended {length} later"


def _parts(page: Page) -> Iterator[Part]:
    yield Part("answer", "Answer", "answer")
    if page.banners or page.caveats:
        yield Part(
            "limits", "What is missing" if page.is_empty else "Before you quote this", "limits"
        )
    yield from _of_empty(page) if page.is_empty else _measured_parts(page)


def _of_empty(page: Page) -> Iterator[Part]:
    """The reasons why nothing was measured, if there are any."""
    if any(cell.reasons for cell in page.result.cells):
        yield Part("verdicts", "Verdicts", "verdicts")
    if page.failures:
        yield Part("failures", "Arms that could not be measured", "failures")


def _measured_parts(page: Page) -> Iterator[Part]:
    if page.replay:
        yield Part("replay", "Published and measured", "replay")
    if page.log_verdicts:
        yield Part("log-verdicts", "Verdicts on the published logs", "log-verdicts")
    if page.capacity:
        yield Part("capacity", "Capacity", "capacity")
    for question in page.questions:
        yield Part(question.section, question.heading, "question", question)
    if page.endpoints:
        yield Part("endpoints", "By endpoint", "endpoints")
    if page.protocols:
        yield Part("protocols", "Versions of HTTP", "protocols")
    if page.numbers:
        yield Part("numbers", "All numbers", "numbers")
    if page.arms:
        yield Part("arms", "Arm by arm", "arms")
    yield Part("verdicts", "Verdicts", "verdicts")
    if page.conformance:
        yield Part("conformance", "HTTP conformance", "conformance")
    if page.failures:
        yield Part("failures", "Arms that could not be measured", "failures")
    yield Part("method", "How it was measured", "method")
