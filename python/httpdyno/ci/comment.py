"""One comment on a pull request, written once and then edited.

https://docs.github.com/en/rest/issues/comments
"""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Mapping
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from httpdyno.ci.event import number_of_pull_request
from httpdyno.output.printable import printable
from httpdyno.output.slugs import slug

__all__ = ["TOKEN", "SkippedError", "comment"]

TOKEN = "HTTPDYNO_GITHUB_TOKEN"  # noqa: S105 - the name of the variable
"""A variable that servers and builds do not inherit, as none of httpdyno's own."""
API = "https://api.github.com"
LIMIT_S = 30.0
"""For all requests together: the job waits no longer."""
MOST_BYTES = 32 * 2**20
"""Of an answer: a page of the longest comments is shorter."""
PER_PAGE, MOST_PAGES = 100, 30
_DENIED = {401, 403, 404}
_UNREADABLE = "GitHub's answer cannot be read"
_LATE = "GitHub did not answer in time"


class SkippedError(Exception):
    """The reason for which there is no comment, in a clause."""


def comment(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Writes the comment of this job on its pull request, or edits it; its address.

    Raises SkippedError, after LIMIT_S at the latest.
    """
    token = environment.get(TOKEN)
    if not token:
        raise SkippedError(f"`{TOKEN}` is not set, as for a pull request from a fork")
    repository, number = environment.get("GITHUB_REPOSITORY"), number_of_pull_request(environment)
    if not repository or number is None:
        raise SkippedError("this job is for no pull request")
    url = environment.get("GITHUB_API_URL") or API
    if not url.startswith(("https://", "http://")):
        raise SkippedError("`GITHUB_API_URL` is no URL")
    api = _Api(f"{url}/repos/{repository}/issues", token, time.monotonic() + LIMIT_S)
    mark = _mark(environment)
    return _in_time(api, number, mark, {"body": f"{mark}\n{text}"})


def _in_time(api: _Api, number: int, mark: str, body: Mapping[str, str]) -> str:
    """The address of the comment. Raises SkippedError.

    A thread of its own, because a name server and a server that sends one byte at a time can hold
    a call longer than its time limit.
    """
    ended: list[str | Exception] = []

    def write() -> None:
        try:
            ended.append(_write_comment(api, number, mark, body))
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=write, name="comment", daemon=True)
    thread.start()
    thread.join(max(0.0, api.deadline - time.monotonic()))
    result = ended[0] if ended else SkippedError(_LATE)
    if isinstance(result, Exception):
        raise result
    return result


def _write_comment(api: _Api, number: int, mark: str, body: Mapping[str, str]) -> str:
    comments = f"/{number}/comments"
    earlier = _earlier(api, comments, mark)
    if earlier is None:
        written = api.call("POST", comments, body)
    else:
        written = api.call("PATCH", f"/comments/{earlier}", body)
    known = _id(written)
    url = written.get("html_url")
    return printable(url) if isinstance(url, str) and url else f"number {known}"


def _mark(environment: Mapping[str, str]) -> str:
    """The first line of the comment: each job has a comment of its own."""
    job = slug(environment.get("GITHUB_WORKFLOW", ""), environment.get("GITHUB_JOB", ""))
    return f"<!-- httpdyno ci: {job} -->"


def _earlier(api: _Api, comments: str, mark: str) -> int | None:
    """The id of the comment that begins with `mark`; None: there is none.

    Only a program's: whoever writes a comment can change it later, so that of a person, which may
    have the same first line, is not taken for ours.
    """
    for page in range(1, MOST_PAGES + 1):
        found = api.call("GET", f"{comments}?per_page={PER_PAGE}&page={page}")
        if not isinstance(found, list):
            raise SkippedError(f"{_UNREADABLE}: it is no list of comments")
        for one in found:
            known = _id(one)
            user, body = one.get("user"), one.get("body")
            by_program = isinstance(user, dict) and user.get("type") == "Bot"
            if by_program and isinstance(body, str) and body.splitlines()[:1] == [mark]:
                return known
        if len(found) < PER_PAGE:
            break
    return None


def _id(one: Any) -> int:
    """The id of a comment. Raises SkippedError if it is none."""
    known = one.get("id") if isinstance(one, dict) else None
    if type(known) is not int:
        raise SkippedError(f"{_UNREADABLE}: it has no comment with an id")
    return known


class _RedirectsOfReads(HTTPRedirectHandler):
    """Follows the redirects of GET alone: urllib makes a GET of any other method."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        if req.get_method() != "GET" or not newurl.startswith(("https://", "http://")):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Api:
    """GitHub's comments on the issues of a repository, until a deadline."""

    def __init__(self, url: str, token: str, deadline: float) -> None:
        self._url = url
        self._token = token
        self._opener = build_opener(_RedirectsOfReads)
        self.deadline = deadline

    def call(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        """The answer of GitHub. Raises SkippedError; no error has the token in it."""
        left_s = self.deadline - time.monotonic()
        if left_s <= 0:
            raise SkippedError(_LATE)
        data = None if body is None else json.dumps(body).encode()
        try:
            with self._opener.open(self._request(method, path, data), timeout=left_s) as reply:
                text = reply.read(MOST_BYTES + 1)
        except HTTPError as error:
            error.close()
            if error.code in _DENIED:
                raise SkippedError(
                    f"GitHub refused it with {error.code}: the token may not write to this pull"
                    " request, as for one from a fork; the job needs `pull-requests: write`"
                ) from None
            raise SkippedError(f"GitHub answered {error.code}") from None
        except (OSError, OverflowError, http.client.HTTPException, ValueError) as error:
            raise SkippedError(f"GitHub could not be reached: {type(error).__name__}") from None
        return _read(text)

    def _request(self, method: str, path: str, data: bytes | None) -> Request:
        request = Request(f"{self._url}{path}", data, method=method)  # noqa: S310 - http and https
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_header("User-Agent", "httpdyno")
        request.add_header("Content-Type", "application/json")
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")  # this host alone
        return request


def _read(text: bytes) -> Any:
    if len(text) > MOST_BYTES:
        raise SkippedError(f"{_UNREADABLE}: it is longer than {MOST_BYTES:,} bytes")
    try:
        return json.loads(text or b"null")
    except (ValueError, RecursionError) as error:
        raise SkippedError(f"{_UNREADABLE}: {type(error).__name__}") from None
