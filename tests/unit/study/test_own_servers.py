"""A study names a server of one's own by its file, relative to the study."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.errors import UsageError
from httpdyno.run import catalogue_of, read_study
from httpdyno.servers import load_catalogue

STUDY = """\
title = "t"
baseline = "mine/fast"
[[arms]]
server = "{first}"
deployments = ["fast"]
[[arms]]
server = "{second}"
deployments = ["{deployment}"]
[loads.x]
kind = "closed"
duration = 1
arms = ["mine/fast"]
"""
SERVER = """\
name = "{name}"
[deployments.fast]
command = ["true"]
[deployments.slow]
command = ["true"]
"""


def write(folder: Path, first: str, second: str = "tornado", deployment: str = "1-process") -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "mine.toml"
    file.write_text(STUDY.format(first=first, second=second, deployment=deployment))
    return file


def server(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    (folder / "server.toml").write_text(SERVER.format(name=name))


@pytest.mark.parametrize("given", ["./own/server.toml", "own/server.toml", "./own", "{absolute}"])
def test_a_server_may_be_named_by_its_file_or_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    server(tmp_path / "study" / "own", "mine")
    given = given.format(absolute=tmp_path / "study" / "own" / "server.toml")
    file = write(tmp_path / "study", given)
    monkeypatch.chdir(tmp_path)
    for name in (file, file.relative_to(tmp_path)):
        study = read_study(name, load_catalogue())
        assert [arm.server for arm in study.arms] == ["mine", "tornado"]
        monkeypatch.chdir(tmp_path)
        catalogue = catalogue_of(study, [])
        assert catalogue.get("mine").folder == tmp_path / "study" / "own"
        assert "tornado" in catalogue.names()


def test_two_arms_may_name_one_file(tmp_path: Path) -> None:
    server(tmp_path / "own", "mine")
    study = read_study(write(tmp_path, "./own", "./own/../own", "slow"), load_catalogue())
    assert [(arm.server, arm.deployments) for arm in study.arms] == [
        ("mine", ("fast",)),
        ("mine", ("slow",)),
    ]


def faults(file: Path) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read_study(file, load_catalogue())
    return [line.removeprefix(f"{file}:") for line in caught.value.message.splitlines()]


def test_a_file_that_is_no_server_is_told_with_the_line_that_names_it(tmp_path: Path) -> None:
    (told,) = faults(write(tmp_path, "./none/server.toml"))
    assert told.startswith("4: `./none/server.toml`: ")
    assert "does not exist" in told
    server(tmp_path / "own", "mine")
    (tmp_path / "own" / "server.toml").write_text('label = "x"\n')
    told, *more = faults(write(tmp_path, "./own"))
    assert told.startswith("4: `./own`: ")
    assert more, "all of its faults come at once"


def test_a_deployment_that_it_does_not_have_is_a_fault(tmp_path: Path) -> None:
    server(tmp_path / "own", "mine")
    (told,) = faults(write(tmp_path, "./own", "./own", "slwo"))
    assert told == "8: `slwo` is not a deployment of `mine`: did you mean `slow`?"


def test_two_servers_of_one_name_are_a_fault(tmp_path: Path) -> None:
    server(tmp_path / "one", "mine")
    server(tmp_path / "two", "mine")
    (told,) = faults(write(tmp_path, "./one", "./two", "slow"))
    assert told.startswith("7: `./two` has the name `mine`, which the server of another arm has")
    server(tmp_path / "three", "tornado")
    (told,) = faults(write(tmp_path, "./three"))
    assert told.startswith("4: `./three` has the name `tornado`, which the server of another arm")


def test_a_study_does_not_say_where_its_servers_are_in_its_own_words(tmp_path: Path) -> None:
    server(tmp_path / "own", "mine")
    file = write(tmp_path, "./own")
    file.write_text('server_files = ["./own"]\n' + file.read_text())
    assert faults(file) == ["1: `server_files` is not a key of a study"]
