"""The event of GitHub that a job is for.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

__all__ = ["head_of_pull_request", "number_of_pull_request"]


def number_of_pull_request(environment: Mapping[str, str]) -> int | None:
    """The number of the pull request that the job is for; None: it is for none."""
    number = _value(environment, "number")
    return number if type(number) is int else None


def head_of_pull_request(environment: Mapping[str, str]) -> str | None:
    """The newest commit of its branch; None: the job is for none."""
    commit = _value(environment, "head", "sha")
    return commit if isinstance(commit, str) else None


def _value(environment: Mapping[str, str], *keys: str) -> object:
    """A value of the pull request in the file of the event; None: there is none."""
    try:
        found = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_bytes())["pull_request"]
        for key in keys:
            found = found[key]
    except (KeyError, TypeError, ValueError, RecursionError, OSError):
        return None
    return found
