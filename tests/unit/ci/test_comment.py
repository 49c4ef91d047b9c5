"""The comment on a pull request is written once and edited then, or its absence has a reason."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from httpdyno.ci import comment as module
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
        ({"GITHUB_API_URL": "http://["}, "GitHub could not be reached: ValueError"),
        ({"GITHUB_API_URL": "http://127.0.0.1:99999"}, "GitHub could not be reached"),
        ({"GITHUB_REPOSITORY": "me/a shop\n"}, "GitHub could not be reached: InvalidURL"),
        ({"HTTPDYNO_GITHUB_TOKEN": "a\nb"}, "GitHub could not be reached: ValueError"),
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


@pytest.mark.parametrize(
    "event",
    ['{"pull_request": {"number": 1e400}}', '{"pull_request": {"number": "7"}}', "[" * 200_000],
)
def test_a_strange_event_is_for_no_pull_request(
    job: dict[str, str], tmp_path: Path, event: str
) -> None:
    (tmp_path / "event.json").write_text(event)
    with pytest.raises(SkippedError, match="this job is for no pull request"):
        comment("slower", job)


_MINE = '"user": {"type": "Bot"}, "body": "<!-- httpdyno ci: performance-compare -->"'


@pytest.mark.parametrize(
    "answer",
    [
        "[1, null]",
        "{}",
        "null",
        "",
        "no JSON",
        "[" * 200_000,
        "[" + "9" * 5000 + "]",
        f"[{{{_MINE}}}]",
        f'[{{{_MINE}, "id": "../../x"}}]',
        f'[{{{_MINE}, "id": 1e400}}]',
    ],
)
def test_comments_that_cannot_be_read_are_a_reason_and_nothing_is_written(
    issues: Issues, job: dict[str, str], answer: str
) -> None:
    issues.answers["GET"] = answer.encode()
    with pytest.raises(SkippedError, match="GitHub's answer cannot be read"):
        comment("slower", job)
    assert issues.requests == [f"GET {COMMENTS}"]


def test_the_comments_of_strange_users_are_left_alone(issues: Issues, job: dict[str, str]) -> None:
    issues.answers["GET"] = b'[{"id": 1, "user": "Bot"}, {"id": 2, "user": null, "body": 3}]'
    assert comment("slower", job).startswith(issues.url)


@pytest.mark.parametrize("answer", ["[]", "[1, null]", "null", "{}", '{"id": "1"}', "[" * 200_000])
def test_an_answer_without_an_id_is_no_comment(
    issues: Issues, job: dict[str, str], answer: str
) -> None:
    issues.answers["POST"] = answer.encode()
    with pytest.raises(SkippedError, match="GitHub's answer cannot be read"):
        comment("slower", job)


def test_a_redirect_makes_no_reading_of_a_writing(issues: Issues, job: dict[str, str]) -> None:
    issues.moved = {"POST"}
    with pytest.raises(SkippedError, match="GitHub answered 302"):
        comment("slower", job)


def test_the_address_of_a_comment_is_printable(issues: Issues, job: dict[str, str]) -> None:
    issues.answers["POST"] = json.dumps({"id": 1, "html_url": "a\n::error::b\x1b[m"}).encode()
    assert comment("slower", job) == "a\\n::error::b\\x1b[m"
    issues.answers["PATCH"] = b'{"id": 1, "html_url": {}}'
    assert comment("slower", job) == "number 1"


def test_an_answer_that_is_too_long_is_not_read_to_its_end(
    issues: Issues, job: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    issues.answers["GET"] = b" " * 1001
    with pytest.raises(SkippedError, match="it is longer than 1,000 bytes"):
        comment("slower", job)


def test_a_server_that_sends_byte_after_byte_does_not_hold_the_job(
    job: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LIMIT_S", 0.5)
    ended = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not ended.wait(0.05):
                connection.sendall(b"X")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=drip, args=(listener,))
        server.start()
        job["GITHUB_API_URL"] = f"http://127.0.0.1:{listener.getsockname()[1]}"
        # Of the server: it would go on for minutes.
        failsafe = threading.Timer(20, ended.set)
        failsafe.start()
        try:
            with pytest.raises(SkippedError, match="GitHub did not answer in time"):
                comment("slower", job)
            assert not ended.is_set()
        finally:
            failsafe.cancel()
            ended.set()
            server.join()
