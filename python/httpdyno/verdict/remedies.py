"""Remedies for a doubt, in the reader's own terms: flags of `load`, or keys of a study.

A flag stands in backticks as it can be appended to the command that was run, where the last of two
equal flags counts. A key stands there as a line for the study's load. Nothing is proposed that is
on already, or that the verb in which the hint is read does not have. Without a plan nothing is
named at all.
"""

from __future__ import annotations

import math
import shlex

from httpdyno.compiled import call, compiled
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Request, Stop, Target, to_json
from httpdyno.limits.errors import TIMEOUTS, error_share
from httpdyno.measurement import ENOUGH_CALLS, Measurement
from httpdyno.verdict.checks.rates import why_unsent
from httpdyno.verdict.context import Context

MOST_CONNECTIONS = 100_000
BUDGETS_PERCENT = (1, 2, 5, 10, 20, 50)
"""The shares of errors that are proposed as a budget."""
ROOM_OF_BUDGET = 1.5
"""The share of errors varies, so a budget is at least as many times the measured one."""
_WIDE = 1_000_000_000
"""Bytes of a window that holds back no server."""
MOST_STATUSES = 3
"""More kinds of replies than this are not proposed as right ones."""


def remedies(m: Measurement, context: Context) -> dict[str, str]:
    """The words for the braces in the hints of `rules.py`, by name; empty where none is apt."""
    longer = _longer(m, context, enough_s=1.0)
    lower = _lower(m, context)
    more = _more_connections(m, context)
    check = _check(m, context)
    return {
        "accept": _accept(m, context, check),
        "calm": "stop other programs, or " if context.ceiling_is_bound else "",
        "check": f" (`{check}`)" if check else "",
        "drain": _drain(m, context),
        "expect": _expect(context),
        "first_failure": f"; the first failure: {m.first_failure}" if m.first_failure else "",
        "get_a_reply": _get_a_reply(m, longer, lower, check),
        "longer": longer,
        "lower_load": lower,
        "measure_all": _measure_all(m),
        "more_connections": more,
        "more_connections_too": _more_too(m, more),
        "more_connections_waited": _where_waited(
            m, f"; calls waited for a connection: allow more{more}"
        ),
        "named": " (`httpdyno doctor` names them)" if context.plan else "",
        "or_lower_load": f", or lower the load{lower}" if _answers_some(m) else "",
        "precise": _precise(m, context),
        "priority": _priority(m, context),
        "send_them": _send_them(m, context, more),
        "threads_flag": _threads(m, context),
        "until": _until(m, context),
        "window": _window(context),
        "warm_up": _set(context, "--warm-up", "warm_up", _seconds(max(2.0, 2 * m.warm_up_s))),
    }


def _set(context: Context, flag: str, key: str, value: str) -> str:
    """A setting in brackets: as a flag of `load` or `compare`, or as a line of a study."""
    if context.plan is None or context.terms == "none":
        return ""
    if context.terms == "compare":
        return f" (`{flag} {value}`)" if _compare_has(flag, context.plan) else ""
    if context.terms == "flags":
        return f" (`{flag} {value}`)"
    return f" (`{key} = {value}`)" if value[-1].isdigit() else f' (`{key} = "{value}"`)'


def _compare_has(flag: str, plan: EnginePlan) -> bool:
    """True if `compare` has the flag for this load; its connections are those at full speed."""
    if flag == "--connections":
        return plan.load.fixed_connections is not None
    return flag in {"--duration", "--rate", "--warm-up"}


def _flag(context: Context, words: str) -> str:
    """Words with a flag of `load` that no study has."""
    return words if context.plan is not None and context.terms == "flags" else ""


def _precise(m: Measurement, context: Context) -> str:
    """The flags not yet given that make the generator wake up in time."""
    plan = context.plan
    if plan is None or plan.spin:
        return ""
    flags = [] if plan.low_latency else ["`--low-latency`"]
    words = " or ".join([*flags, "`--spin`"])
    return _flag(context, f", or add {words}") + _refused_priority(m, plan)


def _priority(m: Measurement, context: Context) -> str:
    """The flag that keeps other programs from preempting the generator; spinning does not."""
    plan = context.plan
    if plan is None or plan.spin or not plan.is_open:
        return ""
    off = _flag(context, ", or add `--low-latency`") if not plan.low_latency else ""
    return off + _refused_priority(m, plan)


def _refused_priority(m: Measurement, plan: EnginePlan) -> str:
    """The real-time priority that was requested, would help and was not granted."""
    granted = m.engine.low_latency.real_time if m.engine.low_latency else None
    if granted is None or granted.granted or not plan.is_open or plan.shared_cpus:
        return ""
    shown = " (`httpdyno doctor` shows how to allow it)" if granted.refused else ""
    return f"; real-time priority would help, but was not granted: {granted.reason}{shown}"


def _window(context: Context) -> str:
    """Windows that hold back no server; other protocols have none."""
    if context.plan is None or context.plan.http != "2":
        return ""
    return _flag(context, f" (`--window {_WIDE} --connection-window {_WIDE}`)")


def _threads(m: Measurement, context: Context) -> str:
    """Another thread, where it would have a CPU and a connection."""
    plan, threads = context.plan, m.engine.threads + 1
    if plan is None or (plan.cpus is not None and len(plan.cpus) < threads):
        return ""
    if plan.load.fixed_connections is not None and plan.load.fixed_connections < threads:
        return ""
    return _flag(context, f" (`--threads {threads}`)")


def _longer(m: Measurement, context: Context, enough_s: float) -> str:
    """A length at which there are enough calls, at the rate at which they came."""
    plan = context.plan
    if plan is None or m.stopped_by in ("interrupt", "precision"):
        return ""  # A longer limit would change nothing.
    ended_per_s = m.calls.ended / m.window_s if m.window_s > 0 else 0.0
    if m.stopped_by == "count":
        each = plan.calls_per_session
        key = "sessions" if plan.load.in_sessions else "requests"
        calls = max(ENOUGH_CALLS, ended_per_s * enough_s)
        count = math.ceil(max(calls / each, 2.0 * (plan.stop.count or 0)))
        return _set(context, "--requests", key, f"{count}")
    least = long_enough_s(ended_per_s, plan.stop.duration_s or m.window_s, enough_s)
    return _set(context, "--duration", "duration", _seconds(least))


def long_enough_s(calls_per_s: float, was_s: float, least_s: float = 1.0) -> float:
    """The length at which there are enough calls for a tail; at least twice as long as it was."""
    return max(ENOUGH_CALLS / calls_per_s if calls_per_s else 10.0, least_s, 2 * was_s)


def _until(m: Measurement, context: Context) -> str:
    """Measure until p99 is known; where a run does so already, or counts, for longer."""
    plan = context.plan
    if plan is None or plan.stop.count is not None or plan.stop.until is not None:
        return _longer(m, context, enough_s=4 * m.window_s)
    most = _seconds(max(60.0, 2 * (plan.stop.duration_s or 0.0)))
    return _flag(context, f" (`--until 'p99±10%' --duration {most}`)")


def _lower(m: Measurement, context: Context) -> str:
    """Nine tenths of what was achieved; only a steady rate can be replaced by another."""
    plan = context.plan
    if plan is None or m.throughput_per_s <= 0:
        return ""
    busy = plan.load.fixed_connections
    if busy is not None:
        fewer = busy // 2
        return _set(context, "--connections", "connections", f"{fewer}") if fewer else ""
    arrivals = plan.load.schedule
    if arrivals is None or len(arrivals.segments) > 1 or not m.completed_in_window:
        return ""
    value = _rounded_down(0.9 * m.throughput_per_s / plan.calls_per_session)
    flag = "--sessions" if plan.load.in_sessions else "--rate"
    lower = 0 < int(value) < arrivals.segments[0].from_per_s
    return _set(context, flag, "rate", value) if lower else ""


def _more_connections(m: Measurement, context: Context) -> str:
    """Twice as many, or by Little's law enough for the highest rate of the schedule."""
    plan = context.plan
    if plan is None or not plan.is_open:
        return ""
    now = plan.load.most_open
    if now is None or now >= MOST_CONNECTIONS:
        return ""
    highest = plan.load.schedule.highest_per_s * plan.calls_per_session if plan.load.schedule else 0
    busy = 1.5 * max(m.offered_per_s or 0.0, highest) * m.times.service.mean_ns * 1e-9
    value = f"{min(MOST_CONNECTIONS, max(2 * now, math.ceil(busy)))}"
    key = "max_open" if plan.load.in_sessions else "connections"
    return _set(context, "--connections", key, value)


def _more_too(m: Measurement, more: str) -> str:
    """Where calls waited for a connection, too few of them may be the limit, not the server."""
    return _where_waited(m, f"; if the server has CPU to spare, allow more connections{more}")


def _where_waited(m: Measurement, words: str) -> str:
    return words if m.calls.waited + m.warm_up_calls.waited else ""


def _measure_all(m: Measurement) -> str:
    if m.stopped_by == "interrupt":
        return "the run was stopped early: run it again to the end"
    return "the run ended before they fell due: allow more time, or measure fewer calls"


def _send_them(m: Measurement, context: Context, more: str) -> str:
    """The remedy of the cause that was found; without one, nothing is proposed but a look."""
    cause = why_unsent(m, context.plan)
    if cause == "sessions":
        first = f": {m.first_failure}" if m.first_failure else ""
        return f"find out why sessions fail{first}"
    if cause == "connections":
        return f"allow more connections{more}"
    longer = _longer(m, context, enough_s=1.0)
    if cause == "generator":
        own = "stop other programs and leave the load generator a CPU of its own"
        return f"{own}{_precise(m, context)}"
    return f"measure again{f', for longer{longer}' if longer else ''}"


def _answers_some(m: Measurement) -> bool:
    """A lower load may help: the server is there, and answers or is too slow to."""
    return m.calls.ok > 0 or not TIMEOUTS.isdisjoint(m.calls.errors)


def _drain(m: Measurement, context: Context) -> str:
    """Calls that were still unanswered at the end may only have been slow."""
    plan = context.plan
    if plan is None or m.calls.in_flight <= sum(m.calls.errors.values()):
        return ""
    longer = _seconds(max(10.0, 2 * plan.stop.drain_s))
    return _flag(
        context, f"; if the last replies are only slow, wait for them (`--drain {longer}`)"
    )


def _get_a_reply(m: Measurement, longer: str, lower: str, check: str) -> str:
    c = m.calls
    if c.due == 0 or c.ok:
        return f"measure for longer{longer}"
    if c.sent == 0:
        return f"lower the rate{lower}, or shorten the warm-up"
    shown = f" (`{check}`)" if check else ""
    return f"see the server's log, and look at a single reply{shown}"


def _accept(m: Measurement, context: Context, check: str) -> str:
    shown = f" (`{check}` shows the reply)" if check else ""
    if m.calls.ok and (context.plan is None or len(context.plan.requests) == 1):
        # A single request would most likely get a right reply.
        shown = "; other replies were right, so look for what changes while the load runs"
    return shown + _budget(m, context) + _right_statuses(m, context)


def _budget(m: Measurement, context: Context) -> str:
    """The setting that allows so many errors, where most replies were right."""
    needed = error_share("errors", m) * 100 * ROOM_OF_BUDGET
    percent = next((one for one in BUDGETS_PERCENT if one >= needed), None)
    if context.plan is None or not m.calls.ok or percent is None or context.budget.allowed:
        return ""
    words = {
        "flags": f"--fail-if 'errors>{percent}%'",
        "keys": f'error_budget = "errors<{percent}%"',
    }.get(context.terms)
    return f"; or allow a share of errors (`{words}`)" if words else ""


def _right_statuses(m: Measurement, context: Context) -> str:
    """The flags that make what was sent right; none for server errors among right replies."""
    if context.plan is None or context.terms != "flags" or not m.calls.wrong_status:
        return ""
    if len(m.statuses) > MOST_STATUSES or not all(map(_is_accepted, m.statuses)):
        return ""
    if m.calls.ok and any(status >= "500" for status in m.statuses):
        return ""
    flags = " ".join(f"--expect-status {status}" for status in sorted(m.statuses))
    return f", or accept what it sends (`{flags}`)"


def _is_accepted(status: str) -> bool:
    """True for a status that `--expect-status` takes: not for 1xx, nor for `other` ones."""
    return "200" <= status <= "599"


def _expect(context: Context) -> str:
    """The ways to declare a right body, or that any is right."""
    if context.plan is None:
        return ""
    if context.terms == "flags":
        declared = "--expect json:@FILE, --expect-length, --expect-body"
        return f" ({declared}), or accept all of them (`--expect any`)"
    if context.terms == "keys":
        return " (json, length or body in expect), or accept all of them (any = true in expect)"
    return ""


def _check(m: Measurement, context: Context) -> str:
    """The command that shows a single reply: that of the first request that failed."""
    if context.check_command is not None or context.plan is None:
        return context.check_command or ""
    requests = context.plan.requests
    failure = m.first_failure or ""
    failed = (one for one in requests if failure.startswith(f"{one.method} {one.path}: "))
    request = next(failed, requests[0])
    # curl sends no call of gRPC that a server would answer.
    return "" if request.grpc else _curl(context.plan, request)


def _curl(plan: EnginePlan, request: Request) -> str:
    """The request by curl, without its headers and body, which may be secret."""
    target = plan.target
    host = f"[{target.host}]" if ":" in target.host else target.host
    scheme = "http" if target.tls is None else "https"
    words = ["curl", "-v"]
    if target.tls is not None and target.tls.insecure:
        words.append("-k")
    if target.tls is not None and target.tls.ca is not None:
        words += ["--cacert", target.tls.ca]
    if plan.http == "3":
        words.append("--http3-only")
    elif plan.http == "2":
        words.append("--http2-prior-knowledge" if target.tls is None else "--http2")
    if target.unix is not None:
        words += ["--unix-socket", target.unix]
    if request.method == "HEAD":
        words.append("--head")
    elif request.method != "GET":
        words += ["-X", request.method]
    path = _path_of_first_call(plan, request)
    if set(path) & set("{}[]"):  # curl would read them as patterns
        words.append("-g")
    return shlex.join([*words, f"{scheme}://{host}:{target.port}{path}"])


def _path_of_first_call(plan: EnginePlan, request: Request) -> str:
    """The path with values in place of its placeholders; not with those of data files, which may be
    secrets."""
    from_data = any(f"{{{one.name}." in request.path for one in plan.data)
    if from_data or not request.placeholders:
        return request.path
    # The plan may be one of a record, whose other texts are masked.
    alone = Request(method=request.method, path=request.path, placeholders=True)
    kept = [keep for one in plan.requests for keep in one.keep]
    bare = EnginePlan(
        target=Target(),
        requests=[alone, Request(keep=kept)],
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
        seed=plan.seed,
    )
    sent: bytes = call(compiled().request_bytes, to_json(bare))
    return sent.split(b" ")[1].decode()


def _seconds(value: float) -> str:
    """A duration in whole seconds, rounded up."""
    return f"{math.ceil(value)}s"


def _rounded_down(value: float) -> str:
    """Two significant digits, or `0`."""
    if value < 1:
        return "0"
    step = 10 ** max(0, math.floor(math.log10(value)) - 1)
    return str(int(value // step * step))
