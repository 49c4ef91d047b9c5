"""The study in the guide to capacities."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from httpdyno.cli.main import run
from httpdyno.errors import ExitCode

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "how-much-can-it-take.md"


def test_the_study_of_the_guide_is_one_that_httpdyno_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = re.search(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    file = tmp_path / "cores.toml"
    file.write_text(found[1], encoding="utf-8")
    code = run(["run", str(file), "--dry-run"])
    told = capsys.readouterr()
    assert code == ExitCode.OK, told.err
    for arm in ("nginx/1-worker", "go/1-core", "node/1-process", "starlette/1-worker"):
        assert f"arm {arm}" in told.out
    assert "capacity: the highest rate with p99<20ms" in told.out
