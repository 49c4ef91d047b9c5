"""Output files: whole or absent, and one that fails does not take the others with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.cli.load.output.files import Outputs
from httpdyno.errors import EnvironmentFault


def _text() -> str:
    return "whole"


def test_a_file_takes_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("from an earlier run")
    with Outputs({"--json": str(path)}) as outputs:
        assert path.read_text() == "from an earlier run"
        outputs.write({"--json": _text})
        assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("from an earlier run")
    with pytest.raises(KeyboardInterrupt), Outputs({"--json": str(path)}):
        raise KeyboardInterrupt
    assert path.read_text() == "from an earlier run"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_loses_one_file_and_not_the_others(tmp_path: Path) -> None:
    other = tmp_path / "out.hgrm"
    with Outputs({"--json": "/dev/full", "--hdr": str(other)}) as outputs:
        with pytest.raises(EnvironmentFault) as fault:
            outputs.write({"--json": _text, "--hdr": _text})
        assert fault.value.message == (
            "`--json /dev/full` could not be written: No space left on device"
        )
    assert other.read_text() == "whole"


def test_all_paths_that_cannot_be_opened_are_told_at_once(tmp_path: Path) -> None:
    outputs = Outputs({"--json": str(tmp_path), "--hdr": "/absent/x", "--intervals": None})
    with pytest.raises(EnvironmentFault) as fault, outputs:
        pass
    assert "Is a directory" in fault.value.message
    assert "No such file or directory" in fault.value.message


def test_stdout_is_known_to_be_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with Outputs({"--json": "-"}) as outputs:
        assert outputs.to_stdout
        outputs.write({"--json": _text})
    assert capsys.readouterr().out == "whole"
    assert not Outputs({"--json": "a"}).to_stdout
