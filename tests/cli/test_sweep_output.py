"""A sweep in words, tables and charts, from measurements made by hand."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import drawn
import pytest
from httpdyno.cli.live.text import plain
from httpdyno.cli.sweep.chart import charts
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.sweep.table import in_words, reasons
from httpdyno.cli.sweep.view import View
from httpdyno.engine_plan.reading import read
from httpdyno.report import sweep_picture
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figures.sweep import sweep
from httpdyno.result import Reason, Status
from httpdyno.running.live.events import PlanBegins, PointEnds, TrialBegins
from httpdyno.sweep import Point, Rates, SweepRecord, TimeKind, answer, point_of, to_csv
from httpdyno.verdict import Verdict

from .measurements import CALLS, MS, measurement, time

VALID = Verdict("valid", ())
OVERLOAD = Reason(
    code="overload",
    status="suspect",
    text="overload: 300/s offered, 200/s achieved",
    hint="lower the rate",
    doubts=("p50", "p99"),
)
ERRORS = Reason(code="errors", status="invalid", text="5 % failed", hint="find out why")
WRONG = Reason(
    code="wrong_replies",
    status="invalid",
    text="1 of 1,499 replies had status 503 (expected 2xx or 3xx)",
    hint="fix the server",
)
BUSY = Reason(code="generator_busy", status="suspect", text="busy", hint="add a thread")


def point(rate: float, *found: Reason, replies: float | None = None, **changed: Any) -> Point:
    """A point whose p99 is ten times its median, 1 ms at 100/s; reasons decide its verdict."""
    seen = measurement(
        **{
            "offered_per_s": rate,
            "throughput_per_s": rate if replies is None else replies,
            "times": {
                **measurement().times.model_dump(),
                "response": time(p50_ns=int(rate * MS / 100)),
            },
        }
        | changed
    )
    worst: Status = max(
        (one.status for one in found), key=["valid", "suspect", "invalid"].index, default="valid"
    )
    return point_of(rate, seen, Verdict(worst, found), "response")


def record(points: list[Point], **changed: Any) -> SweepRecord:
    plain = {
        "httpdyno_version": "1",
        "command": ["httpdyno"],
        "url": "http://h/",
        "unit": "requests",
    }
    more = {"times": "response", "log_rates": False, "complete": True, "points": points}
    more["planned"] = len(points)
    return SweepRecord.model_validate(plain | more | changed)


ARRIVALS = {"segments": [{"from_per_s": 1, "to_per_s": 1}]}
PLAN = read(
    {"target": {}, "load": {"kind": "requests", "connections": 1, "arrivals": ARRIVALS}}
    | {"stop": {"count": 1}}
)
KEPT = [point(100), point(200)]
LATE = point(300, OVERLOAD, replies=200)


def test_the_answer_names_the_last_rate_that_the_server_kept_up_with() -> None:
    assert answer([*KEPT, LATE], "response") == (
        "The server kept up with up to 200/s (p99 20.0 ms). At 300/s: 200/s replies of 300/s due,"
        " p99 30.0 ms, suspect. The highest reply rate was 200/s, with 200/s offered."
    )


def test_a_server_that_keeps_up_with_all_or_with_none_is_said_to() -> None:
    all_held = "The server kept up with every rate, up to 200/s (p99 20.0 ms)."
    assert answer(KEPT, "response") == all_held
    assert answer([LATE], "response").startswith("The server did not keep up with the lowest rate.")


def test_rates_that_were_never_measured_are_not_said_to_be_kept_up_with() -> None:
    assert answer(KEPT, "response", planned=5).startswith(
        "The server kept up with every measured rate (2 of 5), up to 200/s"
    )
    assert "kept up with every rate," in answer(KEPT, "response", planned=2)
    assert answer(KEPT[:1], "response", planned=5) == (
        "The server kept up with 100/s (p99 10.0 ms), the only one of 5 rates that was measured"
        " to its end."
    )


def test_the_answer_follows_the_rates_and_not_the_order_of_the_measurements() -> None:
    assert answer([LATE, *reversed(KEPT)], "response") == answer([*KEPT, LATE], "response")


def test_a_higher_rate_that_is_held_again_puts_the_first_that_was_not_in_doubt() -> None:
    assert answer([*KEPT, LATE, point(400)], "response") == (
        "The server kept up with up to 200/s (p99 20.0 ms). At 300/s: 200/s replies of 300/s due,"
        " p99 30.0 ms, suspect. It kept up again at 400/s (p99 40.0 ms): measure 300/s once more."
        " The highest reply rate was 400/s, with 400/s offered."
    )


@pytest.mark.parametrize(("kind", "time"), [("response", "p99"), ("first_byte", "mean")])
def test_the_answer_calls_a_suspect_time_suspect(kind: TimeKind, time: str) -> None:
    doubted = point(200, BUSY)
    assert re.search(rf"up to 200/s \({time} [^)]+, suspect: busy\)\.$", answer([doubted], kind))
    assert re.search(rf", {time} [^,]+, suspect\. The highest", answer([*KEPT, LATE], kind))
    assert "suspect" not in answer(KEPT, kind)


def test_a_rate_at_which_the_load_generator_was_too_slow_is_unknown_in_answer_and_chart() -> None:
    doubted = point(300, OVERLOAD, BUSY, replies=200)
    assert answer([*KEPT, doubted], "response") == (
        "The server kept up with 2 of 3 rates, up to 200/s (p99 20.0 ms)."
        " Unknown at 300/s: 200/s replies of 300/s due, but busy."
    )
    assert answer([doubted], "response") == (
        "No rate shows if the server keeps up."
        " Unknown at 300/s: 200/s replies of 300/s due, but busy."
    )
    assert sweep(record([doubted]), log=False).title == "No rate shows if the server keeps up"


def test_a_rate_at_which_other_programs_took_the_servers_processors_is_unknown() -> None:
    starved = BUSY.model_copy(
        update={"code": "server_starved", "text": "other programs took 60.0 % (limit 5 %)"}
    )
    assert answer([point(300, OVERLOAD, starved, replies=200)], "response").endswith(
        "Unknown at 300/s: 200/s replies of 300/s due, but other programs took 60.0 %."
    )


def test_a_point_without_a_result_is_unknown_and_has_no_highest_reply_rate() -> None:
    lost = point(250, ERRORS, replies=299)
    assert answer([*KEPT, lost, LATE], "response") == (
        "The server kept up with up to 200/s (p99 20.0 ms). At 300/s: 200/s replies of 300/s due,"
        " p99 30.0 ms, suspect. Unknown at 250/s: no result: 5 % failed."
        " The highest reply rate was 200/s, with 200/s offered."
    )


def test_a_lowest_rate_without_a_result_is_no_rate_that_the_server_did_not_keep_up_with() -> None:
    wrong = point(100, WRONG)
    assert answer([wrong, point(200)], "response") == (
        "The server kept up with 1 of 2 rates, up to 200/s (p99 20.0 ms)."
        " Unknown at 100/s: no result: 1 of 1,499 replies had status 503 (expected 2xx or 3xx)."
    )
    assert answer([wrong], "response") == (
        "No rate shows if the server keeps up."
        " Unknown at 100/s: no result: 1 of 1,499 replies had status 503 (expected 2xx or 3xx)."
    )
    assert answer([wrong, LATE], "response").startswith("The server did not keep up with 300/s.")


def test_unknown_rates_are_counted_among_those_that_were_measured() -> None:
    wrong, wrong_too = point(50, WRONG), point(100, WRONG)
    text = answer([wrong, wrong_too, point(200)], "response", planned=10)
    assert text.startswith("The server kept up with 1 of 3 measured rates (10 planned), up to 200")
    assert text.endswith("(expected 2xx or 3xx); also unknown at 1 more rate.")


def test_a_rate_that_the_load_generator_did_not_offer_is_unknown() -> None:
    lost = {**CALLS, "due": 1000, "sent": 950, "ok": 950, "unsent": 50}
    unsent = Reason(
        code="unsent",
        status="suspect",
        text="50 of 1,000 calls were never sent: the load generator was up to 51.0 ms late",
        hint="stop other programs",
    )
    assert answer([*KEPT, point(300, unsent, calls=lost)], "response").endswith(
        "kept up with 2 of 3 rates, up to 200/s (p99 20.0 ms). Unknown at 300/s: 50 of 1,000 calls"
        " were never sent: the load generator was up to 51.0 ms late."
    )


def test_an_invalid_point_has_each_of_its_numbers_marked() -> None:
    lost = point(300, ERRORS, replies=299)
    assert in_words(lost, "response") == (
        "299✕ replies/s, p50 3.00 ms✕, p99 30.0 ms✕, none✕ failed; invalid: errors"
    )


def test_the_chart_of_a_sweep_that_ended_early_speaks_of_the_measured_rates() -> None:
    ended = record(KEPT, complete=False, planned=4)
    assert sweep(ended, log=False).title == (
        "The server kept up with every measured rate (2 of 4), up to 200/s (p99 20.0 ms)"
    )


def test_an_answer_whose_time_the_generator_made_suspect_names_the_generator() -> None:
    late = Reason(
        code="generator_behind",
        status="suspect",
        text="the load generator was late all the time: it sent calls 529 µs late",
        hint="add a CPU",
        doubts=("p50", "p99"),
    )
    assert answer([*KEPT, point(300, late)], "first_byte") == (
        "The server kept up with every rate, up to 300/s (mean 3.30 ms, suspect: the load"
        " generator was late all the time)."
    )


def test_an_interrupted_point_says_nothing_about_the_server() -> None:
    cut = point(300, ERRORS, stopped_by="interrupt")
    assert answer([*KEPT, cut], "response") == answer(KEPT, "response")
    assert answer([cut], "response") == ""


def test_a_line_of_a_point_has_its_numbers_marks_and_verdict() -> None:
    assert in_words(KEPT[0], "response") == (
        "100 replies/s, p50 1.00 ms, p99 10.0 ms, none failed; valid"
    )
    assert in_words(LATE, "response") == (
        "200 replies/s, p50 3.00 ms?, p99 30.0 ms?, none failed; suspect: overload"
    )
    assert in_words(KEPT[0], "first_byte") == "100 replies/s, mean 1.10 ms, none failed; valid"


def test_a_point_without_a_reply_has_no_times() -> None:
    none = {**measurement().times.model_dump(), "response": time(p50_ns=0, count=0)}
    silent = point(100, ERRORS, replies=0, times=none)
    assert "p50 –, p99 –" in in_words(silent, "response")
    assert (silent.mean_s, silent.p50_s, silent.p99_s) == (None, None, None)


def test_each_doubt_is_told_once_with_its_rates_and_its_hint() -> None:
    lines = list(reasons([*KEPT, LATE, point(400, OVERLOAD, replies=200)]))
    assert lines == [
        "suspect at 300/s and 1 more: overload: 300/s offered, 200/s achieved",
        "  hint: lower the rate",
    ]


def test_rates_stand_below_their_columns_as_far_as_there_is_room() -> None:
    def axis(rates: list[int], width: int) -> str:
        lines = charts([point(one) for one in rates], "response", width=width, height=1, log=False)
        return next(line for line in lines if "offered/s" in line).strip()

    assert axis([500, 1000, 1500], 79) == "offered/s  500   1,000 1,500"
    assert axis([10_000, 20_000, 30_000], 79) == "offered/s  10,000 20,000 30,000"
    assert axis([100], 79) == "offered/s  100"
    many = axis([n * 100 for n in range(1, 41)], 60)
    assert many.startswith("offered/s  100 ")
    assert many.endswith(" 4,000")
    for rate in many.split()[1:-1]:
        at = int(rate.replace(",", "")) // 100 - 1
        assert many.removeprefix("offered/s  ")[at:].startswith(rate)


def test_the_charts_in_text_look_like_this() -> None:
    late = point(300, OVERLOAD, replies=100)
    lines = charts([*KEPT, late], "response", width=30, height=2, log=False)
    assert "\n".join(lines) == PICTURE


PICTURE = """\
replies/s (· due)
       300 │      ▃▃▃▃▃▃······
         0 │▅▅▅▅▅▅██████▅▅▅▅▅▅
response time, p99
   30.0 ms │      ▃▃▃▃▃▃██████
       0 s │▅▅▅▅▅▅████████████
failed: none
           └──────────────────
 offered/s  100   200   300
   verdict              ?
            ? suspect, ✕ invalid"""


def test_a_logarithmic_axis_shows_small_times_beside_large_ones() -> None:
    points = [point(rate) for rate in (1, 10, 100, 1000)]
    linear = charts(points, "response", width=60, height=4, log=False)
    log = charts(points, "response", width=60, height=4, log=True)
    at = log.index("response time, p99, log scale")
    shares = [sum(line.count("█") for line in lines[at + 1 : at + 5]) for lines in (log, linear)]
    assert shares[0] > shares[1]
    assert log[:at] == linear[:at]


MANY = [point(rate) for rate in range(1, 301)]


@pytest.mark.parametrize("count", [1, 2, 19, 20, 21, 300])
@pytest.mark.parametrize("width", [20, 80, 200])
def test_any_number_of_points_fits_any_width(count: int, width: int) -> None:
    points = MANY[:count]
    lines = charts(points, "response", width=width, height=3, log=True)
    bars = [line for line in lines if "│" in line]
    assert max(map(len, bars)) <= max(width, 24)
    assert charts([], "response", width=width, height=3, log=True) == []


@pytest.mark.parametrize(("width", "height"), [(60, 18), (80, 23), (80, 24), (200, 60)])
def test_the_view_of_a_running_sweep_fits_its_terminal(width: int, height: int) -> None:
    program = Program(PLAN, Rates((1.0, 2.0)), "requests", "response", "flags")
    view = View(program, "h" * 300, log=True)
    for point_of_many in [*MANY[:7], *[point(300, OVERLOAD, BUSY)] * 3]:
        view(TrialBegins(1, 2, 0.0, "a", "requests", "1/s"))
        view(PlanBegins(PLAN))
        view(PointEnds(point_of_many))
        lines = view.lines(width - 1, height - 1)
        assert len(lines) < height
    seen = plain(" ".join(lines))
    p50 = "3.00 ms? " if "p50" in seen.partition("replies/s")[2].partition("failed")[0] else ""
    assert f"300 300? {p50}30.0 ms? none? suspect" in " ".join(seen.split())
    assert p50 or width == 60


def test_the_csv_has_a_line_for_each_point() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv([*KEPT, LATE]))))
    assert [row["rate_per_s"] for row in rows] == ["100", "200", "300"]
    assert [row["verdict"] for row in rows] == ["valid", "valid", "suspect"]
    assert rows[2]["reasons"] == "overload"
    assert [row["pace"] for row in rows] == ["kept up", "kept up", "fell behind"]
    assert rows[0]["p99_s"] == "0.01"
    assert (rows[0]["due"], rows[0]["ok"], rows[0]["in_flight"]) == ("1000", "1000", "0")


def test_a_record_is_read_again_as_it_was_written() -> None:
    written = record([*KEPT, LATE])
    assert SweepRecord.model_validate_json(written.model_dump_json()) == written


HOSTILE: list[tuple[list[Point], dict[str, object], bool]] = [
    ([point(100, replies=0.0)], {"log_rates": True}, True),
    ([point(100, ERRORS)], {"times": "first_byte"}, True),
    ([point(100), LATE, point(1e8, ERRORS)], {"log_rates": True}, False),
    ([point(0.001), point(0.002, throughput_per_s=1e300)], {}, True),
]


@pytest.mark.parametrize(("points", "about", "log"), HOSTILE)
def test_any_numbers_are_drawn(points: list[Point], about: dict[str, object], *, log: bool) -> None:
    figure = make_figure(sweep(record(points, **about), log=log), "sweep")
    for svg in (figure.svg, figure.narrow or ""):
        assert drawn.tree(svg).get("role") == "img"
        assert "nan" not in svg
        assert drawn.collisions(svg) == []


def test_the_picture_says_what_was_swept_and_marks_what_is_invalid(tmp_path: Path) -> None:
    swept = record([*KEPT, point(300, ERRORS)], url="http://h/<b>\x1b")
    svg = sweep_picture(swept, svg=True, log=True)
    assert isinstance(svg, str)
    assert "http://h/&lt;b&gt;\\x1b: 100 to 300 requests/s" in svg
    assert "response time (ms), log scale" in svg
    assert drawn.texts(svg).count("✕") == 4, "one of each of the four lines"
    assert "The server kept up with 2 of 3 rates, up to 200/s (p99 20.0 ms)" in svg
    png = sweep_picture(swept, svg=False, log=False)
    assert isinstance(png, bytes)
    assert png.startswith(b"\x89PNG")


def test_a_reason_of_several_points_has_the_range_of_its_numbers() -> None:
    found = [
        point(rate, OVERLOAD.model_copy(update={"text": f"overload: {rate}/s offered"}))
        for rate in (300, 400, 500)
    ]
    assert next(reasons(found)) == "suspect at 300/s and 2 more: overload: 300 to 500/s offered"


def test_a_lower_bound_is_marked_in_the_picture_and_in_the_csv() -> None:
    bound = point(300, OVERLOAD).model_copy(update={"p99_is_lower_bound": True})
    rows = list(csv.DictReader(io.StringIO(to_csv([*KEPT, bound]))))
    assert [row["p99_is_lower_bound"] for row in rows] == ["false", "false", "true"]
    svg = make_figure(sweep(record([*KEPT, bound]), log=True), "sweep").svg
    assert drawn.texts(svg).count("≥") == 1
    assert "≥: lower bound" in drawn.texts(svg)
    assert drawn.collisions(svg) == []
    assert "≥" not in make_figure(sweep(record(KEPT), log=True), "sweep").svg
