"""The report has the numbers of each endpoint, and whether it differs from the baseline's."""

from __future__ import annotations

from pathlib import Path

from endpoint_samples import NAMES, equal, items_slower, result
from httpdyno.report import write_report
from httpdyno.report.contents.page import page
from httpdyno.report.report_markdown import report_markdown


def test_a_table_has_a_row_for_each_endpoint_of_each_arm() -> None:
    found = page(result(items_slower), [])
    assert "endpoints" in [part.id for part in found.parts]
    (table,) = found.endpoints
    assert [column.heading for column in table.columns] == [
        *("endpoint", "requests/s", "p50", "p99", "errors", "p99 ÷ baseline", "outcome")
    ]
    assert [line.fields[0] for line in table.lines] == [*NAMES, *NAMES]
    outcomes = {(line.arm.name, line.fields[0]): line.fields[-1] for line in table.lines}
    assert outcomes["starlette/1-worker", "GET /items/{id}"] == "worse"
    login = outcomes["starlette/1-worker", "login"]
    assert isinstance(login, str)
    assert login.startswith("no difference shown; one of")


def test_a_study_of_one_endpoint_has_no_such_table() -> None:
    bare = result(equal)
    cells = [cell.model_copy(update={"endpoints": []}) for cell in bare.cells]
    without = bare.model_copy(update={"cells": cells, "endpoint_comparisons": []})
    assert "endpoints" not in [part.id for part in page(without, []).parts]
    assert "By endpoint" not in report_markdown(without, [])


def test_the_page_and_its_markdown_show_endpoints_and_no_control_characters(tmp_path: Path) -> None:
    made = result(items_slower)
    renamed = [
        one.model_copy(update={"name": "<b>\x1b"}) if one.name == "login" else one
        for one in made.cells[0].endpoints
    ]
    cell = made.cells[0].model_copy(update={"endpoints": renamed})
    made = made.model_copy(update={"cells": [cell, *made.cells[1:]]})
    paths = write_report(made, tmp_path)
    html = Path(paths.html).read_text()
    assert 'id="endpoints"' in html
    assert "&lt;b&gt;" in html
    assert "<b>\x1b" not in html
    assert "\x1b" not in html
    markdown = (tmp_path / "report.md").read_text()
    assert "## By endpoint" in markdown
    assert "GET /items/{id}" in markdown
    assert "\x1b" not in markdown
