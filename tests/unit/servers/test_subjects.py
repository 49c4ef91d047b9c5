"""Subjects that a user names are found: revisions, commands, files, arms, URLs and results."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository
from httpdyno.errors import UsageError
from httpdyno.servers import load_catalogue
from httpdyno.servers.subjects import LONGEST_NAME, Subject, distinct_names, subject
from sample import replay
from small_server import write_server


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    repository = Repository(tmp_path)
    repository.commit("First", app_py="one\n")
    repository.branch("my-branch")
    repository.branch("tornado")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(given: str, folder: Path) -> Subject:
    return subject(given, load_catalogue(), folder)


@pytest.mark.parametrize(
    ("given", "kind", "name"),
    [
        ("main", "revision", "main"),
        ("HEAD", "revision", "HEAD"),
        ("git:tornado", "revision", "tornado"),
        (".", "revision", "the work tree"),
        ("WORKTREE", "revision", "the work tree"),
        ("nginx", "arm", "nginx/1-worker"),
        ("nginx/4-workers", "arm", "nginx/4-workers"),
        ("arm:tornado", "arm", "tornado/1-process"),
        ("http://127.0.0.1:3000", "url", "127.0.0.1:3000"),
        ("https://localhost/", "url", "localhost"),
        ("unix:///tmp/app.sock", "url", "tmp/app.sock"),
        ("cmd:uvicorn slow:app --port {port}", "command", "uvicorn slow:app"),
        ("cmd:./server {port}", "command", "./server"),
        ("cmd:./server --listen={host}:{port} -v", "command", "./server -v"),
        ("cmd:/usr/bin/server", "command", "usr/bin/server"),
    ],
)
def test_a_name_says_what_it_is(place: Path, given: str, kind: str, name: str) -> None:
    found = named(given, place)
    assert (found.kind, found.name, found.given) == (kind, name, given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tornado", "is a revision and an arm of the catalogue\nhint: write `git:tornado` or"),
        ("nothing", "is neither a revision of the repository in"),
        ("git:nginx", "`git:nginx` is not a revision of the repository in"),
        ("git:ngin", "\nhint: `git log --oneline --all` shows the revisions"),
        ("http://h/x#y", "hint: compare `http://h`, with `--path /x`"),
        ("nginx/9-workers", "`9-workers` is not a deployment of `nginx`: expected `1-worker`"),
        ("zeus", "`zeus` is unavailable: a commercial product"),
        ("ngin", "did you mean `nginx`? `git log"),
        ("main2", "did you mean `main`? `git log"),
        ("arm:ngin", "servers of the catalogue: did you mean `nginx`?"),
        ("cmd:", "has no command"),
        (
            "http://127.0.0.1:3000/items?page=2",
            "only scheme, host and port\nhint: compare `http://127.0.0.1:3000`, with `--path"
            " '/items?page=2'`",
        ),
        ("http://127.0.0.1:99999", "from 1 to 65535"),
        ("missing.json", "does not exist: expected a server.toml or a result"),
        ("missing.toml:threads", "does not exist"),
        ("~nobody-has-this-name/a.toml", "does not exist: expected a server.toml"),
        ("~nobody-has-this-name/a.toml:threads", "does not exist: expected a server.toml"),
        ("~nobody-has-this-name/mine.toml/threads", "is neither a revision"),
    ],
)
def test_a_name_of_nothing_or_of_two_things_is_refused(place: Path, given: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        named(given, place)
    assert said in str(refused.value)


@pytest.mark.parametrize("given", [".", "WORKTREE", "git:main"])
def test_a_revision_outside_of_a_repository_is_the_same_fault_as_in_ci(
    given: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="is in no git repository: expected a clone"):
        named(given, tmp_path)


def test_a_server_toml_is_named_by_its_file_or_folder(place: Path) -> None:
    file = write_server(place, "mine")
    for given, name in (
        ("mine", "mine"),
        ("mine/server.toml", "mine"),
        ("mine/server.toml:1-process", "mine/1-process"),
    ):
        found = named(given, place)
        assert (found.kind, found.name) == ("file", name)
        assert found.deployment is not None
        assert found.deployment.file is not None
        assert (found.deployment.file.resolve(), found.deployment.name) == (file, "1-process")


def test_a_result_is_named_by_its_file_or_folder_and_perhaps_an_arm(place: Path) -> None:
    (place / "before").mkdir()
    (place / "before" / "result.json").write_text(replay(1).model_dump_json())
    for given, part in (
        ("before", None),
        ("before/result.json", None),
        ("before/result.json:tornado/1-process", "tornado/1-process"),
    ):
        found = named(given, place)
        assert (found.kind, found.part) == ("result", part)


def test_the_folder_of_the_repository_is_its_work_tree_and_no_server(place: Path) -> None:
    write_server(place, "mine")
    (place / "server.toml").write_text((place / "mine" / "server.toml").read_text())
    assert named(".", place).kind == "revision"


def test_a_whole_commit_is_shown_by_its_first_digits(place: Path) -> None:
    commit = Repository(place).git("rev-parse", "HEAD")
    assert named(commit, place).name == commit[:10]


def test_two_subjects_never_have_one_name(place: Path) -> None:
    main, same = named("main", place), named("main", place)
    assert distinct_names(main, same) == ("main (A)", "main (B)")
    assert distinct_names(main, named("HEAD", place)) == ("main", "HEAD")
    Repository(place).commit("Second", app_py="two\n")
    Repository(place).git("branch", "--force", "main")
    first, second = distinct_names(main, named("main", place))
    assert first != second
    assert first.startswith("main (")
    odd = named("git:my-branch", place)
    assert distinct_names(odd, odd) == ("my-branch (A)", "my-branch (B)")


def test_long_commands_that_differ_have_names_that_differ_and_show_their_ends(place: Path) -> None:
    folder = "/home/someone/project/.venv/bin/python3 /home/someone/servers"
    names = [
        named(f"cmd:{folder}/{file}.py {{port}} {size}", place).name
        for file, size in (("server", 500), ("server", 547), ("queue", 500))
    ]
    assert len(set(names)) == 3
    assert [name.rpartition(" (")[0] for name in names] == [
        "python3 server.py 500",
        "python3 server.py 547",
        "python3 queue.py 500",
    ]
    long = [named(f"cmd:./{'flag-' * 20}{end} --port {{port}}", place).name for end in "ab"]
    assert len(set(long)) == 2
    assert all(len(name) <= LONGEST_NAME for name in long)
    assert [name.rpartition(" (")[0][-6:] for name in long] == ["flag-a", "flag-b"]
    same = named(f"cmd:{folder}/server.py {{port}} 500", place)
    first, second = distinct_names(same, same)
    assert (first, second) == (f"{names[0]} (A)", f"{names[0]} (B)")
