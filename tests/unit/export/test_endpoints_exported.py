"""Exports have the numbers of endpoints where their format has a place for them."""

from __future__ import annotations

import csv
import io

from endpoint_samples import NAMES, items_slower, result
from httpdyno.export.histogram_log import histogram_log
from httpdyno.export.junit import junit
from httpdyno.export.markdown import markdown
from httpdyno.export.openmetrics import openmetrics
from httpdyno.export.trials import COLUMNS, ENDPOINT_COLUMNS, endpoints_csv, trials_csv
from httpdyno.measurement import Percentile
from httpdyno.result import LoadInfo, StudyResult
from httpdyno.statistics.single import SingleMeasurement, Subject, result_of_singles
from trial_samples import measurement, reason, with_endpoints


def test_markdown_has_a_row_for_each_endpoint_of_each_arm() -> None:
    rows = [line for line in markdown(result(items_slower)).splitlines() if "`login`" in line]
    assert len(rows) == 2
    assert "ms" in rows[0]


def test_openmetrics_have_a_label_for_the_endpoint() -> None:
    text = openmetrics(result(items_slower))
    found = [line for line in text.splitlines() if line.startswith("httpdyno_endpoint_")]
    p99 = [line for line in found if line.startswith("httpdyno_endpoint_response_time_p99_seconds")]
    assert len(p99) == 2 * len(NAMES)
    assert any('endpoint="GET /items/{id}"' in line for line in p99)
    assert "# TYPE httpdyno_endpoint_response_time_p99_seconds gauge" in text


def test_the_csv_has_a_row_per_trial_of_all_calls() -> None:
    made = result(items_slower)
    rows = list(csv.DictReader(io.StringIO(trials_csv(made))))
    assert len(rows) == sum(len(cell.trials) for cell in made.cells)
    assert "endpoints" not in COLUMNS


def test_another_csv_has_a_row_per_trial_and_endpoint() -> None:
    made = result(items_slower)
    rows = list(csv.DictReader(io.StringIO(endpoints_csv(made))))
    assert len(rows) == sum(len(cell.trials) for cell in made.cells) * len(NAMES)
    assert tuple(rows[0]) == ENDPOINT_COLUMNS
    trial = made.cells[0].trials[0]
    first = next(one for one in rows if one["block"] == f"{trial.block}")
    assert (first["arm"], first["endpoint"]) == (made.cells[0].arm, NAMES[0])
    assert float(first["p99_s"]) == trial.endpoints[0].p99_s
    assert int(first["calls"]) == trial.endpoints[0].calls > 0


def test_a_name_of_an_endpoint_is_no_formula_and_no_line_of_its_own() -> None:
    made = with_endpoints(measurement(load="requests"), {"=cmd|x\n": 0.002, "a, b": 0.004})
    log = histogram_log(made)
    assert "Tag==cmd|x\\n," in log
    assert "Tag=a__b," in log
    whole = of_a_load()
    trial = whole.cells[0].trials[0]
    named = [one.model_copy(update={"name": "=cmd|x\n"}) for one in trial.endpoints]
    cell = whole.cells[0].model_copy(
        update={"trials": [trial.model_copy(update={"endpoints": named})]}
    )
    rows = csv.DictReader(io.StringIO(endpoints_csv(whole.model_copy(update={"cells": [cell]}))))
    assert {row["endpoint"] for row in rows} == {"'=cmd|x\\n"}


def test_junit_has_a_line_for_each_endpoint_of_a_cell() -> None:
    text = junit(result(items_slower))
    lines = [line for line in text.splitlines() if "endpoint login: throughput " in line]
    assert len(lines) == 2
    assert "p99 " in lines[0]
    assert "(95 % CI " in lines[0]


def of_a_load(*, valid: bool = True) -> StudyResult:
    """The result of one load of two endpoints, of which the first has an interval of p99."""
    made = with_endpoints(measurement(load="requests"), {"GET /items": 0.002, "login": 0.004})
    known = Percentile(
        quantile=0.99, value_ns=2_000_000, low_ns=1_000_000, high_ns=3_000_000, design_effect=None
    )
    first = made.endpoints[0].model_copy(update={"percentiles": [known]})
    made = made.model_copy(update={"endpoints": (first, *made.endpoints[1:])})
    load = LoadInfo(name="open load", kind="requests", title="open load", description="open load")
    subject = Subject("load", "http://h/", load, "fast", "httpdyno load", "1", 1, True, [])
    lost = () if valid else (reason("wrong_replies", "invalid"),)
    single = SingleMeasurement("1,000/s", 1000.0, made, "valid" if valid else "invalid", lost)
    return result_of_singles(subject, [single], lambda hdr, at: [int(hdr)] * len(at))


def test_a_load_has_its_endpoints_with_the_intervals_within_it() -> None:
    made = of_a_load()
    items, login = made.cells[0].endpoints
    assert items.p99_s is not None
    assert (items.p99_s.low, items.p99_s.high) == (0.001, 0.003)
    assert login.p99_s is not None
    assert (login.p99_s.value, login.p99_s.low) == (0.004, None)
    assert "`GET /items`" in markdown(made)
    assert 'endpoint="login"' in openmetrics(made)


def test_an_invalid_load_exports_no_endpoint() -> None:
    made = of_a_load(valid=False)
    assert made.cells[0].endpoints == []
    assert "login" not in openmetrics(made)
