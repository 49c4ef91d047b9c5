"""`load --report`: one page of a real load, over time, without secrets."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

from .conftest import Program

if TYPE_CHECKING:
    from httpdyno import _engine

USAGE = 2
SENT = ("--rate", "300", "--duration", "2s", "--warm-up", "0", "-H", "X-Key: concealed")


def test_the_page_has_the_result_the_charts_and_what_was_sent(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?token=concealed&fault=status:503&share=0.2"
    words = (*SENT, "--json-body", "concealed", "--fail-if", "errors>50%")
    called("load", url, *words, "--report", "r.html", "--json", "r.json")
    page = (tmp_path / "r.html").read_text()
    assert "concealed" not in page
    for part in ("answer", "over-time", "numbers", "requests", "method"):
        assert f"<section {'class=' if part == 'answer' else ''}" in page
        assert f'id="{part}"' in page
    for chart in ("percentiles", "heat", "failures"):
        assert f'id="figure-{chart}"' in page
    assert "errors ≤ 50 %" in page
    assert "wrong status" in page
    assert "<code>POST /hello?token=***" in page
    assert "9 bytes, SHA-256" in page
    assert "src=" not in page.replace("script-src", "").replace("style-src", "")
    measured = json.loads((tmp_path / "r.json").read_text())["measurement"]
    bins = measured["over_time"]
    assert sum(one["ok"] for one in bins) == measured["calls"]["ok"]
    assert sum(one["failures"]["wrong_status"] for one in bins) == measured["calls"]["wrong_status"]
    assert sum(count for one in bins for *_, count in one["times"]) == measured["calls"]["ok"]


def test_without_a_report_nothing_is_kept_over_time(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    called("load", f"http://{server.address}/hello", "-n", "100", "--json", "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["measurement"]["over_time"] is None


def test_the_slowest_calls_are_those_of_the_call_log_and_name_what_was_sent(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    """Two threads, and a request of five that is slow, fails or both."""
    url = f"http://{server.address}/hello"
    words = ("--also", "GET /slow?delay=5ms&token=concealed", "--also", "GET /absent x3")
    files = ("--report", "r.html", "--json", "r.json", "--call-log", "r.csv")
    called("load", url, *words, "-n", "600", "-c", "8", "--threads", "2", *files)
    measured = json.loads((tmp_path / "r.json").read_text())["measurement"]
    slowest = measured["slowest"]
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text().splitlines()))
    logged = sorted((int(row["done_ns"]) - int(row["due_ns"]) for row in rows), reverse=True)
    assert [one["response_ns"] for one in slowest] == logged[:20]
    assert {one["end"] for one in slowest} <= {"ok", "wrong_status"}
    page = (tmp_path / "r.html").read_text()
    assert "20 of 600 calls" in page
    assert '<td class="text" data-label="request">GET /' in page
    assert "concealed" not in page


def test_calls_without_a_reply_are_among_the_slowest(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?delay=30s"
    called("load", url, "-n", "3", "-c", "3", "--timeout", "100ms", "--json", "r.json")
    slowest = json.loads((tmp_path / "r.json").read_text())["measurement"]["slowest"]
    found = {(one["end"], one["status"], one["first_byte_ns"]) for one in slowest}
    assert found == {("reply_timeout", None, None)}
    assert all(one["response_ns"] >= 100_000_000 for one in slowest)


def test_secrets_are_masked_although_they_are_kept_for_json(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?token=concealed"
    called("load", url, *SENT, "--keep-secrets", "--report", "r.html", "--json", "r.json")
    assert "concealed" in (tmp_path / "r.json").read_text()
    assert "concealed" not in (tmp_path / "r.html").read_text()


def test_a_load_without_a_result_has_a_page_that_says_so(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    called("load", f"http://{server.address}/absent", "-n", "200", "--report", "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "The numbers below were seen. They are no result." in page
    assert "No right reply in any second" in page


def test_words_of_a_server_are_no_markup(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/<b>x&y=\"'"
    called("load", url, "-n", "50", "-H", "X: <script>alert(1)</script>", "--report", "r.html")
    if (tmp_path / "r.html").exists():
        page = (tmp_path / "r.html").read_text()
        assert "<script>alert" not in page
        assert "<b>x" not in page


def test_the_page_is_an_output_as_the_others(called: Program, server: _engine.Reference) -> None:
    done = called("load", f"http://{server.address}/hello", "-n", "100", "--report", "-")
    assert done.stdout.startswith("<!doctype html>")
    assert "requests/s" in done.stderr
    done = called("load", f"http://{server.address}/hello", "--report", "x", "--export", "csv=x")
    assert done.returncode == USAGE
    assert "`--report` and `--export csv` both write to `x`" in done.stderr


def test_a_sweep_has_a_page_with_all_of_its_rates(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello?token=concealed"
    rates = ("--rate", "200,400", "-d", "600ms", "--warm-up", "0", "--cool-down", "0")
    done = called("sweep", "load", url, *rates, "--keep-secrets", "--report", "r.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text()
    assert "concealed" not in page
    assert "2 rates, 200 to 400 requests/s" in page
    assert "Rate by rate" in page
    assert 'id="figure-sweep"' in page
    assert "GET /hello?token=***" in page


def test_the_page_of_several_endpoints_has_a_plot_for_each(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    url = f"http://{server.address}/hello"
    called("load", url, *SENT, "--also", "GET /pong?token=concealed", "--report", "r.html")
    page = (tmp_path / "r.html").read_text()
    assert 'id="figure-endpoints"' in page
    assert "p99 by endpoint: " in page
    called("load", url, *SENT, "--report", "r.html")
    assert 'id="figure-endpoints"' not in (tmp_path / "r.html").read_text()
