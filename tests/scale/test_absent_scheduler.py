"""A scheduler that is not there is reported in words, without objects of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from machines import Process

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")

NOWHERE = "tcp://127.0.0.1:1"
WHY = "(Connection refused|no answer in time)"  # Dask cancels an attempt that a busy machine delays


def test_a_load_says_why_its_scheduler_cannot_be_reached(tmp_path: Path) -> None:
    load = Process(["load", "http://127.0.0.1:1/", "--on", NOWHERE], tmp_path)
    assert load.wait() == 4, load.text
    assert re.search(rf"the scheduler `{NOWHERE}` cannot be reached: {WHY}\n", load.text)


def test_a_worker_says_why_its_scheduler_cannot_be_joined(tmp_path: Path) -> None:
    worker = Process(["worker", NOWHERE, "--rejoin", "1s"], tmp_path)
    assert worker.wait() == 4, worker.text
    assert re.search(rf"error: `{NOWHERE}` cannot be joined: {WHY}\n", worker.text)
