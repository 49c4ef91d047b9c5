"""A scheduler that is not there is reported in words, without objects of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import Process

pytest.importorskip("distributed", reason="`distributed` of the extra `scale` is not installed")

NOWHERE = "tcp://127.0.0.1:1"


def test_a_load_says_why_its_scheduler_cannot_be_reached(tmp_path: Path) -> None:
    load = Process(["load", "http://127.0.0.1:1/", "--on", NOWHERE], tmp_path)
    assert load.wait() == 4, load.text
    assert f"the scheduler `{NOWHERE}` cannot be reached: Connection refused\n" in load.text


def test_a_worker_says_why_its_scheduler_cannot_be_joined(tmp_path: Path) -> None:
    worker = Process(["worker", NOWHERE, "--rejoin", "1s"], tmp_path)
    assert worker.wait() == 4, worker.text
    assert f"error: `{NOWHERE}` cannot be joined: Connection refused\n" in worker.text
