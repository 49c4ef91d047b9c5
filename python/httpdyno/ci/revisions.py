"""The two builds that a CI job compares: a pull request, or a merge request, and its target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.servers import git
from httpdyno.servers.revisions.revision import WORK_TREE, demand_repository

__all__ = ["Revisions", "revisions"]

HEAD = "HEAD"
OF_A_MERGE = "HEAD^2"
"""Only a merge has a second parent."""


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
            "`--base` is missing: this job is for no pull request that names its target",
            hint="name the revision to compare with: `--base HEAD~1`",
        )
    revision, name, hint = found
    if git.commit_of(repository, revision) is None:
        raise UsageError(f"`{printable(revision)}`, the base, is not in this clone", hint=hint)
    if head not in (None, *WORK_TREE) and git.commit_of(repository, head) is None:
        raise UsageError(
            f"`{printable(head)}`, the head, is not in this clone", hint=_deeper(environment)
        )
    head_name = None if head else _head_name(environment)
    return Revisions(revision, head or HEAD, (name, head_name))


def _base(
    base: str | None, environment: Mapping[str, str], repository: Path
) -> tuple[str, str | None, str] | None:
    """The base, its name, and what to do if the clone lacks it; None: nothing names it."""
    if base is not None:
        return base, None, _deeper(environment)
    if target := environment.get("GITHUB_BASE_REF"):
        # GitHub checks out the pull request merged into its target: the first parent is the target
        # that was merged, and its branch may have moved on.
        merged = git.commit_of(repository, OF_A_MERGE) and git.commit_of(repository, f"{HEAD}^")
        return merged or f"origin/{target}", target, _deeper(environment)
    if commit := environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        target = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
        return commit, target or None, _deeper(environment)
    return None


def _head_name(environment: Mapping[str, str]) -> str:
    if environment.get("GITHUB_BASE_REF"):
        return "the pull request"
    is_merge = environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    return "the merge request" if is_merge else "the checked-out commit"


def _deeper(environment: Mapping[str, str]) -> str:
    """A hint that leads to a clone with more than its newest commit."""
    if environment.get("GITLAB_CI"):
        return 'clone all of it: the variable `GIT_DEPTH: "0"` of the job'
    if environment.get("GITHUB_ACTIONS"):
        return "`fetch-depth: 2` of actions/checkout has a pull request's target, 0 every commit"
    return "git fetch --unshallow"
