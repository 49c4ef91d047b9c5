"""Revisions of a real repository are copied and built once, and the repository stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repository import Repository
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.servers import ServerFailure
from httpdyno.servers.failure import first_error, shown_end
from httpdyno.servers.revisions import checkout
from httpdyno.servers.revisions.checkout import check_out
from httpdyno.servers.revisions.revision import Revision, find_revision


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))
    made = Repository(tmp_path / "repository")
    made.commit("First", app_py="one\n", _gitignore="built\n")
    return made


def revision(repository: Repository, name: str) -> Revision:
    found = find_revision(name, repository.folder)
    assert found is not None
    return found


def quiet(_: str) -> None:
    pass


def state(repository: Repository) -> tuple[str, str, str]:
    return (
        repository.git("status", "--porcelain", "--ignored"),
        repository.git("for-each-ref"),
        repository.git("worktree", "list"),
    )


def test_a_commit_is_copied_and_the_repository_stays_as_it_is(repository: Repository) -> None:
    repository.branch("later")
    repository.commit("Second", app_py="two\n")
    (repository.folder / "app.py").write_text("not committed\n")
    (repository.folder / "new.py").write_text("new\n")
    before = state(repository)
    sources = [check_out(revision(repository, name), "", quiet) for name in ("later", "main")]
    assert [(source / "app.py").read_text() for source in sources] == ["two\n", "one\n"]
    assert not (sources[1] / ".git").exists()
    assert state(repository) == before
    assert (repository.folder / "app.py").read_text() == "not committed\n"


def test_a_subfolder_of_the_repository_will_do(repository: Repository) -> None:
    below = repository.folder / "below"
    below.mkdir()
    assert find_revision("main", below) == revision(repository, "main")


def test_the_uncommitted_state_has_changed_and_new_files_and_no_ignored_ones(
    repository: Repository,
) -> None:
    folder = repository.folder
    (folder / "app.py").write_text("changed\n")
    (folder / "new.sh").write_text("#!/bin/sh\n")
    (folder / "new.sh").chmod(0o755)
    (folder / "link").symlink_to("app.py")
    (folder / "built").write_text("ignored\n")
    before = state(repository)
    source = check_out(revision(repository, "."), "", quiet)
    assert sorted(file.name for file in source.iterdir()) == [
        ".gitignore",
        "app.py",
        "link",
        "new.sh",
    ]
    assert (source / "app.py").read_text() == "changed\n"
    assert (source / "link").is_symlink()
    assert os.access(source / "new.sh", os.X_OK)
    assert state(repository) == before


def test_no_program_that_the_repository_configures_runs(
    repository: Repository, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {ran}\ncat\n")
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "fsmonitor-watchman"):
        (hooks / name).symlink_to(program)
    repository.commit("Filtered", _gitattributes="* filter=own diff=own\n")
    for name, value in {
        "core.fsmonitor": program,
        "core.hooksPath": hooks,
        "core.pager": program,
        "diff.external": program,
        "diff.own.textconv": program,
        "filter.own.smudge": program,
        "filter.own.clean": program,
        "filter.own.process": program,
    }.items():
        repository.git("config", name, str(value))
    ran.unlink(missing_ok=True)
    (repository.folder / "app.py").write_text("changed\n")
    sources = [check_out(revision(repository, name), "", quiet) for name in ("main", ".")]
    assert [(source / "app.py").read_text() for source in sources] == ["one\n", "changed\n"]
    assert not ran.exists(), ran.read_text()


def test_another_uncommitted_state_is_another_copy(repository: Repository) -> None:
    first = check_out(revision(repository, "."), "", quiet)
    assert check_out(revision(repository, "WORKTREE"), "", quiet) == first
    (repository.folder / "app.py").write_text("changed\n")
    assert check_out(revision(repository, "."), "", quiet) != first


def test_a_build_runs_once_for_each_commit_and_command(repository: Repository) -> None:
    found, build = revision(repository, "main"), "sh -c 'echo built >> built'"
    said: list[str] = []
    for _ in range(2):
        source = check_out(found, build, said.append)
    assert (source / "built").read_text() == "built\n"
    assert [line.split()[0] for line in said] == ["copying", "building"]
    assert check_out(found, "true", quiet) != source


def test_a_build_that_fails_says_why_and_is_tried_again(repository: Repository) -> None:
    found = revision(repository, "main")
    for _ in range(2):
        with pytest.raises(
            ServerFailure, match="`main` failed to build: error: no compiler"
        ) as told:
            check_out(found, "sh -c 'echo error: no compiler; exit 7'", quiet)
        assert told.value.stage == "build"
        assert "no compiler" in told.value.log.read_text()


def test_a_build_that_fails_in_a_job_of_github_is_not_quoted(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    with pytest.raises(ServerFailure) as told:
        check_out(revision(repository, "main"), "sh -c 'echo password hunter2; exit 7'", quiet)
    assert told.value.message == "`main` failed to build: (see the log of this job)"
    assert shown_end(told.value.log) == "password hunter2"


def test_lines_of_npm_that_say_nothing_are_skipped(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text(
        "npm error code ELIFECYCLE\nnpm error\nnpm error Missing script: build\nnpm error\n"
    )
    assert first_error(log) == "npm error Missing script: build"


def test_a_program_that_is_missing_is_the_builds_failure(repository: Repository) -> None:
    with pytest.raises(ServerFailure, match="`no-such-program`: No such file"):
        check_out(revision(repository, "main"), "no-such-program", quiet)


def test_names_that_are_no_commit_are_none(repository: Repository) -> None:
    for name in ("nothing", "--all", "main:app.py", "\x1b", "a\nb"):
        assert find_revision(name, repository.folder) is None, name


def test_outside_of_a_repository_there_are_no_revisions(tmp_path: Path) -> None:
    assert find_revision("main", tmp_path) is None
    assert find_revision(".", tmp_path) is None


def test_git_in_a_hook_does_not_lead_elsewhere(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    other.commit("Other", app_py="other\n")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.folder / ".git" / "index"))
    source = check_out(revision(repository, "main"), "", quiet)
    assert (source / "app.py").read_text() == "one\n"


def test_without_git_it_says_what_to_do(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/no/such/folder")
    with pytest.raises(EnvironmentFault, match="`git` is missing"):
        find_revision("main", repository.folder)


def test_old_copies_are_removed_and_new_ones_stay(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout, "MOST_KEPT", 1)
    old = check_out(revision(repository, "main"), "", quiet)
    os.utime(old.parent / "complete", (1, 1))
    for number in range(2):
        repository.commit("More", app_py=f"{number}\n")
        new = check_out(revision(repository, "main"), "", quiet)
    assert not old.exists()
    assert new.exists()


def test_files_that_change_while_they_are_copied_are_refused(repository: Repository) -> None:
    found = revision(repository, ".")
    (repository.folder / "app.py").write_text("changed since\n")
    with pytest.raises(UsageError, match="changed while they were copied"):
        check_out(found, "", quiet)
