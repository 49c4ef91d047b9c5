"""A load of several endpoints has a row, and thresholds, for each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.load.output.record import LoadRecord
from httpdyno.errors import ExitCode
from httpdyno.limits.budget import Budget
from httpdyno.limits.thresholds import parse_limit, parse_threshold, unknown_endpoint
from httpdyno.result import Reason
from httpdyno.verdict import Verdict

from .conftest import Program
from .measurements import CALLS, MS, endpoint, measurement, time
from .plans import plan
from .test_load_summary import shown

if TYPE_CHECKING:
    from httpdyno import _engine

WRONG = {"ok": 450, "wrong_status": 40, "wrong_body": 0, "errors": {"reset": 10}}
WRONG |= {"in_flight": 0, "unsent": 0}
KNOWN = [{"quantile": 0.99, "value_ns": 50 * MS, "low_ns": 41 * MS, "high_ns": 62 * MS}]
ORDERS = endpoint(
    "POST /orders",
    p50_ns=5 * MS,
    ok=450,
    calls=WRONG,
    statuses={"200": 450, "503": 40},
    percentiles=[one | {"design_effect": None} for one in KNOWN],
)
SEEN = measurement(
    calls=CALLS | {"ok": 950, "wrong_status": 40, "errors": {"reset": 10}},
    statuses={"200": 950, "503": 40},
    endpoints=[endpoint("GET /items"), ORDERS],
)


def _quantiles(_hdr: str, at: Sequence[float]) -> list[int]:
    return [round(q * 40 * MS) for q in at]


def test_each_endpoint_has_its_calls_times_and_failures_in_the_summary() -> None:
    assert TABLE in shown(plan(), SEEN)
    assert WIDE in shown(plan(), SEEN, width=120)


TABLE = """
by endpoint   calls  answered      p50      p90      p99  failed
GET /items      500     250/s  1.00 ms  3.00 ms  10.0 ms    none
POST /orders    500     225/s  5.00 ms  15.0 ms  50.0 ms  10.0 %

"""
WIDE = """
by endpoint   calls  answered      p50      p90      p99      95 % CI of p99  failed
GET /items      500     250/s  1.00 ms  3.00 ms  10.0 ms                   –    none
POST /orders    500     225/s  5.00 ms  15.0 ms  50.0 ms  41.0 ms to 62.0 ms  10.0 %

"""


@pytest.mark.parametrize("width", [24, 40, 60, 80, 120])
def test_a_narrow_terminal_has_fewer_columns_and_keeps_name_p99_and_failures(width: int) -> None:
    long = [endpoint("GET /shops/{shop}/departments/{department}/items/{item}"), ORDERS]
    text = shown(plan(), measurement(endpoints=long), width=width)
    block = text[text.index("by endpoint") :].split("\n\n")[0]
    assert "GET /shops/{shop}/de…" in block
    assert "50.0 ms" in block
    assert "10.0 %" in block
    assert max(map(len, block.splitlines())) <= max(width, 60)


def test_a_load_of_one_endpoint_has_no_rows_of_endpoints() -> None:
    assert "by endpoint" not in shown(plan(), measurement())


def test_a_lower_bound_and_a_doubt_are_marked_and_names_show_no_control_characters() -> None:
    lost = time(p50_ns=MS) | {"censored": 500, "censored_min_ns": MS}
    seen = measurement(endpoints=[endpoint("GET /\x1b[31m", response=lost), ORDERS])
    doubted = Reason(code="few_calls", status="suspect", text="few", hint="more", doubts=("p99",))
    text = shown(plan(), seen, Verdict("suspect", (doubted,)))
    assert "≥10.0 ms" in text
    assert "p99?" in text[text.index("by endpoint") :].splitlines()[0]
    assert "\x1b" not in text


def test_of_very_many_endpoints_those_with_most_calls_have_a_row_and_the_rest_are_counted() -> None:
    seen = measurement(endpoints=[endpoint(f"GET /{n}", ok=n) for n in range(1, 26)])
    text = shown(plan(), seen)
    assert "GET /25" in text
    assert "GET /5 " not in text
    assert "Not shown: 5 endpoints with fewer calls; `--json` has them." in text


@pytest.mark.parametrize(
    ("threshold", "passed", "comparison"),
    [
        ("p99[POST /orders]>200ms", True, "p99[POST /orders] 39.6 ms ≤ 200 ms"),
        ("p99[ GET /items ] >= 20ms", False, "p99[GET /items] 39.6 ms ≥ 20 ms"),
        ("service_mean[POST /orders]>1ms", False, "service_mean[POST /orders] 5.50 ms > 1 ms"),
        ("errors[POST /orders]>5%", False, "errors[POST /orders] 10.0 % > 5 %"),
        ("errors[GET /items]>0%", True, "errors[GET /items] 0 % ≤ 0 %"),
        ("status_5xx[POST /orders]>9%", True, "status_5xx[POST /orders] 8.00 % ≤ 9 %"),
        ("rate[POST /orders]<300", False, "rate[POST /orders] 225/s < 300"),
        ("ok[GET /items]<500", True, "ok[GET /items] 500 ≥ 500"),
        (
            "p99[GET /nowhere]>1s",
            False,
            "p99[GET /nowhere] was not measured (`p99[GET /nowhere]>1s`)",
        ),
    ],
)
def test_a_threshold_may_be_about_one_endpoint(
    threshold: str, passed: bool, comparison: str
) -> None:
    checked = parse_threshold(threshold).check(SEEN, _quantiles)
    assert (checked.passed, checked.comparison) == (passed, comparison)


def test_the_only_endpoint_of_a_load_is_all_of_it() -> None:
    found = parse_threshold("errors[GET /]>1%").check(measurement(), _quantiles)
    assert found.comparison == "errors[GET /] 0 % ≤ 1 %"


@pytest.mark.parametrize(
    ("threshold", "fault"),
    [
        ("lag_p99[GET /]>1ms", "`lag_p99` is not measured by endpoint"),
        ("achieved[GET /]<0.9", "`achieved` is not measured by endpoint"),
        ("due[GET /]<9", "`due` is not measured by endpoint"),
        ("p99[]>1ms", "expected a metric"),
        ("p99[GET /<b>]<1ms", "did you mean `p99[GET /<b>]>1ms`?"),
    ],
)
def test_a_metric_that_endpoints_lack_is_refused(threshold: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        parse_threshold(threshold)


def test_a_limit_may_be_about_one_endpoint() -> None:
    limit = parse_limit("p99[POST /orders]<200ms")
    assert (limit.endpoint, limit.metric, limit.name) == (
        "POST /orders",
        "p99",
        "p99[POST /orders]",
    )
    with pytest.raises(ValueError, match="not measured by endpoint"):
        parse_limit("connect_p99[GET /]<1ms")


def test_an_unknown_endpoint_lists_the_known_ones_the_nearest_first() -> None:
    known = [f"GET /{n}" for n in range(12)] + ["POST /orders"]
    fault = unknown_endpoint(parse_threshold("p99[POST /order]>1s"), known)
    assert fault.startswith(
        "`POST /order` is not an endpoint of this load: expected `POST /orders`, `GET /0`"
    )
    assert fault.endswith("and 3 others")
    assert unknown_endpoint(parse_threshold("p99[GET /3]>1s"), known) == ""
    assert unknown_endpoint(parse_threshold("p99>1s"), known) == ""


def test_a_budget_of_one_endpoint_forgives_its_errors_and_no_others() -> None:
    def left(*limits: str) -> tuple[int, int]:
        found = Budget.of_limits(map(parse_limit, limits)).uncovered_errors(SEEN)
        return found.wrong_status, found.without_reply

    assert left() == (40, 10)
    assert left("errors[POST /orders]<10%") == (0, 0)
    assert left("errors[POST /orders]<9%") == (40, 10)
    assert left("errors[GET /items]<9%") == (40, 10)
    assert left("status_5xx[POST /orders]<9%") == (0, 10)
    assert left("status_5xx[POST /orders]<9%", "reset<2%") == (0, 0)
    broken = Budget.of_limits([parse_limit("errors[POST /orders]<9%")]).exceeded_shares(SEEN)
    assert broken == "errors[POST /orders] 10.0 % (budget 9 %)"


def test_the_program_shows_endpoints_checks_their_thresholds_and_writes_them(
    httpdyno: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    host = f"http://{server.address}"
    (tmp_path / "urls.txt").write_text(f"{host}/pong?a=1\n{host}/hello\n{host}/pong?a=2\n")
    done = httpdyno(
        *("load", "--urls", "urls.txt", "--rate", "300", "--duration", "1s", "--json", "out.json"),
        *("--fail-if", "p99[GET /hello]>10us", "--fail-if", "errors[GET /pong]>0%"),
    )
    assert "by endpoint" in done.stdout
    assert "threshold    failed: p99[GET /hello]" in done.stdout
    assert "threshold    passed: errors[GET /pong] 0 % ≤ 0 %" in done.stdout
    assert done.returncode in {ExitCode.THRESHOLD_FAILED, ExitCode.INVALID}
    record = LoadRecord.model_validate(json.loads((tmp_path / "out.json").read_text()))
    pong, hello = record.measurement.endpoints
    assert (pong.name, hello.name) == ("GET /pong", "GET /hello")
    assert pong.calls.ok + hello.calls.ok == record.measurement.calls.ok


def test_the_program_refuses_a_threshold_of_an_unknown_endpoint_before_it_runs(
    httpdyno: Program, server: _engine.Reference
) -> None:
    done = httpdyno("load", f"http://{server.address}/pong", "--fail-if", "p99[GET /ping]>1s")
    assert done.returncode == ExitCode.USAGE
    assert (
        "`--fail-if p99[GET /ping]>1s`: `GET /ping` is not an endpoint of this load: expected"
        " `GET /pong`" in " ".join(done.stderr.split())
    )
