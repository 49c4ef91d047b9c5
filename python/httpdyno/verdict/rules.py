"""The rules of a verdict, in the order in which their reasons are shown: an entry for each."""

from __future__ import annotations

from httpdyno.doubts.pace import LEAST_SHARE
from httpdyno.measurement import BRIEF_S, FEWEST_CALLS
from httpdyno.verdict.checks import generator, lateness, nodes, rates, replies, streams, times, wire
from httpdyno.verdict.contention import MOST_CONTENTION
from httpdyno.verdict.database_rules import DATABASE_RULES
from httpdyno.verdict.rule import LATENCY, SPEED, TAIL, Rule

_BUG = "this is a bug in httpdyno: please report it with the JSON of this measurement"
_MACHINE = "stop other programs and leave the load generator a CPU of its own{precise}"

RULES: dict[str, Rule] = {
    "counts": Rule(replies.counts, "invalid", 0, "the counts do not add up: {detail}", _BUG),
    "schedule": Rule(
        rates.schedule,
        "invalid",
        1,
        "{due} arrivals fell due, but the schedule has {scheduled}",
        _BUG,
    ),
    "no_reply": Rule(replies.no_reply, "invalid", 0, "{what}", "{get_a_reply}"),
    "wrong_replies": Rule(
        replies.wrong_replies,
        "invalid",
        0,
        "{what}",
        "fix the server or the request{accept}",
    ),
    **DATABASE_RULES,
    "unlike_replies": Rule(
        replies.unlike_replies,
        "suspect",
        0.60,
        "{what}",
        "look at the replies{check}: error pages with a good status look like this; then say which"
        " are right{expect}",
        unless=("no_reply", "wrong_replies"),
    ),
    "stopped_answering": Rule(
        replies.stopped_answering,
        "invalid",
        2,
        "the server stopped answering after about {answered}: no correct reply in the last {silent}"
        " of {window}",
        "find out whether it crashed, hung or was killed; the rate is an average over its silence"
        " too{first_failure}",
        unless=("no_reply", "wrong_replies"),
    ),
    "errors": Rule(
        replies.errors,
        "invalid",
        0.01,
        "{how_many} {failed} (limit {limit}): {classes}",
        "find out why calls fail{or_lower_load}: a server that drops calls does less work{drain}"
        "{first_failure}",
    ),
    "some_errors": Rule(
        replies.errors,
        "suspect",
        0.001,
        "{how_many} {failed} (limit {limit}): {classes}",
        "find out why calls fail: the latency leaves them out, or counts them at the age at which"
        " they timed out{first_failure}",
        doubts=("throughput", "p99", "cpu"),
        unless=("stopped_answering", "errors"),
    ),
    "excess_data": Rule(
        replies.excess_data,
        "suspect",
        0,
        "{closed} because the server sent bytes that belong to no reply",
        "fix the server: its replies are longer than their Content-Length says, a HEAD got a body,"
        " or it wrote to an idle connection; each of these costs a new connection",
        doubts=("throughput", "p50", "p99", "errors", "cpu"),
    ),
    "goaway_after_cancels": Rule(
        streams.goaway_after_cancels,
        "suspect",
        0,
        "the server ended {ended} with an error ({codes}), in a run whose timeouts cancelled"
        " {cancelled}",
        "allow calls more time, or lower the load{lower_load}: many servers take"
        " cancelled calls for an attack, and end the connection",
        doubts=("throughput", "p50", "p99", "errors", "cpu"),
    ),
    "missing_calls": Rule(
        replies.missing_calls,
        "invalid",
        0,
        "only {due} of {expected} calls were measured",
        "{measure_all}",
    ),
    "overload": Rule(
        rates.overload,
        "suspect",
        LEAST_SHARE,
        "overload: {offered} offered, {achieved} achieved ({share}, limit {limit})",
        "read the throughput, not the latency, which grows with the length of the run; for a"
        " latency, lower the rate{lower_load}{more_connections_too}",
        doubts=("p50", "p99", "errors", "memory"),
        unless=("stopped_answering",),
    ),
    "backlog": Rule(
        rates.backlog,
        "suspect",
        1.02,
        "{achieved} achieved, more than the {offered} offered ({share}, limit {limit}): the server"
        " was still working off a queue from the warm-up",
        "warm up for longer{warm_up}, or lower the rate: the latency is that of the old queue",
        doubts=("throughput", "p50", "p99", "memory"),
    ),
    "unsent": Rule(
        rates.unsent,
        "suspect",
        0.001,
        "{unsent} of {due} calls {were} never sent ({share}, limit {limit}){because}",
        "{send_them}",
        doubts=("p50", "p99", "errors"),
        unless=("no_reply", "stopped_answering", "overload"),
    ),
    "stream_limit": Rule(
        streams.stream_limit,
        "suspect",
        0.01,
        "{waited} of {sent} waited for a free stream of the server ({share}, limit {limit})"
        "{allowed}",
        "allow more connections{more_connections}: with so few streams, the load is not as open as"
        " it was planned",
        doubts=LATENCY,
        unless=("no_reply", "stopped_answering"),
    ),
    "fewer_than_cores": Rule(
        streams.fewer_than_cores,
        "suspect",
        0.90,
        "the server used {used} of its {cores} CPUs, about one for each of the load's"
        " {connections} (limit {limit}): its other threads may have had no connection to serve",
        "use at least as many connections as the server has CPUs, with fewer streams on each",
        doubts=SPEED,
    ),
    "packets_lost": Rule(
        streams.packets_lost,
        "suspect",
        0.001,
        "{lost} of {sent} of QUIC were lost ({share}, limit {limit}) on a path with a round trip of"
        " {trip}",
        "find out which buffer was full: the kernel counts datagrams that found no room"
        " (UdpRcvbufErrors of nstat), and net.core.rmem_max is the largest buffer that a server"
        " may ask for",
        doubts=SPEED,
    ),
    "window_limited": Rule(
        streams.window_limited,
        "suspect",
        0.01,
        "the load generator held the server back: its window for replies was used up {times} in"
        " {calls} ({share}, limit {limit})",
        "let the server send more before it is asked for more{window}",
        doubts=SPEED,
    ),
    "generator_busy": Rule(
        generator.generator_busy,
        "suspect",
        0.90,
        "the load generator's busiest thread used {share} of a CPU (limit {limit}): it may be the"
        " bottleneck",
        "give the load generator another thread and CPU{threads_flag}, or lower the load",
        doubts=SPEED,
    ),
    "generator_stopped": Rule(
        generator.generator_stopped,
        "suspect",
        0.10,
        "the load generator {how} for {share} of the time (limit {limit}): calls were sent late, or"
        " replies were read late",
        "stop other programs, or leave the load generator a CPU of its own{priority}",
        doubts=SPEED,
        unless=("shared_cores",),
    ),
    "generator_behind": Rule(
        lateness.generator_behind,
        "suspect",
        0.10,
        "the load generator was late all the time: {what}",
        _MACHINE,
        doubts=LATENCY,
        unless=("no_reply",),
    ),
    "generator_late": Rule(
        lateness.generator_late,
        "suspect",
        0.10,
        "the load generator was late: {what}",
        _MACHINE,
        doubts=TAIL,
        unless=("no_reply", "generator_behind"),
    ),
    "spacing": Rule(
        generator.spacing,
        "suspect",
        0.10,
        "arrivals were not evenly spaced: {share} of {sampled} {gaps} were over 10 % too short or"
        " too long (limit {limit})",
        _MACHINE + "{more_connections_waited}",
        doubts=LATENCY,
        unless=("generator_stopped", "generator_behind", "overload"),
    ),
    "arrivals": Rule(
        generator.arrivals,
        "suspect",
        6.0,  # exceeded by right arrivals once in 1,000 runs: Marsaglia and Marsaglia 2004
        "arrivals did not have the declared {spacing} spacing: Anderson-Darling A² = {statistic}"
        " for {sampled} {gaps} (limit {limit})",
        _MACHINE + "{more_connections_waited}",
        doubts=LATENCY,
        unless=("generator_stopped", "generator_behind", "overload"),
    ),
    "ceiling": Rule(
        generator.ceiling,
        "suspect",
        0.80,
        "{throughput} is {share} of the {whose}, {ceiling} (limit {limit})",
        "the server may be faster than this: {calm}give the load generator more CPUs",
        doubts=SPEED,
        unless=("wire_limit",),
    ),
    "wire_limit": Rule(
        wire.wire_limit,
        "suspect",
        0.90,
        "the network is the bottleneck: {who} {verb} {speed} over {link} ({share},"
        " limit {limit}), which carries at most {ceiling} of this load",
        "the server may be faster than this: use a faster network or shorter replies, or read the"
        " CPU per request",
        doubts=SPEED,
    ),
    "path_losses": Rule(
        wire.path_losses,
        "suspect",
        0.001,
        "the network lost packets: {losses} (limit {limit})",
        "each loss delays its call, often by 200 ms or more: find out where (ethtool -S,"
        " nstat), or lower the load",
        doubts=SPEED,
        unless=("wire_limit",),
    ),
    "littles_law": Rule(
        times.littles_law,
        "suspect",
        0.10,
        "counts and times contradict each other (Little's law, N = X·R): {in_flight} calls in"
        " flight on average, but throughput × response time is {product}"
        " ({gap} apart, limit {limit})",
        "measure for longer{longer}",
        unless=("stopped_answering",),
    ),
    "too_short": Rule(
        times.too_short,
        "suspect",
        BRIEF_S,
        "too short: {calls} in {window} (expected at least 1 s and 100 calls)",
        "measure for longer{longer}",
        unless=("no_reply",),
    ),
    "too_few": Rule(
        times.too_few,
        "suspect",
        FEWEST_CALLS,
        "too few calls for a tail: {calls} in {window} (expected at least 1,000)",
        "measure for longer{longer}",
        doubts=("p99", "errors"),
        unless=("no_reply", "too_short"),
    ),
    "not_steady": Rule(
        times.not_steady,
        "suspect",
        0.10,
        "throughput was not steady: {first} in the first half, {second} in the second"
        " ({gap} apart, limit {limit})",
        "warm up for longer{warm_up}, and look for what changes: garbage collection, a cache that"
        " fills, CPU frequency, other programs",
        doubts=("throughput", "p50", "p99", "cpu"),
        unless=("stopped_answering",),
    ),
    "drifting": Rule(
        times.drifting,
        "suspect",
        -2.86,  # 5 %, with a constant: MacKinnon 2010; and the halves differ by over 10 %
        "response times drifted: {first} on average in the first half, {second} in the second"
        " ({gap} apart, limit {gap_limit}), and did not return to their mean",
        "warm up for longer{warm_up}, and look for what grows: a queue, a cache, the heap",
        doubts=LATENCY,
        unless=("stopped_answering", "overload"),
    ),
    "dependent": Rule(
        times.dependent,
        "suspect",
        0.50,
        "response times are not independent: {sampled} calls spread over the run have a rank"
        " correlation of {correlation} from one to the next (limit {limit})",
        "the intervals of percentiles are too narrow: measure for longer{longer}, or compare"
        " restarts of the server in a study",
        doubts=LATENCY,
        unless=("drifting", "generator_stopped", "generator_behind", "overload"),
    ),
    "vague_tail": Rule(
        times.vague_tail,
        "suspect",
        0.50,
        "p99 is uncertain: {interval} at 95 % ({width}, limit ± {limit})",
        "measure for longer{until}, and look for what makes many calls slow at once",
        doubts=TAIL,
        unless=("no_reply", "stopped_answering", "too_short", "too_few", "overload"),
    ),
    "unlike_nodes": Rule(
        nodes.unlike_nodes,
        "suspect",
        0.20,
        "the load generators measured different things: {what} was {least} on {one} and {most} on"
        " {other} (limit {limit})",
        "find out what differs: their CPUs, their path to the server, other programs; the tail of"
        " one slow load generator looks like that of the server",
        doubts=TAIL,
        unless=("no_reply",),
    ),
    "unsure_clocks": Rule(
        nodes.unsure_clocks,
        "suspect",
        0.10,
        "calls of {one} and {other} may be {apart} off their common schedule, in which calls are"
        " {gap} apart: their clocks are not known better (limit {limit} at a {percentile} of"
        " {response})",
        "give orders and results a network of their own, use exponential arrivals, which need no"
        " common clock, or send this rate from one load generator",
        doubts=LATENCY,
        unless=("no_reply",),
    ),
    "descheduled": Rule(
        generator.descheduling,
        "suspect",
        100,
        "the load generator was preempted {switches} times/s (limit {limit})",
        "stop other programs, or leave the load generator a CPU of its own{priority}",
        doubts=SPEED,
        unless=("generator_stopped",),
    ),
    "server_starved": Rule(
        generator.server_starved,
        "suspect",
        MOST_CONTENTION,
        "other programs or the host of this machine took {share} of the server's processors"
        " (limit {limit})",
        "stop other programs{named}, then measure again: they can only make a server look slower",
        doubts=SPEED,
    ),
    "shared_cores": Rule(
        generator.shared_cores,
        "suspect",
        0,
        "server and load generator shared CPUs: the generator used {share} of one that the server"
        " could have used",
        "use a machine with a CPU to spare, or fewer workers; compare only with results measured"
        " the same way",
    ),
}
