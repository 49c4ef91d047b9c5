"""Two runs on one machine: one after the other, each with a folder of its own."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.running.results_folder import new_folder
from study_place import Place, end, read_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def without_folder(place: Place) -> list[str]:
    arguments = place.arguments()
    return place.program(*arguments[: arguments.index("--results")])


def test_a_second_run_waits_for_the_first_and_says_for_which(place: Place) -> None:
    place.study(good=place.counted())
    place.hold(2)
    first = place.spawn(without_folder(place))
    place.wait_for("server/held", first)
    second = place.spawn(without_folder(place))
    said = read_until(second, "waiting for")
    assert f"`httpdyno run {place.home}/small.toml" in said
    assert re.search(rf"\(pid {first.pid}\) to end \(about [0-9]+ s left\): two runs", said), said
    place.hold(None)
    for run in (first, second):
        _, stderr = run.communicate()
        assert run.returncode == 0, stderr
    folders = list((place.home / "DATA" / "results").iterdir())
    assert len(folders) == 2
    assert all((folder / "result.json").is_file() for folder in folders)
    assert [len(place.store.trials(run)) for run in (1, 2)] == [2, 2]


def test_a_run_does_not_wait_for_one_that_was_killed(place: Place) -> None:
    place.study(good=place.counted())
    place.hold(1)
    run = place.start()
    place.wait_for("server/held", run)
    end(run, signal.SIGKILL)
    place.hold(None)
    done = place.run()
    assert (done.returncode, "waiting" in done.stderr) == (0, False), done.stderr


def test_a_report_from_the_store_waits_for_no_run(place: Place) -> None:
    place.study(good=place.counted())
    assert place.run().returncode == 0
    (place.home / "server" / "starts").unlink()
    place.hold(1)
    long = place.spawn([*without_folder(place), "--seed", "2"])
    place.wait_for("server/held", long)
    resumed = place.run("--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert place.call("report", "small").returncode == 0
    assert long.poll() is None
    end(long, signal.SIGTERM)


def test_each_new_folder_is_one_that_was_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path / "data"))
    folders = [new_folder("demo") for _ in range(20)]
    assert len(set(folders)) == 20
    assert all(folder.is_dir() and folder.name.startswith("demo-") for folder in folders)


def test_a_file_in_the_place_of_the_results_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path))
    (tmp_path / "results").write_text("")
    with pytest.raises(EnvironmentFault, match="results` cannot be written"):
        new_folder("demo")
