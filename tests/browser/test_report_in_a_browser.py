"""The report in a real browser, from the disk: every chart comes alive, nothing is fetched."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from httpdyno.report import write_report
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
"""Chromium dumps the page when it likes: on a busy machine before the charts come into view."""


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_every_chart_becomes_interactive_and_the_console_stays_silent(tmp_path: Path) -> None:
    page = write_report(replay(blocks=5), tmp_path / "report").html
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
    """Show a page of the disk in a browser without history."""
    assert CHROMIUM is not None
    return subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )
