"""The conformance table of a report."""

from __future__ import annotations

import re

import large_sample
import sample
from httpdyno.report.charts.catalogue import drawings
from httpdyno.report.page import render
from httpdyno.report.text.conformance_table import habit_lines, habit_names

SNAP = large_sample.snap()
LINES = habit_lines(SNAP)
HTML = render(SNAP, [], images=False)


def test_the_columns_are_all_habits_in_the_order_of_the_probes() -> None:
    assert habit_names(SNAP) == list(large_sample.HABITS)


def test_each_server_and_deployment_is_a_row_whatever_its_workloads() -> None:
    assert [line.name for line in LINES] == list(large_sample.FRAMEWORKS)
    assert LINES[0].arms == ["snap/no-access-log pong", "snap/no-access-log file"]
    assert LINES[0].checked == "2026-09-21"


def test_every_answer_has_its_own_sign_and_one_not_probed_is_none_of_them() -> None:
    signs = {field.answer: field.sign for line in LINES for field in line.fields}
    assert signs == {"yes": "✓", "partly": "◐", "no": "✗", "not probed": "–"}
    assert LINES[1].fields[-1].answer == "not probed"
    assert all(len(line.fields) == len(large_sample.HABITS) for line in LINES)


def test_the_page_says_what_was_seen_behind_each_sign() -> None:
    table = HTML[HTML.index('id="conformance"') : HTML.index('id="method"')]
    assert table.count('<th scope="row">') == len(LINES)
    assert 'title="no: what snap did for keep-alive"' in table
    assert len(re.findall("<td class=", table)) == len(LINES) * len(large_sample.HABITS)


def test_a_result_without_checks_has_no_such_section() -> None:
    result = sample.tiny()
    assert 'id="conformance"' not in render(result, drawings(result), images=False)
