"""Data files of `load --on`: every machine has its rows, and no row is sent twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from httpdyno.engine_plan import ClosedLoad, DataFile, EnginePlan, Stop, Target
from httpdyno.errors import UsageError
from httpdyno.scale.generator import MOST_DATA_BYTES, _files
from machines import Machines
from request_recorder import recording


@pytest.mark.slow
def test_two_machines_send_each_row_once(machines: Machines, tmp_path: Path) -> None:
    file = tmp_path / "users.jsonl"
    file.write_text("".join(f'{{"id": {row}}}\n' for row in range(301)))
    with recording() as server:
        ran = machines.run(
            *("load", f"{server.url}/{{users.id}}", "--on", str(machines.hosts), "-c", "4"),
            *("--values", f"{file}:once", "--duration", "30s"),
        )
    assert ran.returncode == 0, ran.stderr
    sent = Counter(request.split(b" ")[1].decode() for request in server.requests if request)
    assert sent == {f"/{row}": 1 for row in range(301)}


@pytest.mark.slow
def test_a_wrong_row_is_named_by_the_name_of_its_file(machines: Machines, tmp_path: Path) -> None:
    file = tmp_path / "users.csv"
    file.write_text("id,b\n1,2\n3\n")
    with recording() as server:
        ran = machines.run(
            *("load", f"{server.url}/{{users.id}}", "--on", str(machines.hosts), "-n", "9"),
            *("--values", str(file)),
        )
    assert ran.returncode != 0
    assert "users.csv`, line 3: 1 value, but 2 columns" in ran.stderr
    assert not server.requests


def test_data_that_is_too_large_for_every_machine_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "users.csv"
    file.write_bytes(b"id\n" + b"1\n" * (MOST_DATA_BYTES // 2))
    plan = EnginePlan(
        target=Target(),
        data=[DataFile(name="users", file=str(file))],
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
    )
    with pytest.raises(UsageError, match=r"67,108,867 bytes.* expected at most 67,108,864"):
        _files(plan)
