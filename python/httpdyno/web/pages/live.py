"""A run under way: its page, its stream of events, and what one can do with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import CANCEL, PAUSE, folder_of
from httpdyno.web.live.feed import Feed
from httpdyno.web.live.view import parts
from httpdyno.web.pages.answers import Form, back_to, not_found, page_response, site_of

_NONE = "There is no such run, or nothing of it is left but its report."


async def live(request: Request) -> Response:
    """The page of a run, with its whole past."""
    feed = _feed(request)
    if feed is None:
        identity = Identity.from_key(request.path_params["key"])
        if identity is not None and identity.alive():  # its journal is about to be written
            return page_response(request, "starting")
        return not_found(request, _NONE)
    state = await feed.refresh()
    alive = feed.identity.alive()
    drawn = await asyncio.to_thread(parts, state, alive, site_of(request).access.form_secret)
    values: dict[str, Any] = {"state": state, "parts": _safe(drawn)}
    return page_response(request, "live", active=feed.active, **values)


async def events(request: Request) -> Response:
    """The stream of what changes on that page."""
    feed = _feed(request)
    if feed is None:
        return PlainTextResponse(_NONE, 404)
    await feed.refresh()
    if site_of(request).hub.full:
        return PlainTextResponse("too many viewers", 503)
    return _Watching(feed)


class _Watching(StreamingResponse):
    """The stream of one viewer, who counts from this moment on, before anything is sent."""

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed.stream(), media_type="text/event-stream")
        self._feed = feed
        feed.viewers += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the run or the viewer ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._feed.viewers -= 1


async def act(request: Request, _: Form) -> Response:
    """Pause, continue or cancel a run."""
    feed, what = _feed(request), request.path_params["what"]
    if feed is None or what not in ("pause", "continue", "cancel"):
        return not_found(request, _NONE)
    await feed.refresh()
    key = feed.state.key
    if feed.active:
        if what == "cancel":
            _mark(key, CANCEL, exists=True)  # before the run can end, so that nobody sees why not
            if not feed.identity.interrupt():
                _mark(key, CANCEL, exists=False)
        else:
            _mark(key, PAUSE, exists=what == "pause")
    return back_to(f"/live/{key}")


def _feed(request: Request) -> Feed | None:
    return site_of(request).hub.feed(request.path_params["key"])


def _safe(drawn: Mapping[str, str]) -> dict[str, Markup]:
    """The parts, which the templates have escaped."""
    return {name: Markup(html) for name, html in drawn.items()}  # noqa: S704


def _mark(key: str, name: str, *, exists: bool) -> None:
    with suppress(OSError):
        file = folder_of(key) / name
        if exists:
            file.touch(0o600)
        else:
            file.unlink(missing_ok=True)
