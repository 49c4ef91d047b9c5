"""The picture and the tables of a replay: history stands apart, and is judged by its own log."""

from __future__ import annotations

from typing import Any

import large_sample
import sample
from httpdyno.report.charts.catalogue import Drawing, replay_drawings
from httpdyno.report.contents.banners import banners
from httpdyno.report.text.log_verdicts import doubt, in_short, log_lines
from httpdyno.report.text.replay import replay_groups, replay_rows
from httpdyno.result import Reason

SNAP = large_sample.snap()
CURVES = large_sample.curves()
SMALL = sample.replay(2)


def pictures(drawn: list[Drawing]) -> dict[str, Any]:
    return {each.name: each.spec for each in drawn if each.section == "replay"}


PICTURES = pictures(replay_drawings(SNAP))


def values(column: Any, field: str) -> list[float]:
    """The values that one column draws, from the data of its layers."""
    found = []
    for layer in column["layer"]:
        found += [row[field] for row in layer["data"]["values"] if row.get(field) is not None]
    return found


def test_each_workload_of_a_replay_has_a_picture_of_its_own() -> None:
    assert sorted(PICTURES) == ["replay-file", "replay-pong"]
    assert list(pictures(replay_drawings(SMALL))) == ["replay"]


def test_published_numbers_are_in_the_first_column_only_and_measured_ones_never_there() -> None:
    for work, place in (("pong", 0), ("file", 1)):
        first, *others = PICTURES[f"replay-{work}"]["hconcat"]
        published = {float(rates[place]) for rates in large_sample.PUBLISHED.values()}
        assert published <= set(values(first, "published"))
        assert values(first, "value") == []
        for column in others:
            assert values(column, "published") == []
            assert values(column, "value")
            assert not published & set(values(column, "value"))


def test_no_two_columns_share_an_axis() -> None:
    for spec in PICTURES.values():
        assert spec["resolve"]["scale"]["x"] == "independent"
        assert spec["hconcat"][0]["title"]["subtitle"] == ["history: not comparable with the rest"]


def test_all_columns_have_the_same_rows_in_the_same_order() -> None:
    for spec in PICTURES.values():
        orders = [
            layer["encoding"]["y"]["scale"]["domain"]
            for column in spec["hconcat"]
            for layer in column["layer"]
        ]
        assert all(order == orders[0] for order in orders)


def test_a_published_number_whose_log_is_invalid_is_hollow_and_says_so() -> None:
    first = PICTURES["replay-file"]["hconcat"][0]
    hollow = [layer for layer in first["layer"] if layer["mark"].get("fill") == "var(--card)"]
    assert [row["row"] for layer in hollow for row in layer["data"]["values"]] == ["node/1-process"]
    assert "4,540/s (invalid)" in str(first)
    assert "invalid: 99.75 % of the replies were wrong" in str(first)


def test_verdicts_on_logs_have_the_invalid_ones_first_with_their_evidence() -> None:
    lines = log_lines(SNAP)
    assert [line.verdict.status for line in lines] == ["invalid", "suspect", "valid"]
    assert lines[0].row.arm == "node/1-process file"
    assert "1,000,000 replies to 1,000,000 requests, 997,483 of them wrong" in lines[0].facts
    assert "2 samples with a standard deviation of 6,820/s" in lines[1].facts
    assert in_short(lines) == (
        "The raw log is known for 3 published numbers: 1 would be invalid and 1 suspect by the "
        "rules of this report."
    )
    assert in_short(lines[2:]).startswith("The raw log is known for 1 published number: none")


def test_a_number_without_a_log_or_with_a_valid_one_has_no_doubt() -> None:
    said = {row.arm: doubt(row) for row in SNAP.published}
    assert said["snap/no-access-log pong"] == ""
    assert said["happstack/1-core pong"] == ""
    assert said["node/1-process file"].startswith("invalid by our rules: 99.75 %")
    assert said["apache-php/mod_php pong"].startswith("suspect by our rules: the samples")


def test_of_several_points_the_row_shows_the_one_that_answered_most() -> None:
    row = next(row for row in replay_rows(CURVES) if row.arm == "cowboy/1-core")
    cells = [cell for cell in CURVES.cells if cell.arm == "cowboy/1-core"]
    best = max(cells, key=lambda cell: cell.throughput_per_s.value if cell.throughput_per_s else 0)
    assert [entry.cell.point for entry in row.rerun] == [best.point]
    assert best.point in row.rerun[0].about


def test_what_nobody_measured_here_is_still_a_row_of_the_history() -> None:
    groups = dict(replay_groups(SNAP))
    row = groups["pong"][-1]
    assert row.arm == "Grails 1.2.2"
    assert (row.rerun, row.corrected) == ([], [])
    assert all(row.arm != "Grails 1.2.2" for row in groups["file"])


def test_a_study_that_replays_nothing_has_neither_rows_nor_a_picture() -> None:
    result = sample.tiny()
    assert replay_rows(result) == []
    assert pictures(replay_drawings(result)) == {}


def test_a_replay_of_which_nothing_has_a_result_has_no_picture() -> None:
    cells = [sample.invalid(cell) for cell in SMALL.cells]
    result = SMALL.model_copy(update={"cells": cells, "comparisons": []})
    assert pictures(replay_drawings(result)) == {}
    assert all(entry.text == "no result" for row in replay_rows(result) for entry in row.rerun)


def test_a_refused_cell_is_called_refused_and_not_a_failure() -> None:
    why = Reason(code="refused", status="invalid", text="it cannot pipeline", hint="none")
    cells = [sample.invalid(SMALL.cells[0]).model_copy(update={"reasons": [why], "trials": []})]
    result = SMALL.model_copy(update={"cells": [*cells, *SMALL.cells[1:]]})
    entry = replay_rows(result)[0].rerun[0]
    assert (entry.text, entry.interval) == ("refused", "it cannot pipeline")
    sentences = [banner.sentence for banner in banners(result)]
    assert "1 of 24 cells was refused: the server does not support the load." in sentences
    assert "2 of 24 cells have no result." in sentences


def test_several_numbers_of_one_arm_are_told_together_with_how_many_are_invalid() -> None:
    late = SNAP.published[0].model_copy(update={"arm": "node/1-process file", "source": "later"})
    result = SNAP.model_copy(update={"published": [*SNAP.published, late]})
    picture = pictures(replay_drawings(result))["replay-file"]
    assert "288 to 4,540/s (1 invalid)" in str(picture["hconcat"][0])


def test_a_bar_of_zero_is_no_number_and_is_not_drawn() -> None:
    zero = SNAP.published[0].model_copy(update={"requests_per_s": 0.0})
    result = SNAP.model_copy(update={"published": [zero, *SNAP.published[1:]]})
    first = pictures(replay_drawings(result))["replay-pong"]["hconcat"][0]
    points = [layer for layer in first["layer"] if layer["mark"].get("shape") == "diamond"]
    assert "rails/webrick" not in [r["row"] for layer in points for r in layer["data"]["values"]]
    assert "no number" in str(first)


def test_loads_that_rerun_the_post_share_a_column_each_arm_by_its_own() -> None:
    other = SNAP.loads[0].model_copy(update={"name": "as-published-2", "title": "another shape"})
    moved = "node/1-process pong"
    cells = [
        cell.model_copy(update={"load": other.name})
        if (cell.arm, cell.load) == (moved, "as-published")
        else cell
        for cell in SNAP.cells
    ]
    loads = [SNAP.loads[0], other, SNAP.loads[1]]
    result = SNAP.model_copy(update={"loads": loads, "cells": cells})
    columns = pictures(replay_drawings(result))["replay-pong"]["hconcat"]
    assert [column["title"]["text"] for column in columns] == [
        "Published",
        "Same load, rerun here",
        "Corrected",
    ]
    assert columns[1]["title"]["subtitle"] == ["each arm under its own published load"]


def test_a_load_that_offers_a_rate_is_no_column_where_another_tells_what_a_server_can() -> None:
    (picture,) = pictures(replay_drawings(SMALL)).values()
    titles = [column["title"]["subtitle"][0] for column in picture["hconcat"]]
    assert not [title for title in titles if "steady rate" in title]
    entries = [entry.load.name for entry in replay_rows(SMALL)[0].corrected]
    assert entries == ["keep-alive", "corrected"], "the table has all of them"


def test_the_baseline_measured_twice_is_one_row() -> None:
    control = SMALL.arms[0].model_copy(update={"name": f"{SMALL.arms[0].name} (A/A)"})
    result = SMALL.model_copy(update={"arms": [*SMALL.arms, control]})
    assert len(replay_rows(result)) == len(replay_rows(SMALL))


def test_where_no_arm_has_an_interval_the_column_says_so_once() -> None:
    result = sample.replay(blocks=3)
    columns = next(iter(pictures(replay_drawings(result)).values()))["hconcat"]
    assert "too few trials for intervals" in " ".join(columns[1]["title"]["subtitle"])
    assert "no interval" not in str([layer["data"] for layer in columns[1]["layer"]])
