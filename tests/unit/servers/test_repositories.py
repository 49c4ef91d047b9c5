"""A server from git is built from one commit, which is fetched once and can harm nothing."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest
from git_repository import Repository
from httpdyno.errors import UsageError
from httpdyno.servers import Installation, Server, ServerFailure, install
from httpdyno.servers.installation import digest, repositories

from .conftest import TOML, MakeServer

ADDRESS = "https://git.example.org/team/app.git"
FROM_GIT = """\
kind = "git"

[install.repositories.app]
address = "{address}"
commit  = "{commit}"

[build]
command = ["cp", "{{prefix}}/git/app/app.py", "built.py"]
"""


@pytest.fixture
def git_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's git settings: the address is a clone in the folder `origin`."""
    file = tmp_path / "gitconfig"
    file.write_text(f'[url "{tmp_path}/origin"]\n\tinsteadOf = {ADDRESS}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return file


@pytest.fixture
def origin(tmp_path: Path, git_config: Path) -> Repository:
    made = Repository(tmp_path / "origin")
    made.commit("First", app_py="first = 1\n", data_txt="some data\n")
    return made


def toml_of(commit: str, address: str = ADDRESS) -> str:
    """The server.toml of a server that is built from that commit."""
    return TOML.replace('kind = "none"\n', FROM_GIT.format(address=address, commit=commit))


def built(done: Installation) -> str:
    """The content of the file that the build copied out of the repository."""
    return (done.source / "built.py").read_text(encoding="utf-8")


def failure(server: Server) -> ServerFailure:
    """The failure of its installation."""
    with pytest.raises(ServerFailure) as error:
        install(server)
    assert error.value.stage == "install"
    return error.value


def test_a_server_is_built_from_its_commit_although_the_branch_moved_on(
    make_server: MakeServer, origin: Repository
) -> None:
    first = origin.git("rev-parse", "HEAD")
    second = origin.commit("Second", app_py="second = 2\n")
    told: list[str] = []
    done = install(make_server(toml=toml_of(first)), report=told.append)
    assert told[0] == f"mine: fetching {ADDRESS} at {first}"
    assert (built(done), done.version) == ("first = 1\n", "1.2.3")
    assert sorted(file.name for file in done.repositories.rglob("*")) == [
        "app",
        "app.py",
        "data.txt",
    ]
    newer = install(make_server(toml=toml_of(second)))
    assert newer.prefix != done.prefix
    assert built(newer) == "second = 2\n"


def test_a_commit_is_fetched_once_and_then_needs_no_network(
    make_server: MakeServer, origin: Repository
) -> None:
    commit = origin.git("rev-parse", "HEAD")
    first = install(make_server(toml=toml_of(commit)))
    shutil.rmtree(origin.folder)
    other = install(make_server(toml=toml_of(commit), app="another = 'app'\n"))
    assert first.prefix != other.prefix
    assert built(other) == built(first)


def test_a_damaged_copy_in_the_cache_is_fetched_again(
    make_server: MakeServer, origin: Repository, tmp_path: Path
) -> None:
    commit = origin.git("rev-parse", "HEAD")
    install(make_server(toml=toml_of(commit)))
    (pack,) = (tmp_path / "cache" / "git" / commit).rglob("*.pack")
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[:-30] + bytes(30))
    done = install(make_server(toml=toml_of(commit), app="another = 'app'\n"))
    assert built(done) == "first = 1\n"


def test_a_fetch_that_was_killed_is_made_again(
    make_server: MakeServer, origin: Repository, tmp_path: Path
) -> None:
    commit = origin.git("rev-parse", "HEAD")
    half = tmp_path / "cache" / "git" / commit
    half.mkdir(parents=True)
    (half / "HEAD").write_text("ref: refs/heads/main\n")
    assert built(install(make_server(toml=toml_of(commit)))) == "first = 1\n"


def test_an_address_that_cannot_be_reached_says_how_to_use_a_clone(
    make_server: MakeServer, origin: Repository, tmp_path: Path
) -> None:
    commit = origin.git("rev-parse", "HEAD")
    origin.folder.rename(tmp_path / "elsewhere")
    failed = failure(make_server(toml=toml_of(commit)))
    assert failed.message.startswith(
        f"`mine` failed to install: `{ADDRESS}` at commit {commit[:12]}: fatal: "
    )
    assert failed.hint == (
        f"`git config --global url.CLONE.insteadOf {ADDRESS}` makes git fetch from a clone that you"
        " have, with its path or address as CLONE"
    )


def test_the_clone_of_the_hint_serves(
    make_server: MakeServer, origin: Repository, git_config: Path, tmp_path: Path
) -> None:
    commit = origin.git("rev-parse", "HEAD")
    clone = tmp_path / "a clone"
    origin.git("clone", "--quiet", "--bare", ".", str(clone))
    shutil.rmtree(origin.folder)
    server = make_server(toml=toml_of(commit))
    hint = failure(server).hint or ""
    git_config.unlink()
    command = re.findall("`git (.*?)`", hint)[0].replace("CLONE", str(clone)).split(" --global ")
    assert command[0] == "config"
    key, value = command[1].rsplit(" ", 1)
    Repository(tmp_path / "anywhere").git("config", "--global", key, value)
    assert built(install(server)) == "first = 1\n"


def test_a_commit_that_the_repository_lacks_is_named(
    make_server: MakeServer, origin: Repository
) -> None:
    failed = failure(make_server(toml=toml_of("1" * 40)))
    assert failed.message == (
        f"`mine` failed to install: `{ADDRESS}` at commit 111111111111: the repository does not"
        " contain this commit"
    )
    assert failed.hint == f"its log: `{failed.log}`"


def test_no_hook_of_the_user_runs(
    make_server: MakeServer, origin: Repository, git_config: Path, tmp_path: Path
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
        (hooks / name).chmod(0o755)
    commit = origin.git("rev-parse", "HEAD")
    with git_config.open("a") as settings:
        settings.write(f"[core]\n\thooksPath = {hooks}\n[init]\n\ttemplateDir = {tmp_path}\n")
    assert built(install(make_server(toml=toml_of(commit)))) == "first = 1\n"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("scheme", ["http://127.0.0.1:9/", "git://127.0.0.1:9/", "ext::touch "])
def test_only_safe_protocols_are_used(
    make_server: MakeServer, origin: Repository, git_config: Path, scheme: str, tmp_path: Path
) -> None:
    git_config.write_text(f'[url "{scheme}{tmp_path}/ran"]\n\tinsteadOf = {ADDRESS}\n')
    failed = failure(make_server(toml=toml_of("1" * 40)))
    name = scheme.partition(":")[0]
    assert f"fatal: transport '{name}' not allowed" in failed.message
    assert not (tmp_path / "ran").exists()


def test_a_submodule_is_not_fetched(
    make_server: MakeServer, origin: Repository, tmp_path: Path
) -> None:
    inner = Repository(tmp_path / "inner")
    inner.commit("Inner", inside_py="")
    allowed = ("-c", "protocol.file.allow=always")
    origin.git(*allowed, "submodule", "--quiet", "add", str(inner.folder), "inner")
    done = install(make_server(toml=toml_of(origin.commit("With a submodule"))))
    assert list((done.repositories / "app" / "inner").iterdir()) == []


def test_more_data_than_the_limit_are_not_fetched(
    make_server: MakeServer, origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (origin.folder / "large.bin").write_bytes(random.Random(1).randbytes(400_000))
    commit = origin.commit("Large")
    monkeypatch.setattr(repositories, "MOST_BYTES", 100 * 1024)
    failed = failure(make_server(toml=toml_of(commit)))
    assert failed.message.endswith(": " + repositories.TOO_LARGE)
    assert not (tmp_path / "cache" / "git" / commit).exists()


@pytest.mark.parametrize(("limit", "value"), [("MOST_FILES", 1), ("MOST_BYTES", 50_000)])
def test_a_commit_of_more_files_than_the_limit_is_not_copied(
    make_server: MakeServer,
    origin: Repository,
    limit: str,
    value: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit = origin.commit("Small when compressed", zeros_txt="0" * 1_000_000)
    monkeypatch.setattr(repositories, limit, value)
    server = make_server(toml=toml_of(commit))
    assert failure(server).message.endswith(": " + repositories.TOO_LARGE)
    assert not list(install(server, dry_run=True).prefix.rglob("zeros.txt"))


def test_a_dry_run_shows_the_fetch_and_does_nothing(
    make_server: MakeServer, tmp_path: Path
) -> None:
    told: list[str] = []
    install(make_server(toml=toml_of("1" * 40)), dry_run=True, report=told.append)
    assert [line for line in told if f"{ADDRESS} {'1' * 40}" in line and " fetch " in line]
    assert not (tmp_path / "cache").exists()


def test_servers_from_elsewhere_keep_their_digests(make_server: MakeServer) -> None:
    assert b"repositories" not in digest._rules(make_server())
    assert b"repositories" in digest._rules(make_server(toml=toml_of("1" * 40)))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            toml_of("main"),
            "15: `install.repositories.app.commit` is `main`: expected a commit, in 40 hexadecimal"
            " digits",
        ),
        (
            toml_of("1" * 40, "git://git.example.org/app"),
            "14: `install.repositories.app.address` is `git://git.example.org/app`: expected an"
            " address https://… without a user name or a query",
        ),
        (
            toml_of("1" * 40, "https://me:hunter2@git.example.org/app"),
            "14: `install.repositories.app.address` is `https://***@git.example.org/app`: expected"
            " an address https://… without a user name or a query",
        ),
        (
            TOML.replace('kind = "none"', 'kind = "git"'),
            '10: `install`: kind "git" needs `[install.repositories.NAME]`, at least one',
        ),
        (
            toml_of("1" * 40).replace('kind = "git"', 'kind = "none"'),
            '10: `install`: `repositories` need `kind = "git"`',
        ),
    ],
)
def test_a_moving_branch_and_other_faults_are_refused(
    make_server: MakeServer, given: str, expected: str
) -> None:
    with pytest.raises(UsageError) as error:
        make_server(toml=given)
    assert error.value.message.partition("server.toml:")[2] == expected
