"""The check of the replies of a load, in words: `status, and every byte as in the first reply`."""

from __future__ import annotations

from httpdyno.engine_plan import (
    Digest,
    EnginePlan,
    Expect,
    Html,
    Json,
    Length,
    Like,
    Regex,
    Request,
    Same,
)
from httpdyno.measurement import Measurement
from httpdyno.statistics.shares import most_share
from httpdyno.units import counted, percent

__all__ = ["describe_check"]

_NOTATIONS = {
    "json": "JSON like the example",
    "html": "HTML equal to the example",
    "regex": "text matched by the regular expression",
}


def describe_check(plan: EnginePlan, m: Measurement) -> str:
    """The things that were checked of each reply; of several requests, of how many."""
    found: dict[str, int] = {}
    for request in plan.requests:
        words = _body(request, m)
        found[words] = found.get(words, 0) + 1
    sample = _sample(plan, m)
    if len(found) == 1:
        return f"status{next(iter(found)) or ' only'}{sample}"
    parts = [
        f"{words.lstrip(', ').removeprefix('and ') or 'no body'} of {counted(count, 'request')}"
        for words, count in found.items()
    ]
    return f"status; {', '.join(parts)}{sample}"


def _sample(plan: EnginePlan, m: Measurement) -> str:
    """The bodies that were judged, where not all were, and how many of all may be wrong."""
    judged = [one for one in plan.requests if _is_judged(one)]
    parts = {one.expect.check_one_in for one in judged}
    if parts <= {1}:
        return ""
    # The counts are those of all requests: if they differ, no share follows from them.
    alike = len(parts) == 1 and not any(_is_compared(one) for one in plan.requests)
    part = f"1 of {min(parts):,} bodies" if alike else "part of the bodies"
    checked, wrong = m.replies.checked, m.replies.wrong
    if not checked:
        return f"; {part}: none checked"
    most = f", at most {percent(most_share(wrong, checked), 2)} wrong at 95 %" if alike else ""
    return f"; {part}: {checked:,} checked, {f'{wrong:,}' if wrong else 'none'} wrong{most}"


def _is_judged(request: Request) -> bool:
    """True if the content of a body can be wrong, not only its length."""
    body = request.expect.body
    return request.method != "HEAD" and body is not None and not isinstance(body, Length | Like)


def _is_compared(request: Request) -> bool:
    """True if bodies unlike the first one are counted."""
    return request.method != "HEAD" and isinstance(request.expect.body, Like)


def _body(request: Request, m: Measurement) -> str:
    """The check of a body, behind the word `status`; empty: none."""
    expect = request.expect
    if request.method == "HEAD" or expect.body is None:
        return ""
    if isinstance(expect.body, Length):
        return " and length"
    if isinstance(expect.body, Same):
        return ", and every byte as in the first reply"
    if isinstance(expect.body, Like):
        return _like(expect, m)
    if notation := _notation(expect):
        return f", and {_NOTATIONS[notation]}"
    return ", and every byte"


def _notation(expect: Expect) -> str | None:
    """The notation of an expected body that is no fixed bytes, also in a record without it."""
    match expect.body:
        case Json():
            return "json"
        case Html():
            return "html"
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
        part = f" (of 1 in {expect.check_one_in:,} bodies)" if expect.check_one_in > 1 else ""
        return f", and every byte as in the first reply{part}"
    if not replies.other_size:
        return f" and size; {_differing(m)}"
    return f" only; {replies.other_size:,} bodies have another size than the first"


def _differing(m: Measurement) -> str:
    """The bodies that differ from the first one, and those of them that are all the same."""
    replies, right = m.replies, m.calls.ok
    if replies.same_other > max(1, replies.unlike / 2):
        return f"{replies.same_other:,} of {right:,} have the same other body"
    return f"{replies.unlike:,} of {right:,} bodies differ from the first"
