"""The workloads on Starlette, as its documentation writes endpoints."""

import os
from pathlib import Path
from xml.sax.saxutils import escape

from starlette.applications import Starlette
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

PICTURE = Path(os.environ["FILES"]) / "file.png"


async def pong(request):
    return PlainTextResponse("PONG")


async def hello(request):
    return PlainTextResponse("Hello, world!")


async def echo(request):
    value = request.query_params.get("value")
    if value is None:
        page = "<http_test><error>no value specified</error></http_test>"
    else:
        page = f"<http_test><value>{escape(value)}</value></http_test>"
    return Response(page, media_type="text/xml")


async def bigtable(request):
    parts = ["<table>"]
    for _ in range(1000):
        parts.append("<tr>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>")
    parts.append("</table>")
    return HTMLResponse("".join(parts))


async def bigtable_2011(request):
    parts = ["<html><body><table>\n"]
    for row in range(1, 1001):
        parts.append(f"<tr><td>{row}</td>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>\n")
    parts.append("</table></body></html>")
    return HTMLResponse("".join(parts))


async def picture(request):
    return FileResponse(PICTURE)


app = Starlette(
    routes=[
        Route("/pong", pong),
        Route("/hello", hello),
        Route("/echo", echo),
        Route("/bigtable", bigtable),
        Route("/bigtable-2011", bigtable_2011),
        Route("/file.png", picture),
    ]
)
