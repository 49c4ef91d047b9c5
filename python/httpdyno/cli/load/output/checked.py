"""The check of the replies of a load, in words: `status, and every byte as in the first reply`."""

from __future__ import annotations

from httpdyno.engine_plan import (
    Digest,
    EnginePlan,
    Expect,
    Json,
    Length,
    Like,
    Regex,
    Request,
    Same,
)
from httpdyno.measurement import Measurement
from httpdyno.units import counted

__all__ = ["checked"]

_NOTATIONS = {
    "json": "JSON like the example",
    "regex": "text matched by the regular expression",
}


def checked(plan: EnginePlan, m: Measurement) -> str:
    """The things that were checked of each reply; of several requests, of how many."""
    found: dict[str, int] = {}
    for request in plan.requests:
        words = _body(request, m)
        found[words] = found.get(words, 0) + 1
    if len(found) == 1:
        return f"status{next(iter(found)) or ' only'}"
    parts = [
        f"{words.lstrip(', ').removeprefix('and ') or 'no body'} of {counted(count, 'request')}"
        for words, count in found.items()
    ]
    return f"status; {', '.join(parts)}"


def _body(request: Request, m: Measurement) -> str:
    """The check of a body, behind the word `status`; empty: none."""
    expect = request.expect
    if request.method == "HEAD" or expect.body is None:
        return ""
    if isinstance(expect.body, Length):
        return " and length"
    if isinstance(expect.body, Same):
        return f", and every byte as in the first reply{_sampled(expect)}"
    if isinstance(expect.body, Like):
        return _like(expect, m)
    if notation := _notation(expect):
        return f", and {_NOTATIONS[notation]}{_sampled(expect)}"
    return f", and every byte{_sampled(expect)}"


def _notation(expect: Expect) -> str | None:
    """The notation of an expected body that is no fixed bytes, also in a record without it."""
    match expect.body:
        case Json():
            return "json"
        case Regex():
            return "regex"
        case Digest(notation=notation):
            return notation
        case _:
            return None


def _like(expect: Expect, m: Measurement) -> str:
    """A body that was compared with the first one: as much as all replies had in common."""
    replies = m.replies
    if not m.calls.ok:
        return ""
    if not replies.unlike:
        return f", and every byte as in the first reply{_sampled(expect)}"
    if not replies.other_size:
        return f" and size; {_differing(m)}"
    return f" only; {replies.other_size:,} bodies have another size than the first"


def _differing(m: Measurement) -> str:
    """The bodies that differ from the first one, and those of them that are all the same."""
    replies, right = m.replies, m.calls.ok
    if replies.same_other > max(1, replies.unlike / 2):
        return f"{replies.same_other:,} of {right:,} have the same other body"
    return f"{replies.unlike:,} of {right:,} bodies differ from the first"


def _sampled(expect: Expect) -> str:
    return f" (of every {expect.check_every:,}th body)" if expect.check_every > 1 else ""
