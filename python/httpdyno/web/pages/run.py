"""A stored run: its report, its data, and its resumption."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from httpdyno.errors import UsageError
from httpdyno.report import page as report_page
from httpdyno.report.result_json import to_json
from httpdyno.result import StudyResult
from httpdyno.running.options import RESUME
from httpdyno.store import StoredRun
from httpdyno.web.pages.answers import Form, back_to, not_found, site_of
from httpdyno.web.site import Site

RESUMABLE = ("run", "capacity", "compare", "ci")
MOST_NUMBER = 1 << 62
_NONE = "There is no run with this number."
_NAV = Markup(
    '<nav class="contents" aria-label="Pages of httpdyno"><ul>'
    '<li><a href="/compare?a={run}">Compare</a></li><li><a href="/history?run={run}">History'
    "</a></li>{live}</ul></nav>"
)
_LIVE = Markup('<li><a href="/live/{}"><b>Live: this run is under way</b></a></li>')


async def report(request: Request) -> Response:
    """The report of a run; of one under way, so far."""
    site, run = site_of(request), await _run(request)
    if run is None:
        return not_found(request, _NONE)
    feed = await site.hub.of_run(run.id)
    live = Markup() if feed is None else _LIVE.format(feed.state.key)
    html = await asyncio.to_thread(_page, site, run, under_way=feed is not None)
    nav = _NAV.format(run=run.id, live=live)
    before, header, rest = html.partition("<main")
    policy = f"{report_page.frame().policy}; frame-ancestors 'none'"
    whole = f"{before}{nav}{header}{rest}"
    return HTMLResponse(whole, headers={"content-security-policy": policy})


async def result_json(request: Request) -> Response:
    """The data of a run."""
    site, run = site_of(request), await _run(request)
    if run is None:
        return not_found(request, _NONE)
    result = await asyncio.to_thread(site.results.of, site.store(), run)
    text = await asyncio.to_thread(to_json, result)
    name = f"attachment; filename=run-{run.id}.json"
    headers = {"content-disposition": name}
    return Response(text, media_type="application/json", headers=headers)


async def resume(request: Request, _: Form) -> Response:
    """Measure what a run still lacks."""
    site, run = site_of(request), await _run(request)
    if run is None:
        return not_found(request, _NONE)
    folder = site.launcher.studies
    for feed in await site.hub.newest():
        if feed.state.run == run.id and feed.state.working_folder:
            folder = Path(feed.state.working_folder)
            break
    key = await asyncio.wrap_future(site.launcher.start(arguments_of(run), folder))
    return back_to(f"/live/{key}")


def arguments_of(run: StoredRun) -> list[str]:
    """The arguments that resume a run. Raises UsageError for one of another machine."""
    words = shlex.split(run.command)
    here = run.origin is None and len(words) > 1 and words[0] == "httpdyno"
    if not here or words[1] not in RESUMABLE:
        raise UsageError(
            f"run {run.id} cannot be resumed here: it was measured on another machine",
            hint=f"`httpdyno runs show {run.id}` shows where it was measured",
        )
    return [*words[1:], RESUME]


async def _run(request: Request) -> StoredRun | None:
    number = request.path_params["number"]
    if number >= MOST_NUMBER:
        return None
    return await asyncio.to_thread(site_of(request).store().run, number)


def _page(site: Site, run: StoredRun, *, under_way: bool) -> str:
    result: StudyResult = site.results.of(site.store(), run)
    data = (("result.json", f"/runs/{run.id}/result.json"),)
    place = report_page.Place(data=data, home="/", home_words="All runs", under_way=under_way)
    return report_page.whole_page(result, place)
