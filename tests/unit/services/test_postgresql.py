"""A PostgreSQL of one run: the pinned one, and that of Debian."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psycopg
import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.services import programs as of_programs
from httpdyno.services.database import Counters
from httpdyno.services.postgresql import PostgreSQL
from httpdyno.services.programs import Version, programs
from httpdyno.workloads import world


@pytest.mark.parametrize("version", ["18", "debian"])
def test_it_is_filled_reset_counted_and_ended(version: Version, tmp_path: Path) -> None:
    if version == "debian" and not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    log = tmp_path / "db.log"
    with PostgreSQL(programs(version, print), None, "db", log) as server:
        one = server.database
        one.fill(world.statements())
        one.reset()
        one.reset_counters()
        with psycopg.connect(one.address, autocommit=True) as rows:
            found = rows.execute("SELECT id, randomnumber FROM world WHERE id = 3217").fetchone()
            rows.execute("UPDATE world SET randomnumber = 1 WHERE id < 11")
            assert one.connections() == 1
        assert found == (3217, world.number_of(3217))
        assert one.counters(["world"]) == Counters(2, 1, 1, 10)
        assert one.number(world.CHANGED) == 10
        meter = server.usage_meter()
        assert meter is not None
        assert meter.snapshot().cpu_s > 0
        one.reset()
        assert one.number(world.CHANGED) == 0
    assert not server.exit_code
    assert meter.snapshot().processes == 0
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(one.address)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs it as a user who cannot reach them")
def test_programs_behind_a_link_into_a_closed_folder_are_copied(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    closed = tmp_path / "closed"
    closed.symlink_to(programs("18", print))
    with tempfile.TemporaryDirectory() as opened:
        Path(opened).chmod(0o755)
        link = Path(opened) / "programs"
        link.symlink_to(closed)
        with PostgreSQL(link, None, "db", tmp_path / "db.log") as server:
            assert server.exit_code is None


def test_an_archive_with_another_digest_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"not this one")
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(of_programs, "_ADDRESS", other.as_uri())
    with pytest.raises(EnvironmentFault, match="has the SHA-256"):
        programs("18", print)
    assert not list((tmp_path / "cache").rglob("bin"))
