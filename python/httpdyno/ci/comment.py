"""One comment on a pull request, written once and then edited.

https://docs.github.com/en/rest/issues/comments
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from httpdyno.output.slugs import slug

__all__ = ["TOKEN", "SkippedError", "comment"]

TOKEN = "HTTPDYNO_GITHUB_TOKEN"  # noqa: S105 - the name of the variable
"""A variable that servers and builds do not inherit, as none of httpdyno's own."""
API = "https://api.github.com"
LIMIT_S = 30.0
PER_PAGE, MOST_PAGES = 100, 30
_DENIED = {401, 403, 404}


class SkippedError(Exception):
    """The reason for which there is no comment, in a clause."""


def comment(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Writes the comment of this job on its pull request, or edits it; its address.

    Raises SkippedError.
    """
    token = environment.get(TOKEN)
    if not token:
        raise SkippedError(f"`{TOKEN}` is not set, as for a pull request from a fork")
    repository, number = environment.get("GITHUB_REPOSITORY"), _pull_request(environment)
    if not repository or number is None:
        raise SkippedError("this job is for no pull request")
    api = environment.get("GITHUB_API_URL") or API
    issues = f"{api}/repos/{repository}/issues"
    mark = _mark(environment)
    body = {"body": f"{mark}\n{text}"}
    earlier = _earlier(f"{issues}/{number}/comments", mark, token)
    if earlier is None:
        written = _called("POST", f"{issues}/{number}/comments", token, body)
    else:
        written = _called("PATCH", f"{issues}/comments/{earlier}", token, body)
    return str(written.get("html_url", "")) if isinstance(written, dict) else ""


def _mark(environment: Mapping[str, str]) -> str:
    """The first line of the comment: each job has a comment of its own."""
    job = slug(environment.get("GITHUB_WORKFLOW", ""), environment.get("GITHUB_JOB", ""))
    return f"<!-- httpdyno ci: {job} -->"


def _pull_request(environment: Mapping[str, str]) -> int | None:
    """The number of the pull request that the job is for; None: it is for none."""
    try:
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())
        return int(event["pull_request"]["number"])
    except (KeyError, TypeError, ValueError, OSError):
        return None


def _earlier(comments: str, mark: str, token: str) -> int | None:
    """The id of the comment that begins with `mark`; None: there is none.

    Only a program's: whoever writes a comment can change it later, so that of a person, which may
    have the same first line, is not taken for ours.
    """
    for page in range(1, MOST_PAGES + 1):
        found = _called("GET", f"{comments}?per_page={PER_PAGE}&page={page}", token)
        for one in found if isinstance(found, list) else []:
            by_program = (one.get("user") or {}).get("type") == "Bot"
            if by_program and str(one.get("body", "")).splitlines()[:1] == [mark]:
                return int(one["id"])
        if not isinstance(found, list) or len(found) < PER_PAGE:
            break
    return None


def _called(method: str, url: str, token: str, body: Mapping[str, str] | None = None) -> Any:
    """The answer of GitHub. Raises SkippedError; no error has the token in it."""
    if not url.startswith(("https://", "http://")):
        raise SkippedError("`GITHUB_API_URL` is no URL")
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, method=method)  # noqa: S310 - http and https only
    request.add_header("Accept", "application/vnd.github+json")
    request.add_header("X-GitHub-Api-Version", "2022-11-28")
    request.add_header("User-Agent", "httpdyno")
    request.add_header("Content-Type", "application/json")
    request.add_unredirected_header("Authorization", f"Bearer {token}")  # for this host alone
    try:
        with urlopen(request, timeout=LIMIT_S) as reply:  # noqa: S310
            return json.loads(reply.read() or b"null")
    except HTTPError as error:
        error.close()
        if error.code in _DENIED:
            raise SkippedError(
                f"GitHub refused it with {error.code}: the token may not write to this pull"
                " request, as for one from a fork; the job needs `pull-requests: write`"
            ) from None
        raise SkippedError(f"GitHub answered {error.code}") from None
    except (URLError, OSError, http.client.HTTPException, ValueError) as error:
        raise SkippedError(f"GitHub could not be reached: {type(error).__name__}") from None
