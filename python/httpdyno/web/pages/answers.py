"""Answers that several pages give: a page, an error, a way back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from httpdyno.errors import EnvironmentFault, HttpdynoError, TargetError, UsageError
from httpdyno.web.security import form_of
from httpdyno.web.site import Site
from httpdyno.web.templates import page

Endpoint = Callable[[Request], Awaitable[Response]]
Form = dict[str, str]

NOT_FOUND = 404
UNAVAILABLE = 503
_FAULTS = {
    UsageError: ("This request cannot be answered", 400),
    TargetError: ("The server under test", 400),
    EnvironmentFault: ("Not possible now", UNAVAILABLE),
}


def site_of(request: Request) -> Site:
    """The page server."""
    site: Site = request.app.state.site
    return site


def page_response(request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page."""
    secret = site_of(request).access.form_secret
    return HTMLResponse(page(name, here=request.url.path, secret=secret, **values), status)


def back_to(path: str) -> RedirectResponse:
    """See another page, by GET."""
    return RedirectResponse(path, 303)


def not_found(request: Request, what: str, hint: str = "") -> HTMLResponse:
    """There is no such thing."""
    return page_response(request, "error", NOT_FOUND, heading="Not found", message=what, hint=hint)


def answer_error(request: Request, error: HttpdynoError) -> HTMLResponse:
    """An error in a sentence, with what to do."""
    known = (of for kind, of in _FAULTS.items() if isinstance(error, kind))
    heading, status = next(known, ("Error", 500))
    hint = error.hint or ""
    return page_response(
        request, "error", status, heading=heading, message=error.message, hint=hint
    )


def action(answer: Callable[[Request, Form], Awaitable[Response]]) -> Endpoint:
    """A page that changes something: only for forms of these pages."""

    async def answer_checked_form(request: Request) -> Response:
        form = await form_of(request, site_of(request).access)
        return form if isinstance(form, Response) else await answer(request, form)

    return answer_checked_form
