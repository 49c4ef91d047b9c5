"""Each doubt is told once: its cells, its numbers, and what to do."""

from __future__ import annotations

import sample
from httpdyno.report.contents.rows.arms import labels
from httpdyno.report.contents.verdicts import Verdicts, verdicts
from httpdyno.report.page import render
from httpdyno.report.report_markdown import report_markdown
from httpdyno.result import CellRow, Reason, StudyResult

LATE = Reason(code="late", status="suspect", text="late by 3 %", hint="wait", doubts=("p50", "p99"))


def of(some: StudyResult) -> Verdicts:
    return verdicts(some, labels(some))


def everywhere(*texts: str) -> StudyResult:
    """A result in which every cell has the same kind of doubt, in these words in turn."""
    whole = sample.tiny()
    cells = []
    for number, cell in enumerate(whole.cells):
        reason = LATE.model_copy(update={"text": texts[number % len(texts)]})
        update = {"status": "suspect", "reasons": [reason], "doubts": {"p99": ["late"]}}
        cells.append(cell.model_copy(update=update))
    return whole.model_copy(update={"cells": cells})


def test_a_doubt_about_every_cell_is_one_card_with_its_text_once() -> None:
    some = everywhere("late by 3 %")
    (card,) = of(some).doubtful
    assert (card.count, card.numbers, card.same) == ("2 of 2 cells", "p50, p99", True)
    html = render(some, []).replace("\N{NO-BREAK SPACE}", " ")
    part = html[html.index('id="verdicts"') : html.index('id="method"')]
    assert part.count("Late by 3 %") == 1
    assert part.count("<li data-arm=") == 2


def test_cells_with_numbers_of_their_own_each_have_their_text() -> None:
    some = everywhere("late by 3 %", "late by 4 %")
    (card,) = of(some).doubtful
    assert not card.same
    assert [place.text for place in card.places] == ["late by 3 %", "late by 4 %"]
    html = render(some, []).replace("\N{NO-BREAK SPACE}", " ")
    part = html[html.index('id="verdicts"') : html.index('id="method"')]
    assert "late by 3 %" in part
    assert "late by 4 %" in part
    first = card.places[0]
    where = f"{first.arm.name}, {first.where}"
    assert f"Late by 3 % (the numbers are for {where})" in report_markdown(some)
    assert "(the numbers are for" not in report_markdown(everywhere("late by 3 %"))


def test_cards_are_sorted_worst_first() -> None:
    statuses = [card.status for card in of(sample.replay()).doubtful]
    assert statuses == sorted(statuses, key=("invalid", "suspect", "valid").index)
    assert set(statuses) == {"invalid", "suspect"}


def test_the_word_suspect_does_not_stand_beside_every_number() -> None:
    html = render(everywhere("late by 3 %"), [])
    numbers = html[html.index('id="numbers"') : html.index('id="arms"')]
    assert 'class="chip' not in numbers
    assert numbers.count('class="mark"') == 2, "p99 of both cells"


def test_a_doubt_about_trials_of_a_valid_cell_is_a_card_of_trials() -> None:
    whole = sample.tiny()
    first = whole.cells[0]
    trials = [
        first.trials[0].model_copy(update={"reasons": [LATE], "status": "suspect"}),
        *first.trials[1:],
    ]
    cells = [first.model_copy(update={"trials": trials}), *whole.cells[1:]]
    found = of(whole.model_copy(update={"cells": cells}))
    assert found.doubtful == []
    (card,) = found.doubtful_trials
    assert card.count == "1 of 6 trials"
    assert card.places[0].where.endswith(f"block {first.trials[0].block + 1}")


def test_hints_that_differ_in_their_numbers_alone_are_one_with_its_cell() -> None:
    some = sample.tiny()
    rates = iter(("lower the rate (rate = 510)", "lower the rate (rate = 1,700)"))

    def doubted(cell: CellRow) -> CellRow:
        one = Reason(code="overload", status="suspect", text="overload", hint=next(rates))
        doubts = sample.doubted(one.code)
        return cell.model_copy(update={"status": "suspect", "reasons": [one], "doubts": doubts})

    cells = [doubted(cell) for cell in some.cells]
    (card,) = of(some.model_copy(update={"cells": cells})).doubtful
    place = f"{cells[0].arm}, {cells[0].load}, {cells[0].point}"
    assert card.hints == [f"lower the rate (rate = 510) (the numbers are for {place})"]
