"""Tables for spreadsheets and for Apache Otava."""

from __future__ import annotations

import csv
import io
import subprocess
import sys

import pytest
import sample
from httpdyno.export.otava import ATTRIBUTES, otava
from httpdyno.export.trials import COLUMNS, Run, runs_csv, runs_parquet
from httpdyno.result import StudyResult


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_a_row_per_trial_with_its_numbers() -> None:
    result = sample.replay(5)
    rows = read(runs_csv([Run(result, 7, "ci")]))
    assert len(rows) == sum(len(cell.trials) for cell in result.cells)
    first, trial = rows[0], result.cells[0].trials[0]
    assert tuple(first) == COLUMNS
    assert (first["run"], first["origin"], first["study"]) == ("7", "ci", "tornado-vs-starlette")
    assert (first["arm"], first["version"]) == ("tornado/1-process", "6.5.2")
    assert float(first["throughput_per_s"]) == trial.throughput_per_s
    assert float(first["p99_s"]) == trial.p99_s
    assert (first["rate_per_s"], first["verdict"]) == ("", "valid")


def test_an_invalid_trial_has_empty_fields_and_its_reasons() -> None:
    whole = sample.replay(5)
    cell = next(one for one in whole.cells if one.status == "invalid")
    gone = {"throughput_per_s": None, "p99_s": None}
    trials = [trial.model_copy(update=gone) for trial in cell.trials]
    cells = [cell.model_copy(update={"trials": trials})]
    row = read(runs_csv([Run(whole.model_copy(update={"cells": cells}))]))[0]
    assert (row["throughput_per_s"], row["p99_s"]) == ("", "")
    assert (row["verdict"], row["reasons"]) == ("invalid", "wrong-replies")


def test_no_text_is_a_formula_of_a_spreadsheet_or_breaks_a_line() -> None:
    result = sample.tiny()
    cells = [cell.model_copy(update={"arm": '=cmd|"x"!A1\n\x1b'}) for cell in result.cells]
    text = runs_csv([Run(result.model_copy(update={"cells": cells}), None, "@SUM(1)")])
    rows = read(text)
    assert {row["arm"] for row in rows} == {'\'=cmd|"x"!A1\\n\\x1b'}
    assert {row["origin"] for row in rows} == {"'@SUM(1)"}
    assert len(text.splitlines()) == len(rows) + 1


def test_no_run_is_a_table_with_its_heading_alone() -> None:
    assert runs_csv([Run(sample.empty())]) == ",".join(COLUMNS) + "\n"


def test_parquet_has_the_same_rows_with_types() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    from pyarrow import parquet

    result = sample.replay(2)
    table = parquet.read_table(pyarrow.BufferReader(runs_parquet([Run(result, 3)])))
    assert tuple(table.column_names) == COLUMNS
    assert table.num_rows == sum(len(cell.trials) for cell in result.cells)
    assert table.column("p99_s").to_pylist()[0] == result.cells[0].trials[0].p99_s
    assert table.schema.field("block").type == pyarrow.int64()
    empty = parquet.read_table(pyarrow.BufferReader(runs_parquet([Run(sample.empty())])))
    assert empty.num_rows == 0


def test_parquet_without_its_package_is_one_sentence() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from httpdyno.errors import EnvironmentFault\n"
        "from httpdyno.export.trials import runs_parquet\n"
        "try: runs_parquet([])\n"
        "except EnvironmentFault as fault: print(fault.hint)"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path[:0] = sys.argv[1:]\n" + code, *sys.path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "-m pip install 'pyarrow>=20'`, or export to CSV" in done.stdout


def nightly(count: int) -> list[StudyResult]:
    whole = sample.replay(5)
    return [
        whole.model_copy(update={"started_at": whole.started_at + day * 86_400})
        for day in range(count)
    ]


def test_otava_gets_a_row_per_run_oldest_first_and_no_empty_field() -> None:
    table = otava(list(reversed(nightly(3))))
    rows = read(table.csv)
    assert [row["time"] for row in rows] == [
        "2026-09-21 14:13:20 +0000",
        "2026-09-22 14:13:20 +0000",
        "2026-09-23 14:13:20 +0000",
    ]
    assert all(value for row in rows for value in row.values())
    assert set(rows[0]) == {"time", *ATTRIBUTES, *table.columns}
    assert "tornado 6.5.2" in rows[0]["versions"]
    numbers = [float(row[name]) for row in rows for name in table.columns]
    assert all(number > 0 for number in numbers)


def test_a_run_that_lacks_a_number_of_the_others_is_left_out_and_counted() -> None:
    runs = nightly(6)
    suspect = {"status": "suspect", "doubts": sample.doubted("late")}
    without = [cell.model_copy(update=suspect) for cell in runs[2].cells[:1]]
    runs[2] = runs[2].model_copy(update={"cells": [*without, *runs[2].cells[1:]]})
    table = otava(runs)
    assert (len(table.rows), table.left_out) == (5, 1)


def test_a_number_that_few_runs_have_is_no_column() -> None:
    runs = nightly(6)
    for at in range(5):
        runs[at] = runs[at].model_copy(update={"cells": runs[at].cells[1:]})
    table = otava(runs)
    assert (len(table.rows), table.left_out) == (6, 0)
    assert not any("tornado/1-process · as-published" in name for name in table.columns)


def test_the_configuration_names_every_column_and_its_direction() -> None:
    table = otava(nightly(2))
    text = table.config('de"mo', "runs.csv")
    assert '  "de\\"mo":' in text
    assert '    file: "runs.csv"' in text
    for name, number in table.columns.items():
        direction = 1 if number.metric.more_is_better else -1
        assert f'"{name}": {{direction: {direction}}}' in text
    assert otava([]).rows == []
