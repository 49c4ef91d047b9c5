"""A study of a real server that cannot keep up: what each trial says of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import loaded_program
import pytest
from httpdyno.store import open_store
from small_server import APP, write_server

pytestmark = pytest.mark.slow

STUDY = """\
title = "Overload"
workload = "hello"
blocks = 1
warm_up = "1s"
[[arms]]
server = "slow"
deployments = ["1-process"]
[loads.rates]
kind = "requests"
rate = [40, 2000]
connections = 4
duration = "1s"
"""
SLOW = APP.replace("self.transport.write(", "time.sleep(0.05), self.transport.write(", 1)


def test_a_study_calls_overload_after_a_warm_up_overload(tmp_path: Path) -> None:
    # 50 ms a reply, one after the other, are twenty a second.
    server = write_server(tmp_path, "slow")
    (server.parent / "app.py").write_text("import time\n" + SLOW)
    (tmp_path / "slow.toml").write_text(STUDY)
    own = {f"HTTPDYNO_{name}": str(tmp_path / name) for name in ("CACHE", "STATE", "DATA")}
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    flags = ["--server", str(server), "--results", str(tmp_path / "results")]
    done = subprocess.run(
        [sys.executable, loaded_program.__file__, "run", str(tmp_path / "slow.toml"), *flags],
        env={**os.environ, **own, **paths},
        capture_output=True,
        text=True,
        check=False,
    )
    trials = open_store(f"sqlite:///{tmp_path / 'DATA' / 'results.sqlite'}").trials(1)
    assert len(trials) == 2, done.stderr
    for trial in trials:
        codes = [reason.code for reason in trial.reasons]
        assert "overload" in codes
        assert "unsent" not in codes
        assert not any("--" in one.hint for one in trial.reasons if one.code != "no_reply")
    (never,) = [trial for trial in trials if trial.point == "2,000/s"]
    assert [reason.code for reason in never.reasons][:2] == ["no_reply", "overload"]
