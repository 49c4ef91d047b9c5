"""The two builds that a CI job compares: a pull request, or a merge request, and its target."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from httpdyno.ci.event import head_of_pull_request
from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.servers import git
from httpdyno.servers.revisions.revision import (
    WORK_TREE,
    demand_repository,
    nearest_revision,
)

__all__ = ["Revisions", "revisions"]

HEAD = "HEAD"
TARGET, BRANCH = "HEAD^1", "HEAD^2"
"""The parents of the commit in which GitHub merges a pull request into its target."""
SHORT_DIGITS = 7


@dataclass(frozen=True)
class Revisions:
    """Two revisions of the repository, and their names in sentences; None: as they are given."""

    base: str
    head: str
    names: tuple[str | None, str | None] = (None, None)


def revisions(
    base: str | None, head: str | None, environment: Mapping[str, str], folder: Path
) -> Revisions:
    """The revisions that were given; the others as GitHub or GitLab name them.

    Raises UsageError if nothing names the base, or the clone does not have one of them.
    """
    for flag, given in (("--base", base), ("--head", head)):
        if given == "":
            raise UsageError(f"`{flag}` is empty: expected a revision", hint=f"{flag} HEAD~1")
    repository = demand_repository(
        folder, "check the repository out before this step, as with actions/checkout"
    )
    found = _base(base, environment, repository)
    if found is None:
        raise UsageError(
            "`--base` is missing: nothing names the target of a pull request here",
            hint="name the revision to compare with: `--base HEAD~1`",
        )
    revision, target = found
    commit = git.commit_of(repository, revision)
    if commit is None:
        raise UsageError(
            f"`{printable(revision)}`, the base, is not in this clone",
            hint=_fetch(revision, environment, repository),
        )
    if head not in (None, *WORK_TREE) and git.commit_of(repository, head) is None:
        raise UsageError(
            f"`{printable(head)}`, the head, is not in this clone",
            hint=_fetch(head, environment, repository),
        )
    name = f"{target} ({commit[:SHORT_DIGITS]})" if target else None
    head_name = None if head else _head_name(environment)
    return Revisions(revision, head or HEAD, (name, head_name))


def _base(
    base: str | None, environment: Mapping[str, str], repository: Path
) -> tuple[str, str | None] | None:
    """The base, and the branch that it is of; None: nothing names it."""
    if base is not None:
        return base, None
    if target := environment.get("GITHUB_BASE_REF"):
        return _of_github(f"origin/{target}", environment, repository), target
    if commit := environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        return commit, environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or None
    return None


def _of_github(target: str, environment: Mapping[str, str], repository: Path) -> str:
    """The target as it was merged, or the commit from which the branch left it.

    GitHub checks out the pull request merged into its target. The target's branch may have moved on
    since. A job that checks out the branch itself has no such commit: there a merge is one that the
    branch made, and its first parent is the branch's own.
    """
    head, branch = git.commit_of(repository, HEAD), git.commit_of(repository, BRANCH)
    if branch is not None:
        is_of_job = environment.get("GITHUB_EVENT_NAME") == "pull_request"
        is_merged = is_of_job and head == environment.get("GITHUB_SHA")
        if is_merged or branch == head_of_pull_request(environment):
            return git.commit_of(repository, TARGET) or TARGET
    return git.merge_base(repository, target, HEAD) or target


def _head_name(environment: Mapping[str, str]) -> str:
    if environment.get("GITHUB_BASE_REF"):
        return "the pull request"
    is_merge = environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    return "the merge request" if is_merge else "the checked-out commit"


def _fetch(name: str, environment: Mapping[str, str], repository: Path) -> str:
    """A hint that leads to a clone that has the revision."""
    nearest = nearest_revision(name, repository)
    meant = f"did you mean `{printable(nearest)}`? " if nearest not in (None, name) else ""
    return f"{meant}{_deeper(name, environment, repository)}"


def _deeper(name: str, environment: Mapping[str, str], repository: Path) -> str:
    if environment.get("GITLAB_CI"):
        return 'clone all of it: the variable `GIT_DEPTH: "0"` of the job'
    if environment.get("GITHUB_ACTIONS"):
        return "`fetch-depth: 2` of actions/checkout has a pull request's target, 0 every commit"
    if git.is_shallow(repository):
        return "git fetch --unshallow"
    branch = shlex.quote(printable(name.removeprefix("origin/")))
    return f"`git fetch origin {branch}:refs/remotes/origin/{branch}` fetches a branch"
