"""The report in a real browser, from the disk: every chart is interactive, nothing is fetched."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from httpdyno.report import write_report
from httpdyno.result import StudyResult
from sample import replay

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--window-size=1200,30000",
    "--run-all-compositor-stages-before-draw",
    "--virtual-time-budget=20000",
    "--dump-dom",
)


TRIES = 6
"""On a busy machine Chromium may dump the page before the charts come into view."""


def with_huge_numbers() -> StudyResult:
    """A result with numbers that no axis can hold."""
    raw = json.loads(replay(blocks=5).model_dump_json())
    raw["published"][0]["requests_per_s"] = 1e308
    for cell in raw["cells"][::3]:
        for name in ("throughput_per_s", "p50_s", "p99_s", "server_rss_bytes"):
            if cell[name]:
                cell[name]["value"] = cell[name]["high"] = 1e308
    return StudyResult.model_validate(raw)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
@pytest.mark.parametrize(
    "result", [replay(blocks=5), with_huge_numbers()], ids=["plausible", "huge numbers"]
)
def test_every_chart_becomes_interactive_and_the_console_stays_silent(
    result: StudyResult, tmp_path: Path
) -> None:
    page = write_report(result, tmp_path / "report").html
    for attempt in range(TRIES):
        shown = _open(page, tmp_path / f"profile-{attempt}")
        charts = len(re.findall(r'<div class="chart [a-z ]*" id=', shown.stdout))
        alive = len(re.findall(r'<div class="live[^"]*vega-embed', shown.stdout))
        assert charts > 5
        assert "CONSOLE" not in shown.stderr, shown.stderr
        if alive:
            break
    assert alive == charts
    assert 'class="still"' not in shown.stdout


def _open(page: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    """Open a local page in a browser with an empty profile."""
    assert CHROMIUM is not None
    return subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )
