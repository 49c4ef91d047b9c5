"""The key `data` of a workload: files whose columns are placeholders."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.engine_plan import DataFile, names_of, parse_data, written_data
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.run import read_study
from httpdyno.running.own import context_of
from httpdyno.servers import load_catalogue
from httpdyno.servers.check.answers import request_bytes
from httpdyno.study import Study

ARM = '[[arms]]\nname = "mine"\nurl = "http://127.0.0.1:3000"\n'
LOAD = '[loads.one]\nkind = "closed"\nduration = 1\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "users.csv").write_text("id,email\n7,ann@x\n8,bob@x\n")
    return tmp_path


def read(folder: Path, data: str, path: str = "/{users.id}") -> Study:
    file = folder / "own.toml"
    requests = f'[[workloads.shop.requests]]\npath = "{path}"\n'
    file.write_text(f'title = "Own"\n{ARM}[workloads.shop]\ndata = {data}\n{requests}{LOAD}')
    return read_study(file, load_catalogue())


def faults(folder: Path, data: str, path: str = "/{users.id}") -> str:
    with pytest.raises(UsageError) as caught:
        read(folder, data, path)
    return caught.value.message.replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("text", "name", "file", "order"),
    [
        ("users.csv", "users", "users.csv", "in_order"),
        ("a/users.csv:once", "users", "a/users.csv", "once"),
        ("people=./u-1.csv:random", "people", "./u-1.csv", "random"),
        ("people=a=b:c.csv", "people", "a=b:c.csv", "in_order"),
    ],
)
def test_a_data_file_is_named_as_its_file_or_as_it_is_said(
    text: str, name: str, file: str, order: str
) -> None:
    found = parse_data(text)
    assert (found.name, found.file, found.order) == (name, file, order)
    assert parse_data(written_data(found)) == found


@pytest.mark.parametrize("text", ["", ":once", "u-1.csv", "a b.csv", "users="])
def test_a_data_file_without_a_name_for_placeholders_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_data(text)


def test_two_data_files_differ_in_their_names(folder: Path) -> None:
    users = DataFile(name="users", file=str(folder / "users.csv"))
    assert names_of([users]) == ["users.id", "users.email"]
    with pytest.raises(ValueError, match="2 data files are called `users`"):
        names_of([users, users])


def test_the_files_of_a_workload_are_found_from_its_folder_and_checks_send_the_first_row(
    folder: Path,
) -> None:
    study = read(folder, '["users.csv:random"]', "/{users.id}?{users.email}")
    workload = context_of(study).workloads["shop"]
    assert workload.data == (f"users={folder}/users.csv:random",)
    (exchange,) = workload.measured
    assert exchange.varies
    assert exchange.right == "any"
    line = request_bytes("h", 80, exchange).split(b"\r\n")[0]
    assert line in {b"GET /7?ann%40x HTTP/1.1", b"GET /8?bob%40x HTTP/1.1"}
    in_order = read(folder, '["users.csv"]')
    (exchange,) = context_of(in_order).workloads["shop"].measured
    assert request_bytes("h", 80, exchange).startswith(b"GET /7 HTTP/1.1\r\n")


def test_faults_have_the_line_of_their_key(folder: Path) -> None:
    assert "own.toml:6: `data`: `gone.csv` cannot be read" in faults(folder, '["gone.csv"]')
    found = faults(folder, '["users.csv"]', "/{users.mail}")
    assert "own.toml:8: `path`: column 2: `{users.mail}`: `users.mail` is no placeholder" in found
    assert "or a known name: `{users.id}`, `{users.email}`" in found
    assert "own.toml:6: " in faults(folder, "7")
    assert "own.toml:6: " in faults(folder, '["a-b.csv"]')


def test_a_study_repeats_its_measurements_and_so_cannot_use_rows_once(folder: Path) -> None:
    found = faults(folder, '["users.csv:once"]')
    assert "own.toml:6: the workload `shop` uses each row of `users` once" in found


def test_a_file_that_is_gone_when_the_study_runs_is_a_fault_of_the_machine(folder: Path) -> None:
    study = read(folder, '["users.csv"]')
    (folder / "users.csv").unlink()
    with pytest.raises(EnvironmentFault, match=r"the data of the workload `shop`: .*users\.csv"):
        context_of(study)
