"""The checks of a verdict: each looks at one thing and gives the words for its rule, or None."""

from __future__ import annotations

from collections.abc import Callable

from httpdyno.measurement import Measurement
from httpdyno.verdict.checks import generator, lateness, nodes, rates, replies, times, wire
from httpdyno.verdict.checks.words import Words
from httpdyno.verdict.context import Context

Check = Callable[[Measurement, Context, float], Words | None]

CHECKS: dict[str, Check] = {
    "arrivals": generator.arrivals,
    "backlog": rates.backlog,
    "ceiling": generator.ceiling,
    "counts": replies.counts,
    "dependent": times.dependent,
    "descheduled": generator.descheduled,
    "drifting": times.drifting,
    "errors": replies.errors,
    "excess_data": replies.excess_data,
    "generator_behind": lateness.generator_behind,
    "generator_busy": generator.generator_busy,
    "generator_late": lateness.generator_late,
    "generator_stopped": generator.generator_stopped,
    "littles_law": times.littles_law,
    "missing_calls": replies.missing_calls,
    "no_reply": replies.no_reply,
    "not_steady": times.not_steady,
    "overload": rates.overload,
    "path_losses": wire.path_losses,
    "schedule": rates.schedule,
    "server_starved": generator.server_starved,
    "shared_cores": generator.shared_cores,
    "some_errors": replies.errors,
    "spacing": generator.spacing,
    "stopped_answering": replies.stopped_answering,
    "too_few": times.too_few,
    "too_short": times.too_short,
    "unlike_replies": replies.unlike_replies,
    "unlike_nodes": nodes.unlike_nodes,
    "unsure_clocks": nodes.unsure_clocks,
    "unsent": rates.unsent,
    "vague_tail": times.vague_tail,
    "wire_limit": wire.wire_limit,
    "wrong_replies": replies.wrong_replies,
}
"""A check sees its condition only; which reason makes another one redundant, `rules.py` says."""
