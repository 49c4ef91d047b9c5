"""Output files: whole or absent, and one that fails does not take the others with it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from httpdyno.cli.faults import Faults
from httpdyno.cli.load.output.files import Outputs
from httpdyno.cli.load.output.outcome import judge_load
from httpdyno.cli.load.output.summary import summary
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.result import Reason
from httpdyno.verdict import Verdict

from .measurements import measurement
from .plans import plan
from .test_load_summary import quantiles, shown


def _text() -> str:
    return "whole"


def test_looking_at_the_files_before_the_run_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("from an earlier run")
    Outputs({"--json": str(path), "--hdr": str(tmp_path / "new")}).demand_writable()
    assert path.read_text() == "from an earlier run"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_loses_one_file_and_not_the_others(tmp_path: Path) -> None:
    other = tmp_path / "out.hgrm"
    outputs = Outputs({"--json": "/dev/full", "--hdr": str(other)})
    fault = outputs.write({"--json": _text, "--hdr": _text})
    assert fault is not None
    assert fault.message == "`--json /dev/full` cannot be written: No space left on device"
    assert other.read_text() == "whole"


def test_all_paths_that_cannot_be_written_are_reported_at_once(tmp_path: Path) -> None:
    outputs = Outputs({"--json": str(tmp_path), "--hdr": "/absent/x", "--intervals": None})
    with pytest.raises(EnvironmentFault) as fault:
        outputs.demand_writable()
    assert "Is a directory" in fault.value.message
    assert "No such file or directory" in fault.value.message
    assert fault.value.hint == "mkdir -p /absent"


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_stdout_has_several_names(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    outputs = Outputs({"--json": name})
    assert outputs.to_stdout
    assert outputs.write({"--json": _text}) is None
    assert capfd.readouterr().out == "whole"
    assert not Outputs({"--json": "a"}).to_stdout


@pytest.mark.parametrize(
    ("one", "other"), [("a", "./a"), ("-", "/dev/stdout"), ("link", "a"), ("/dev/fd/1", "-")]
)
def test_two_outputs_for_one_place_are_refused(
    one: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("a")
    faults = Faults("help")
    Outputs({"--json": one, "--hdr": other}).check(faults)
    with pytest.raises(UsageError, match="both write to"):
        faults.raise_any()


def test_two_outputs_may_both_be_thrown_away() -> None:
    faults = Faults("help")
    Outputs({"--json": os.devnull, "--hdr": os.devnull}).check(faults)
    faults.raise_any()


def test_each_second_of_the_window_has_a_line_even_if_nothing_happened_in_it() -> None:
    silent = measurement(window_s=4.5)
    outcome = judge_load("http://h/", plan(), silent, ())
    lines = [json.loads(line) for line in outcome.files()["--intervals"]().splitlines()]
    assert [(line["second"], line["ok"]) for line in lines] == [(0, 480), (1, 520), (2, 0), (3, 0)]
    assert lines[2].keys() == lines[0].keys()


def test_the_silent_seconds_at_the_end_of_the_window_are_drawn() -> None:
    text = shown(plan(), measurement(window_s=5.0))
    (line,) = [one for one in text.splitlines() if one.startswith("by second")]
    assert line.split()[2:] == ["▇█", "0/s", "to", "520/s"]


@pytest.mark.parametrize("code", ["server_starved", "generator_stopped", "stopped_answering"])
def test_more_connections_are_not_proposed_where_something_else_kept_the_server_idle(
    code: str,
) -> None:
    of = plan(load={"kind": "closed", "connections": 10})
    other = Reason(code=code, status="suspect", text="something else", hint="", doubts=())
    judged = Verdict("suspect", (other,))
    text = summary("http://h/", of, measurement(), judged, (), quantiles, 80, 0.04)
    assert "may limit the throughput" not in text
