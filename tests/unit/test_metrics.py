"""The table of the numbers of a study, and what derives from it."""

from __future__ import annotations

from typing import get_args

import pytest
from httpdyno.metrics import COLUMNS, COMPARED, EXPORTED, MEASURED, METRICS, ComparedBy, Metric
from httpdyno.result import CellRow, Estimate, TrialRow
from httpdyno.result.estimate import with_metrics
from httpdyno.value import Value


@pytest.mark.parametrize("metric", METRICS, ids=lambda one: one.name)
def test_a_metric_has_a_name_a_field_and_words_of_its_own(metric: Metric) -> None:
    others = [one for one in METRICS if one is not metric]
    assert metric.name not in {one.name for one in others}
    assert metric.column not in {one.column for one in others}
    assert metric.in_full not in {one.in_full for one in others}
    assert metric.words(0.5) != metric.words(0.25)


def test_arms_are_compared_by_the_metrics_that_results_name() -> None:
    assert tuple(COMPARED) == get_args(ComparedBy)


@pytest.mark.parametrize("metric", MEASURED, ids=lambda one: one.name)
def test_a_metric_is_a_field_of_trials_and_cells(metric: Metric) -> None:
    assert {metric.column} <= TrialRow.model_fields.keys() & CellRow.model_fields.keys()


def test_a_metric_that_a_row_does_not_declare_is_added_and_older_results_lack_it() -> None:
    class Row(Value):
        """A row of the first version."""

        p50_s: Estimate

    known = Estimate(value=0.2, low=None, high=None, trials=3)
    row = with_metrics(Estimate)(Row).model_validate({"p50_s": known, "p99_s": known})
    assert isinstance(row, Row)
    assert {name: getattr(row, name) for name in type(row).model_fields} == {
        **dict.fromkeys((one.column for one in MEASURED), None),
        "p50_s": known,
        "p99_s": known,
    }


def test_an_exported_number_has_a_name_and_a_unit_for_each_program() -> None:
    assert all(one.gauge and one.unit.base for one in EXPORTED)
    measures = {one.name + one.unit.measure for one in EXPORTED}
    assert measures == {
        "throughput",
        "p50-ms",
        "p99-ms",
        "cpu-us-per-request",
        "memory-mib",
        "capacity",
    }


def test_a_heading_is_that_of_one_column() -> None:
    assert len({one.heading for one in COLUMNS}) == len(COLUMNS)
