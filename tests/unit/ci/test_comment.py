"""The comment on a pull request is written once and edited then, or its absence has a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.ci.comment import SkippedError, comment
from issues_api import TOKEN, Issues, issues_api

COMMENTS = "/repos/me/shop/issues/7/comments"


@pytest.fixture
def issues() -> Iterator[Issues]:
    with issues_api() as served:
        yield served


@pytest.fixture
def job(issues: Issues, tmp_path: Path) -> dict[str, str]:
    """The environment of a job for a pull request."""
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    return {
        "HTTPDYNO_GITHUB_TOKEN": TOKEN,
        "GITHUB_API_URL": issues.url,
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_JOB": "compare",
        "GITHUB_REPOSITORY": "me/shop",
        "GITHUB_WORKFLOW": "performance",
    }


def test_the_second_comment_of_a_job_edits_its_first(issues: Issues, job: dict[str, str]) -> None:
    assert comment("slower\n", job).startswith(issues.url)
    assert comment("as fast\n", job)
    (one,) = issues.comments
    assert one["body"] == "<!-- httpdyno ci: performance-compare -->\nas fast\n"
    got, posted, _, patched = issues.requests
    assert (got, posted) == (f"GET {COMMENTS}", f"POST {COMMENTS}")
    assert patched == "PATCH /repos/me/shop/issues/comments/100"


def test_a_comment_is_found_behind_a_hundred_others(issues: Issues, job: dict[str, str]) -> None:
    for number in range(100):
        issues.add(f"{number}")
    comment("slower", job)
    comment("as fast", job)
    assert len(issues.comments) == 101


def test_another_job_and_a_person_with_the_same_first_line_keep_their_comments(
    issues: Issues, job: dict[str, str]
) -> None:
    mine = issues.add("<!-- httpdyno ci: performance-compare -->\nI say", {"type": "User"})
    comment("slower", job)
    comment("as fast", {**job, "GITHUB_JOB": "other"})
    assert mine["body"].endswith("I say")
    assert [one["body"].splitlines()[-1] for one in issues.comments[1:]] == ["slower", "as fast"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"HTTPDYNO_GITHUB_TOKEN": ""}, "`HTTPDYNO_GITHUB_TOKEN` is not set"),
        ({"HTTPDYNO_GITHUB_TOKEN": "wrong"}, "GitHub refused it with 401"),
        ({"GITHUB_EVENT_PATH": "/dev/null"}, "this job is for no pull request"),
        ({"GITHUB_EVENT_PATH": "/none"}, "this job is for no pull request"),
        ({"GITHUB_API_URL": "file:///etc/passwd"}, "`GITHUB_API_URL` is no URL"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "GitHub could not be reached: URLError"),
    ],
)
def test_a_comment_that_cannot_be_written_has_a_reason_without_the_token(
    job: dict[str, str], changes: dict[str, str], reason: str
) -> None:
    with pytest.raises(SkippedError, match=reason) as skipped:
        comment("slower", job | changes)
    assert TOKEN not in str(skipped.value)


def test_the_token_of_a_fork_may_not_write(issues: Issues, job: dict[str, str]) -> None:
    issues.writes = False
    with pytest.raises(SkippedError, match=r"403.*as for one from a fork"):
        comment("slower", job)
