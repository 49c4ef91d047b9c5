"""A job compares a pull request, or a merge request, with the target that it was merged into."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import Repository, with_branches
from httpdyno.ci.revisions import Revisions, revisions
from httpdyno.errors import UsageError

GITHUB = {"GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main"}


@pytest.fixture
def merged(tmp_path: Path) -> Repository:
    """The branch `slow` merged into `main`, checked out as GitHub does."""
    repository = with_branches(tmp_path)
    repository.git("checkout", "--quiet", "--detach", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "slow")
    return repository


def test_on_github_the_base_is_the_target_as_it_was_merged(merged: Repository) -> None:
    found = revisions(None, None, GITHUB, merged.folder)
    main = merged.git("rev-parse", "main")
    assert found == Revisions(main, "HEAD", ("main", "the pull request"))


def test_a_pull_request_that_is_not_merged_is_compared_with_the_branch(merged: Repository) -> None:
    merged.git("checkout", "--quiet", "--detach", "slow")
    merged.git("update-ref", "refs/remotes/origin/main", "main")
    assert revisions(None, None, GITHUB, merged.folder).base == "origin/main"


def test_on_gitlab_the_base_is_that_of_the_merge_request(merged: Repository) -> None:
    main = merged.git("rev-parse", "main")
    job = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": main, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    found = revisions(None, None, job, merged.folder)
    assert found == Revisions(main, "HEAD", ("main", "the merge request"))


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
        ("nowhere", {}, "`nowhere`, the base, is not in this clone", "git fetch --unshallow"),
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
