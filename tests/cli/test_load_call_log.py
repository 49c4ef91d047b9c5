"""`load --call-log`: a row for each call, as the reference describes it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.call_log import COLUMNS

from .conftest import Program

if TYPE_CHECKING:
    from httpdyno import _engine

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "measurement.md"


def test_each_call_is_a_row_with_the_columns_that_the_reference_describes(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    answer = httpdyno("load", url, "-n", "60", "-c", "3", "--call-log", "calls.csv")
    assert answer.returncode == 0, answer.stderr
    with (tmp_path / "calls.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 60
    assert {row["outcome"] for row in table} == {"ok"}
    assert len({row["connection"] for row in table}) == 3
    text = REFERENCE.read_text(encoding="utf-8")
    assert all(f"`{column}`" in text for column in COLUMNS)


def test_the_call_log_can_go_to_a_pipe_while_the_summary_goes_to_stderr(
    httpdyno: Program, server: _engine.Reference
) -> None:
    url = f"http://{server.address}/hello?fault=reset"
    answer = httpdyno("load", url, "-n", "5", "-c", "1", "--call-log", "-")
    table = list(csv.DictReader(io.StringIO(answer.stdout)))
    assert [row["outcome"] for row in table] == ["reset"] * 5
    assert {row["status"] for row in table} == {""}
    assert "calls" in answer.stderr
