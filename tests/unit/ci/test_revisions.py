"""A job compares a pull request, or a merge request, with the target that it was merged into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from git_repository import Repository, with_branches
from httpdyno.ci.revisions import Revisions, revisions
from httpdyno.errors import UsageError

GITHUB = {"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main"}


def job_of(commit: str) -> dict[str, str]:
    """The variables of the job that GitHub started for this commit."""
    return {**GITHUB, "GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": commit}


@pytest.fixture
def merged(tmp_path: Path) -> Repository:
    """The branch `slow` merged into `main`, checked out as GitHub does."""
    repository = with_branches(tmp_path)
    repository.git("checkout", "--quiet", "--detach", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "slow")
    return repository


@pytest.mark.parametrize("known_by", ["commit of the job", "event"])
def test_on_github_the_base_is_the_target_as_it_was_merged(
    merged: Repository, tmp_path: Path, known_by: str
) -> None:
    event = tmp_path / "event.json"
    event.write_text(
        json.dumps({"pull_request": {"head": {"sha": merged.git("rev-parse", "slow")}}})
    )
    variables = {
        "commit of the job": job_of(merged.git("rev-parse", "HEAD")),
        "event": {**GITHUB, "GITHUB_EVENT_PATH": str(event)},
    }
    found = revisions(None, None, variables[known_by], merged.folder)
    main = merged.git("rev-parse", "main")
    assert found == Revisions(main, "HEAD", (f"main ({main[:7]})", "the pull request"))


def test_a_branch_that_merged_its_target_is_not_compared_with_itself(merged: Repository) -> None:
    before = merged.git("rev-parse", "main")
    merged.git("checkout", "--quiet", "main")
    newer = merged.commit("Something else", other_txt="1")
    merged.git("update-ref", "refs/remotes/origin/main", newer)
    merged.git("checkout", "--quiet", "slow")
    merged.git("merge", "--quiet", "--no-ff", "--message", "Merge main", "main")
    found = revisions(None, None, job_of("of the merge that GitHub made"), merged.folder)
    assert before != newer
    assert found == Revisions(newer, "HEAD", (f"main ({newer[:7]})", "the pull request"))


def test_a_branch_is_compared_with_the_commit_that_it_began_at(merged: Repository) -> None:
    began = merged.git("rev-parse", "main")
    merged.git("checkout", "--quiet", "main")
    merged.git("update-ref", "refs/remotes/origin/main", merged.commit("Newer", other_txt="1"))
    merged.git("checkout", "--quiet", "--detach", "slow")
    assert revisions(None, None, GITHUB, merged.folder).base == began


def test_a_branch_without_a_common_commit_in_the_clone_is_compared_with_the_target(
    merged: Repository,
) -> None:
    merged.git("update-ref", "refs/remotes/origin/main", "main")
    merged.git("checkout", "--quiet", "--orphan", "other")
    merged.commit("Begin again")
    assert revisions(None, None, GITHUB, merged.folder).base == "origin/main"


def test_on_gitlab_the_base_is_that_of_the_merge_request(merged: Repository) -> None:
    main = merged.git("rev-parse", "main")
    job = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": main, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    found = revisions(None, None, job, merged.folder)
    assert found == Revisions(main, "HEAD", (f"main ({main[:7]})", "the merge request"))


def test_a_head_that_was_not_given_is_not_called_by_a_name_that_says_nothing(
    merged: Repository,
) -> None:
    found = revisions("main", None, {}, merged.folder)
    assert found == Revisions("main", "HEAD", (None, "the checked-out commit"))


def test_what_is_given_counts(merged: Repository) -> None:
    found = revisions("same", "slow", GITHUB, merged.folder)
    assert found == Revisions("same", "slow")


@pytest.mark.parametrize(
    ("base", "job", "message", "hint"),
    [
        (None, {}, "`--base` is missing", "--base HEAD~1"),
        ("nowhere", {}, "`nowhere`, the base, is not in this clone", "`git fetch origin nowhere:"),
        ("main2", {}, "`main2`, the base, is not in this clone", "did you mean `main`? `git fetch"),
        ("nowhere", {"GITHUB_ACTIONS": "true"}, "not in this clone", "fetch-depth: 2"),
        ("--exec=x", {"GITLAB_CI": "true"}, "not in this clone", "GIT_DEPTH"),
    ],
)
def test_a_base_that_is_missing_is_one_error(
    merged: Repository, base: str | None, job: dict[str, str], message: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=message) as wrong:
        revisions(base, None, job, merged.folder)
    assert hint in (wrong.value.hint or "")


def test_a_branch_that_only_the_remote_has_is_found(merged: Repository) -> None:
    merged.git("update-ref", "refs/remotes/origin/release", "main")
    with pytest.raises(UsageError) as wrong:
        revisions("release", None, {}, merged.folder)
    assert (wrong.value.hint or "").startswith("did you mean `origin/release`?")


def test_a_shallow_clone_is_told_to_fetch_the_rest(merged: Repository, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    merged.git("clone", "--quiet", "--depth", "1", f"file://{merged.folder}", str(shallow))
    with pytest.raises(UsageError) as wrong:
        revisions("nowhere", None, {}, shallow)
    assert wrong.value.hint == "git fetch --unshallow"


@pytest.mark.parametrize(
    ("base", "head", "message"),
    [
        ("", None, "`--base` is empty: expected a revision"),
        ("main", "", "`--head` is empty: expected a revision"),
        ("main", "node", "`node`, the head, is not in this clone"),
    ],
)
def test_a_revision_that_is_empty_or_a_head_that_is_missing_is_one_error(
    merged: Repository, base: str, head: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        revisions(base, head, {}, merged.folder)


def test_the_work_tree_may_be_the_head(merged: Repository) -> None:
    assert revisions("main", ".", {}, merged.folder).head == "."


def test_a_folder_without_a_repository_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is in no git repository"):
        revisions("main", None, {}, tmp_path)
