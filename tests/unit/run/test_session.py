"""The beginning of a run."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.running.options import RunOptions
from httpdyno.running.results_folder import default_results
from httpdyno.running.session import begin
from httpdyno.servers import load_catalogue
from httpdyno.store import open_store
from httpdyno.study import load_study


def test_a_run_that_cannot_be_stored_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"HTTPDYNO_{name}", str(tmp_path / name))
    store = open_store(f"sqlite:///{tmp_path / 'results.sqlite'}")
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as file:
        file.execute("ALTER TABLE runs RENAME TO gone")
    with pytest.raises(EnvironmentFault):
        begin(store, load_study("demo"), load_catalogue(), RunOptions([]))
    assert list(default_results().iterdir()) == []
