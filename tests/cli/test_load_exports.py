"""`load` and `sweep` for CI: exports as those of studies, and the summary of a job of GitHub."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno.cli.exports import NAMES

from .conftest import CLOSED_AT, Program

if TYPE_CHECKING:
    from httpdyno import _engine

BRIEFLY = ("--rate", "2000", "--duration", "600ms", "--warm-up", "0")
RATES = ("--rate", "500..1000/500", "--duration", "600ms", "--warm-up", "0", "--cool-down", "0")
THRESHOLD_FAILED, ENVIRONMENT, TARGET, USAGE = 5, 4, 3, 2


@pytest.fixture
def url(server: _engine.Reference) -> str:
    return f"http://{server.address}/hello?token=hidden"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job of GitHub; the file of its summary."""
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    return summary


def exports(folder: Path) -> list[str]:
    return [word for name in NAMES for word in ("--export", f"{name}={folder / name}")]


def cases(file: Path) -> dict[str, str]:
    """The outcome of each test case of a JUnit file, by its name."""
    found = {}
    for case in ET.parse(file).getroot().findall("testsuite/testcase"):
        outcomes = [one for one in ("failure", "skipped") if case.find(one) is not None]
        found[case.get("name", "")] = outcomes[0] if outcomes else "passed"
    return found


def test_a_load_is_exported_in_every_format_with_its_thresholds_and_without_secrets(
    called: Program, url: str, tmp_path: Path
) -> None:
    limits = ("--fail-if", "p99>1us", "--fail-if", "errors>50%")
    done = called("load", url, *BRIEFLY, *limits, *exports(tmp_path))
    assert done.returncode == THRESHOLD_FAILED, done.stderr
    texts = {name: (tmp_path / name).read_text() for name in NAMES}
    assert not [name for name, text in texts.items() if "hidden" in text]
    assert cases(tmp_path / "junit") == {
        "p99 ≤ 1 µs": "failure",
        "errors ≤ 50 %": "passed",
        "server · 2,000/s": "passed",
    }
    assert "| p99 ≤ 1 µs | ❌ failed |" in texts["markdown"]
    assert "1 of 2 thresholds failed: p99" in texts["markdown"]
    assert "block" not in texts["markdown"]
    assert "no interval" not in texts["markdown"]
    assert "httpdyno_response_time_p99_seconds{" in texts["openmetrics"]
    [row] = csv.DictReader(texts["csv"].splitlines())
    assert (row["load"], row["point"], row["error_share"]) == ("open load", "2,000/s", "0.0")
    [one, *_] = json.loads(texts["bencher"])
    assert one.startswith(f"load {url.replace('hidden', '***')} · server · open load · 2,000/s")


def test_a_closed_load_is_exported_by_its_throughput(
    called: Program, url: str, tmp_path: Path
) -> None:
    done = called("load", url, "-c", "2", "-n", "2000", *exports(tmp_path))
    assert done.returncode == 0, done.stderr
    assert list(cases(tmp_path / "junit")) == ["server · 2 connections"]
    metrics = (tmp_path / "openmetrics").read_text()
    assert "httpdyno_throughput_requests_per_second{" in metrics
    assert "response_time" not in metrics


def test_a_load_without_a_result_passes_no_test(
    called: Program, server: _engine.Reference, tmp_path: Path
) -> None:
    absent = f"http://{server.address}/absent"
    called("load", absent, "-n", "1200", "--fail-if", "p99>10s", *exports(tmp_path))
    assert cases(tmp_path / "junit") == {
        "p99 ≤ 10 s": "skipped",
        "server · 10 connections": "skipped",
    }
    assert "No result: " in (tmp_path / "markdown").read_text()


def test_an_export_is_an_output_as_the_others(called: Program, url: str) -> None:
    done = called("load", url, *BRIEFLY, "--export", "csv=-")
    assert done.stdout.startswith("run,origin,study")
    assert "requests/s" in done.stderr
    done = called("load", url, "--json", "x", "--export", "csv=./x", "--export", "html=y")
    assert done.returncode == USAGE
    assert "`--json` and `--export csv` both write to `x`" in done.stderr
    assert "`--export html=y`: expected FORMAT=FILE" in done.stderr
    done = called("load", url, "--export", "junit=absent/x")
    assert done.returncode == ENVIRONMENT
    assert "`--export junit absent/x` cannot be written" in done.stderr


def test_a_sweep_is_exported_with_a_cell_for_each_rate(
    called: Program, url: str, tmp_path: Path
) -> None:
    done = called("sweep", "load", url, *RATES, *exports(tmp_path))
    assert done.returncode == 0, done.stderr
    assert cases(tmp_path / "junit") == {"server · 500/s": "passed", "server · 1,000/s": "passed"}
    page = (tmp_path / "markdown").read_text()
    assert "2 rates, 500 to 1,000 requests/s, the first: open load, 500/s requests" in page
    assert "hidden" not in page
    rows = list(csv.DictReader((tmp_path / "csv").read_text().splitlines()))
    assert [row["rate_per_s"] for row in rows] == ["500.0", "1000.0"]


def test_in_a_job_of_github_a_load_writes_the_summary_and_annotates_its_failure(
    called: Program, url: str, job: Path
) -> None:
    done = called("load", url, *BRIEFLY, "--github", "--fail-if", "p99>1us")
    assert done.returncode == THRESHOLD_FAILED
    assert job.read_text().startswith("<!-- httpdyno: load-http-127-0-0-1-")
    *shown, annotation = done.stdout.splitlines()
    assert annotation.startswith("::error title=httpdyno::1 of 1 threshold failed: p99 ")
    assert shown[0].startswith("::stop-commands::")
    assert shown[-1] == f"::{shown[0].removeprefix('::stop-commands::')}::"


def test_in_a_job_of_github_a_good_load_annotates_nothing(
    called: Program, url: str, job: Path
) -> None:
    done = called("load", url, *BRIEFLY, "--github", "--quiet")
    assert done.returncode == 0
    assert "::error" not in done.stdout
    assert "right replies" in job.read_text()


def test_in_a_job_of_github_a_sweep_writes_the_summary(
    called: Program, url: str, job: Path
) -> None:
    done = called("sweep", "load", url, *RATES, "--github")
    assert done.returncode == 0
    assert "::error" not in done.stdout
    assert "### Sweep of " in job.read_text()


@pytest.mark.parametrize("verb", [("load",), ("sweep", "load")])
def test_a_server_that_cannot_be_reached_is_annotated_and_in_the_summary(
    called: Program, job: Path, verb: tuple[str, ...]
) -> None:
    rate = ("--rate", "100,200") if verb[0] == "sweep" else ()
    done = called(*verb, f"http://{CLOSED_AT}/", *rate, "--github")
    assert done.returncode == TARGET
    sentence = f"`{CLOSED_AT}` refused the connection: expected a server to listen there"
    assert f"::error title=httpdyno::{sentence}\n" in done.stdout
    assert job.read_text().startswith("### httpdyno could not measure\n")


def test_a_summary_that_cannot_be_written_fails_the_job(
    called: Program, url: str, job: Path
) -> None:
    job.mkdir()
    done = called("load", url, *BRIEFLY, "--github")
    assert done.returncode == ENVIRONMENT
    assert "::warning title=httpdyno::" in done.stdout


def test_outside_of_a_job_github_is_told_nothing(
    called: Program, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    done = called("load", url, *BRIEFLY, "--github", "--fail-if", "p99>1us")
    assert done.returncode == THRESHOLD_FAILED
    assert "::" not in done.stdout
    assert "`--github`: no summary was written: GITHUB_STEP_SUMMARY is not set" in done.stderr


def test_annotations_and_data_do_not_share_stdout(called: Program, url: str) -> None:
    for words in (["load", url, "--json", "-"], ["sweep", "load", url, *RATES, "--csv", "-"]):
        done = called(*words, "--github")
        assert done.returncode == USAGE
        assert "`--github` writes annotations to stdout" in done.stderr


def test_the_log_of_histograms_has_one_for_each_endpoint(
    called: Program, url: str, tmp_path: Path
) -> None:
    more = ["--also", "GET /delay/1 x3", "--hdr", f"{tmp_path / 'o.hlog'}"]
    done = called("load", url, *BRIEFLY, *more, "--json", f"{tmp_path / 'm.json'}", "-q")
    measured = json.loads((tmp_path / "m.json").read_text())["measurement"]
    lines = (tmp_path / "o.hlog").read_text().splitlines()
    assert lines[1] == "#[Histogram log format version 1.3]", done.stderr
    assert lines[3].startswith('"StartTimestamp","Interval_Length"')
    found = [line.rpartition(",")[2] for line in lines[4:]]
    each = [one["response"]["hdr"] for one in measured["endpoints"]]
    assert found == [measured["times"]["response"]["hdr"], *each]
    assert [line.partition(",")[0] for line in lines[5:]] == ["Tag=GET_/hello", "Tag=GET_/delay/1"]
