"""All runs: those under way, and the stored ones with filters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from httpdyno.errors import EnvironmentFault
from httpdyno.history import machine_words
from httpdyno.store import RunSummary, study_labels
from httpdyno.web.live.view import shown_condition
from httpdyno.web.pages.answers import UNAVAILABLE, page_response, site_of

MOST_SHOWN = 200
STATUSES = ("valid", "suspect", "invalid")


async def runs(request: Request) -> Response:
    """The runs, the newest first."""
    site = site_of(request)
    live = await site.hub.newest()
    stored, fault = list[RunSummary](), None
    try:
        stored = await asyncio.to_thread(site.runs)
    except EnvironmentFault as error:  # runs under way need no database of ours to be shown
        fault = error
    filters = {name: request.query_params.get(name, "")[:200] for name in ("text", "study")}
    labels = study_labels(stored)
    found = [
        run
        for run in stored
        if filters["study"] in ("", labels[run.id]) and _fits(run, filters["text"])
    ]
    return page_response(
        request,
        "runs",
        200 if fault is None else UNAVAILABLE,
        fault=fault,
        now=[feed for feed in live if feed.active],
        ended=[feed for feed in live if not feed.active][:5],
        runs=found[:MOST_SHOWN],
        found=len(found),
        stored=len(stored),
        studies=[("", "any"), *((name, name) for name in sorted(set(labels.values())))],
        label=lambda run: labels[run.id],
        filters=filters,
        verdicts=verdicts,
        machine=lambda run: run.origin or machine_words(run.facts),
        condition=lambda feed: shown_condition(feed.state, alive=feed.identity.alive()),
        under_way={feed.state.run: feed.state.key for feed in live if feed.active},
    )


def verdicts(run: RunSummary) -> Sequence[tuple[str, int]]:
    """The number of trials by verdict."""
    return [(name, run.trials[name]) for name in STATUSES if run.trials.get(name)]


def _fits(run: RunSummary, text: str) -> bool:
    words = [str(run.id), run.study, *run.arms, run.origin or "", machine_words(run.facts)]
    searched = " ".join(words).casefold()
    return all(word in searched for word in text.casefold().split())
