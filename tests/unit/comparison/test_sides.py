"""Each subject becomes an arm of a study with a name of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository
from httpdyno.comparison.arms.sides import Commands, Side, side
from httpdyno.comparison.loads import full_speed, same_rate
from httpdyno.comparison.study import comparison_keys, comparison_study, get_path
from httpdyno.errors import UsageError
from httpdyno.plan import Plan
from httpdyno.servers import load_catalogue
from httpdyno.servers.subjects import distinct_names, subject
from httpdyno.study.read import parse_study
from httpdyno.study.write import toml_of
from small_server import write_server

COMMANDS = Commands(start="./server {port}", env={"MODE": "fast"}, cores=2)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sides(a: str, b: str, commands: Commands = COMMANDS) -> list[Side]:
    one, other = (subject(given, load_catalogue(), Path.cwd()) for given in (a, b))
    names = distinct_names(one, other)
    pairs = zip((one, other), names, strict=True)
    return [side(given, name, commands, lambda _: None) for given, name in pairs]


def names_in_a_study(found: list[Side]) -> list[str]:
    names = (found[0].name, found[1].name)
    work, loads = get_path("/", any_body=False), full_speed(10, 2.0)
    arms = [one.arm for one in found]
    keys = comparison_keys(arms, names, work, loads, blocks=1, seed=1, warm_up=1.0)
    made = [one.server for one in found if one.server is not None]
    study = comparison_study(keys, names, load_catalogue().and_also(made))
    return [arm.name for arm in Plan(study).arms]


@pytest.mark.parametrize(
    ("a", "b", "names"),
    [
        ("cmd:./old {port}", "cmd:./new {port}", ["./old", "./new"]),
        ("cmd:./new {port}", "cmd:./new {port}", ["./new (A)", "./new (B)"]),
        ("nginx/1-worker", "nginx", ["nginx (A)/1-worker", "nginx (B)/1-worker"]),
        ("nginx", "tornado", ["nginx/1-worker", "tornado/1-process"]),
        ("one/good", "two/good", ["good (A)/1-process", "good (B)/1-process"]),
        ("http://127.0.0.1:1", "http://127.0.0.1:2", ["127.0.0.1:1", "127.0.0.1:2"]),
        ("git:a/b", "git:a-b", ["a/b (A)", "a-b (B)"]),
    ],
)
def test_the_arms_of_a_study_have_the_names_of_the_sides(
    place: Path, a: str, b: str, names: list[str]
) -> None:
    for folder in ("one", "two"):
        write_server(place / folder, "good")
    repository = Repository(place)
    repository.commit("First")
    for branch in ("a/b", "a-b"):
        repository.branch(branch)
    found = sides(a, b)
    assert [one.name for one in found] == names
    assert names_in_a_study(found) == names


def test_a_side_of_the_same_content_and_commands_is_the_same_build(place: Path) -> None:
    repository = Repository(place)
    repository.commit("First", app_py="one\n")
    repository.git("branch", "other")
    main, other = sides("git:main", "git:other")
    assert main.content == other.content
    changed = sides("git:main", "git:other", Commands(start="./other {port}"))[0]
    assert changed.content != main.content


def test_a_revision_with_a_server_toml_needs_no_command(place: Path) -> None:
    repository = Repository(place)
    file = write_server(place, "good")
    for name in ("server.toml", "app.py"):
        (file.parent / name).rename(place / name)
    repository.commit("A server of httpdyno")
    found = sides("git:main", "HEAD", Commands())
    assert [one.name for one in found] == ["main/1-process", "HEAD/1-process"]
    assert all(one.server is not None for one in found)
    (place / "server.toml").unlink()
    repository.commit("None")
    with pytest.raises(UsageError, match="`--start` is missing"):
        sides("git:main", "HEAD", Commands())


def test_a_result_is_a_baseline_only(place: Path) -> None:
    (place / "before.json").write_text("{}")
    with pytest.raises(UsageError, match="expected it as the first of the two"):
        sides("nginx", "before.json")


def test_the_study_beside_the_report_can_be_run_again(place: Path) -> None:
    found = sides("cmd:./old {port} 'a b'", "nginx")
    work, loads = (
        get_path("/items?x=1", any_body=False),
        {**full_speed(8, 2.0), **same_rate(480, 2.0)},
    )
    names = (found[0].name, found[1].name)
    keys = comparison_keys(
        [one.arm for one in found],
        names,
        work,
        loads,
        blocks=7,
        seed=3,
        warm_up=0.5,
    )
    study = comparison_study(keys, names, load_catalogue())
    again = parse_study(toml_of(keys), place / "study.toml")
    assert again.model_dump_json() == study.model_dump_json()
