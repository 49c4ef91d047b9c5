"""The rules of a verdict, in the order in which their reasons are told: one row a check."""

from __future__ import annotations

from dataclasses import dataclass

from httpdyno.result import Status


@dataclass(frozen=True)
class Rule:
    """What a check says when it trips. `limit` has the unit of the number compared with it."""

    status: Status
    limit: float
    text: str
    hint: str


RULES: dict[str, Rule] = {
    "counts": Rule(
        "invalid",
        0,
        "the counts do not add up: {detail}",
        "this is a bug in the engine: please report it with the JSON of this measurement",
    ),
    "schedule": Rule(
        "invalid",
        1,
        "{due} arrivals fell due where the schedule has {scheduled}",
        "this is a bug in the engine: please report it with the JSON of this measurement",
    ),
    "no_reply": Rule(
        "invalid",
        0,
        "not one right reply in {window}: {why}",
        "look at the server's log, and ask it once by hand with curl",
    ),
    "wrong_replies": Rule(
        "invalid",
        0,
        "{wrong} of {ended} replies were wrong (expected none): {why}",
        "mend the server, or say what is right with --expect-status and --expect-body",
    ),
    "errors": Rule(
        "invalid",
        0.01,
        "{share} of the calls failed (limit {limit}): {classes}",
        "a server that drops calls does less work: lower the load, or find out why it drops",
    ),
    "some_errors": Rule(
        "suspect",
        0.001,
        "{share} of the calls failed (limit {limit}): {classes}",
        "find out why: the latency knows failed calls only by their age when given up",
    ),
    "missing_calls": Rule(
        "invalid",
        0,
        "{due} calls were measured where {expected} were asked for",
        "the run was stopped early: run it again to its end",
    ),
    "overload": Rule(
        "suspect",
        0.99,
        "offered {offered}, achieved {achieved} ({share}, limit {limit}):"
        " the server is past its capacity",
        "read the throughput, not the latency: that grows with the length of the run",
    ),
    "backlog": Rule(
        "suspect",
        1.02,
        "offered {offered}, answered {achieved} ({share}, limit {limit}):"
        " the server worked off what the warm-up had left behind",
        "warm up for longer, or offer less: the times are those of an old queue",
    ),
    "unsent": Rule(
        "suspect",
        0.001,
        "{unsent} of {due} calls never began ({share}, limit {limit}), though the server kept up",
        "allow more connections, or look at why sessions failed",
    ),
    "generator_busy": Rule(
        "suspect",
        0.90,
        "the generator's busiest thread was busy {share} of the time (limit {limit}):"
        " it may be the bottleneck",
        "give the generator more threads (now {threads}) and cores of their own, or offer less",
    ),
    "generator_late": Rule(
        "suspect",
        0.10,
        "the generator was late: 1 % of the calls began over {lag} after they fell due"
        " (limit {limit})",
        "give the generator a core that nothing else uses, or try --spin",
    ),
    "spacing": Rule(
        "suspect",
        0.10,
        "arrivals were not as even as declared: {share} of the stretches of {group} were over 10 %"
        " too short or too long (limit {limit}, {sampled} looked at)",
        "give the generator a core that nothing else uses, allow more connections, or try --spin",
    ),
    "arrivals": Rule(
        "suspect",
        6.0,  # exceeded by right arrivals once in 1,000 runs: Marsaglia and Marsaglia 2004
        "arrivals were not {spacing} as declared: Anderson and Darling's A² is {statistic}"
        " (limit {limit}, {sampled} stretches of {group})",
        "give the generator a core that nothing else uses, allow more connections, or try --spin",
    ),
    "ceiling": Rule(
        "suspect",
        0.80,
        "{throughput} is {share} (limit {limit}) of what the generator reaches here at most,"
        " {ceiling}",
        "the generator may be the limit and the server faster than this: give it more cores",
    ),
    "littles_law": Rule(
        "suspect",
        0.10,
        "N = X·R is off by {gap} (limit {limit}): {in_flight} calls in flight on average,"
        " {product} by throughput and response time",
        "times and counts of this run contradict each other: run it again on a quiet machine",
    ),
    "too_short": Rule(
        "suspect",
        1.0,
        "only {calls} calls in {window} were measured (expected at least 1,000 calls and 1 s)",
        "measure for longer: a run this short is mostly start-up",
    ),
    "not_steady": Rule(
        "suspect",
        0.10,
        "not steady: {first} in the first half, {second} in the second"
        " ({gap} apart, limit {limit})",
        "warm up for longer, and look for what changes: garbage, a full cache, a hot processor",
    ),
    "drifting": Rule(
        "suspect",
        -2.86,  # 5 %, with a constant: MacKinnon 2010; and the halves differ as of not_steady
        "response times drift: on average {first} in the first half, {second} in the second"
        " ({gap} apart), and they do not come back to their mean (Dickey-Fuller {statistic},"
        " limit {limit}, {means} means)",
        "warm up for longer, and look for what grows: a queue, a cache, garbage",
    ),
    "dependent": Rule(
        "suspect",
        0.50,
        "calls hang together: response times of {sampled} calls spread over the run have a rank"
        " correlation of {correlation} from one to the next (limit {limit})",
        "the intervals of percentiles are too narrow: measure for longer, and restart the server"
        " between runs",
    ),
    "vague_tail": Rule(
        "suspect",
        0.50,
        "p99 is known only as {interval} ({width}, limit ± {limit})",
        "measure for longer (--until 'p99±10%'), and look for what makes many calls slow at once",
    ),
    "descheduled": Rule(
        "suspect",
        100,
        "the generator was put off its processor {switches} times a second (limit {limit})",
        "stop other programs, or pin the generator to a core of its own",
    ),
    "shared_cores": Rule(
        "suspect",
        0,
        "server and generator shared processors: the generator used {share} of one that the"
        " server could have had",
        "use a machine with a core to spare, or fewer workers; compare only with its like",
    ),
}
