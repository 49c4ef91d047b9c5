"""Checks of the counts: do they add up, and did the calls get correct replies?"""

from __future__ import annotations

from httpdyno.limits.budget import UncoveredErrors
from httpdyno.limits.errors import TIMEOUTS
from httpdyno.measurement import Measurement
from httpdyno.units import counted, duration, roughly
from httpdyno.verdict.checks.rates import why_unsent
from httpdyno.verdict.checks.words import Words, at_most, beside, status, statuses
from httpdyno.verdict.context import Context


def counts(m: Measurement, _: Context, limit: float) -> Words | None:
    """Every call that fell due was sent or not, and every call that was sent ended or did not."""
    for where, c in (("measured", m.calls), ("warm-up", m.warm_up_calls)):
        ended = c.ended + c.in_flight
        if abs(c.due - c.sent - c.unsent) > limit or abs(c.sent - ended) > limit:
            detail = (
                f"{where} calls: {c.due:,} due but {c.sent:,} sent + {c.unsent:,} unsent,"
                f" {c.sent:,} sent but {c.ended:,} ended + {c.in_flight:,} in flight"
            )
            return {"detail": detail}
    return None


def missing_calls(m: Measurement, context: Context, limit: float) -> Words | None:
    """A counted run measured as many calls as it was to measure."""
    if context.expected_count is None or context.expected_count - m.calls.due <= limit:
        return None
    return {"due": f"{m.calls.due:,}", "expected": f"{context.expected_count:,}"}


def no_reply(m: Measurement, context: Context, limit: float) -> Words | None:
    """A measured call got a correct reply, and the window saw one: otherwise there is no rate.

    Replies to calls of the warm-up arrive in the window too; they say nothing about its own calls.
    """
    if m.calls.ok > limit and m.completed_in_window > limit:
        return None
    return {"what": _nothing_came(m, context)}


def _nothing_came(m: Measurement, context: Context) -> str:
    c, window = m.calls, duration(m.window_s)
    if c.due == 0:
        return f"no call fell due in the measured window of {window}"
    if c.ok:
        return f"no correct reply in {window}: {counted(c.ok, 'reply', 'replies')} came later"
    if c.sent == 0:
        busy = why_unsent(m, context.plan) == "connections"
        because = ", because every connection was still busy with earlier calls" if busy else ""
        return f"no correct reply in {window}: of {counted(c.due, 'call')} none was sent{because}"
    return f"no correct reply in {window}: {m.first_failure or _classes(m)}"


def excess_data(m: Measurement, _: Context, limit: float) -> Words | None:
    """The server sends nothing besides its replies; what it sends costs the connection."""
    closed = m.connections.excess_data
    if closed <= limit:
        return None
    verb = "was" if closed == 1 else "were"
    return {"closed": f"{counted(closed, 'connection')} {verb} closed"}


def wrong_replies(m: Measurement, context: Context, limit: float) -> Words | None:
    """Every reply that came has the expected status and body, but for those of an error budget."""
    left = context.budget.uncovered_errors(m)
    if left.wrong <= limit:
        return None
    return {"what": _wrong(m, context, left) + _over(m, context)}


def _over(m: Measurement, context: Context) -> str:
    """The error budget that was broken."""
    broken = context.budget.exceeded_shares(m)
    return f"; over the error budget: {broken}" if broken else ""


def _wrong(m: Measurement, context: Context, left: UncoveredErrors) -> str:
    """The wrong replies in words: their number and their faults, statuses and bodies apart."""
    c = m.calls
    replies = c.ok + c.wrong_status + c.wrong_body
    expected = _expected_status(context)
    only = list(m.statuses) if left.wrong_status == replies else []
    kinds = []
    if left.wrong_status:
        which = status(only[0]) if len(only) == 1 else "a wrong status"
        seen = "" if len(only) == 1 or not m.statuses else f": {statuses(m.statuses)}"
        kinds.append(f"{_of(left.wrong_status, replies)} had {which}{expected}{seen}")
    if left.wrong_body:
        kinds.append(f"{_of(left.wrong_body, replies)} had a wrong body")
    is_known = len(only) == 1 and only[0].isdigit()
    because = f"; first: {m.first_failure}" if m.first_failure and not is_known else ""
    return " and ".join(kinds) + because


def unlike_replies(m: Measurement, _: Context, limit: float) -> Words | None:
    """Right replies without a declared body are like the first one.

    Pages with an id or a date differ in nearly all replies, and hardly in size. A page that some
    replies lack, that has another size, or that all others have, may be an error page.
    """
    replies, right = m.replies, m.calls.ok
    if replies.other_size:
        return {"what": f"{_of(replies.other_size, right)} had another size than the first one"}
    if 0 < replies.unlike <= limit * right:
        return {"what": f"{_of(replies.unlike, right)} had another body than the first one"}
    if replies.same_other > max(1, limit * replies.unlike):
        return {"what": f"{_of(replies.same_other, right)} had one and the same other body"}
    return None


def _of(part: int, whole: int) -> str:
    if part == whole:
        return "the only reply" if whole == 1 else f"all {whole:,} replies"
    return f"{part:,} of {whole:,} replies"


def _expected_status(context: Context) -> str:
    """The statuses that the plan accepts, where all of its requests accept the same."""
    requests = context.plan.requests if context.plan else []
    accepted = {tuple(one.expect.status or ()) for one in requests}
    if len(accepted) != 1:
        return ""
    right = accepted.pop()
    return f" (expected {' or '.join(map(str, right)) if right else '2xx or 3xx'})"


def errors(m: Measurement, context: Context, limit: float) -> Words | None:
    """Few calls ended without a reply; wrong replies have a rule of their own."""
    lost = context.budget.uncovered_errors(m).without_reply
    total = m.calls.ended + m.calls.in_flight
    if lost <= limit * total:
        return None
    share = lost / total
    how_many = (
        f"{beside(share, limit)} of calls" if lost < total else f"all {counted(total, 'call')}"
    )
    parts = ["failed"] if lost > m.calls.in_flight else []
    parts += ["were unanswered"] if m.calls.in_flight else []
    failed = " or ".join(parts)
    if total == 1:
        how_many, failed = "the only call", failed.replace("were ", "was ")
    return {
        "how_many": how_many,
        "failed": failed,
        "limit": at_most(limit),
        "classes": _classes(m) + _over(m, context),
    }


def _classes(m: Measurement) -> str:
    """The number of calls that ended badly, by the way they ended, the most frequent first."""
    c = m.calls
    found = {"wrong status": c.wrong_status, "wrong body": c.wrong_body, **c.errors}
    ranked = sorted(found.items(), key=lambda item: -item[1])
    ranked.append(("unanswered", c.in_flight))
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in ranked if count)


def stopped_answering(m: Measurement, _: Context, limit: float) -> Words | None:
    """Correct replies come until the end of the window, or later."""
    last = _last_answer(m, limit)
    if last is None:
        return None
    return {
        "answered": roughly(_answered_s(m, last)),
        "silent": counted(int(m.window_s) - last - 1, "second"),
        "window": duration(m.window_s),
    }


def _last_answer(m: Measurement, limit: float) -> int | None:
    """The second of the last correct reply, if the whole seconds after it should have had some.

    One second is enough if calls failed in it, unless they timed out: a slow server does that too.
    """
    last = max((one.second for one in m.seconds if one.ok), default=-1)
    seconds = range(last + 1, int(m.window_s))
    if last < 0 or not seconds:
        return None
    silent = [one for one in m.seconds if one.second in seconds]
    failed = sum(one.failed for one in silent)
    if failed and TIMEOUTS.isdisjoint(m.calls.errors):
        return last
    waited = sum(one.due for one in silent) if m.is_open else m.calls.in_flight
    longest_s = m.times.service.max_ns * 1e-9
    gone = failed + waited > 0 and len(seconds) >= max(limit, longest_s)
    return last if gone else None


def _answered_s(m: Measurement, last: int) -> float:
    """About the time of the last reply: in its second there are only so many as it lasted."""
    before = [one.ok for one in m.seconds if 0 <= one.second < last]
    share = sum(one.ok for one in m.seconds if one.second == last) / max([*before, 1])
    return max(1.0, round(last + min(1.0, share)))
