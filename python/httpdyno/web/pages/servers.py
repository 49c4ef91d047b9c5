"""The servers of the catalogue."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from httpdyno.servers import Installation, Server, find_installation, load_catalogue
from httpdyno.units import list_items
from httpdyno.web.pages.answers import page_response


async def servers(request: Request) -> Response:
    """The servers, those of today first, with what is installed."""
    rows = await asyncio.to_thread(_rows)
    languages = sorted({one for server, _ in rows for one in list_items(server.language)})
    language = request.query_params.get("language", "")
    return page_response(
        request,
        "servers",
        rows=[row for row in rows if language in ("", *list_items(row[0].language))],
        languages=[("", "any"), *((one, one) for one in languages)],
        language=language,
    )


def _rows() -> list[tuple[Server, Installation | None]]:
    return [(server, find_installation(server)) for server in load_catalogue().by_tier()]
