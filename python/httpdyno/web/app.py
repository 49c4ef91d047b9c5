"""Which page answers which path."""

from __future__ import annotations

import asyncio
from importlib import resources

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from httpdyno.errors import HttpdynoError
from httpdyno.report import page as report
from httpdyno.web.pages import answers, compare, history, live, run, runs, servers, start
from httpdyno.web.security import Guard
from httpdyno.web.site import Site

_FILES = {"live.js": "text/javascript", "web.css": "text/css", "icon.svg": "image/svg+xml"}


def make_app(site: Site) -> ASGIApp:
    """The pages, behind their guard."""
    app = Starlette(
        routes=[
            Route("/", runs.runs),
            Route("/live/{key}", live.live),
            Route("/live/{key}/events", live.events),
            Route("/live/{key}/{what}", answers.action(live.act), methods=["POST"]),
            Route("/runs/{number:int}", run.report),
            Route("/runs/{number:int}/result.json", run.result_json),
            Route("/runs/{number:int}/resume", answers.action(run.resume), methods=["POST"]),
            Route("/compare", compare.compare),
            Route("/history", history.history),
            Route("/start", start.start),
            Route("/start/study", answers.action(start.study), methods=["POST"]),
            Route("/start/capacity", answers.action(start.capacity), methods=["POST"]),
            Route("/servers", servers.servers),
            Route("/static/{name}", static),
        ],
        exception_handlers={HttpdynoError: _error, 404: _missing, Exception: _bug},
    )
    app.state.site = site
    return Guard(_WithLoop(app, site), site.access)


class _WithLoop:
    """Remembers the loop of the web server, through which other threads reach it."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._site.loop = asyncio.get_running_loop()
        await self._app(scope, receive, send)


async def static(request: Request) -> Response:
    """A style sheet, a script, a picture."""
    name = request.path_params["name"]
    if name == "report.css":
        return Response(report.css(), media_type="text/css")
    if name not in _FILES:
        return answers.not_found(request, "There is no such file.")
    text = resources.files("httpdyno.web").joinpath("static", name).read_text(encoding="utf-8")
    return Response(text, media_type=_FILES[name])


async def _error(request: Request, error: Exception) -> Response:
    if isinstance(error, HttpdynoError):
        return answers.answer_error(request, error)
    return await _bug(request, error)


async def _missing(request: Request, _: Exception) -> Response:
    return answers.not_found(request, "There is no such page.")


async def _bug(request: Request, error: Exception) -> Response:
    heading, message = "Error", f"This is a bug in httpdyno: {type(error).__name__}."
    return answers.page_response(request, "error", 500, heading=heading, message=message, hint="")
