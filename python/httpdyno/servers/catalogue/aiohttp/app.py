"""The workloads on aiohttp's own server, as its documentation writes handlers."""

import os
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from aiohttp import web

PICTURE = Path(os.environ["FILES"]) / "file.png"


async def pong(request):
    return web.Response(text="PONG")


async def hello(request):
    return web.Response(text="Hello, world!")


async def echo(request):
    value = request.query.get("value")
    if value is None:
        page = "<http_test><error>no value specified</error></http_test>"
    else:
        page = f"<http_test><value>{escape(value)}</value></http_test>"
    return web.Response(text=page, content_type="text/xml")


async def bigtable(request):
    parts = ["<table>"]
    for _ in range(1000):
        parts.append("<tr>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>")
    parts.append("</table>")
    return web.Response(text="".join(parts), content_type="text/html")


async def bigtable_2011(request):
    parts = ["<html><body><table>\n"]
    for row in range(1, 1001):
        parts.append(f"<tr><td>{row}</td>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>\n")
    parts.append("</table></body></html>")
    return web.Response(text="".join(parts), content_type="text/html")


async def picture(request):
    return web.FileResponse(PICTURE)


def application():
    app = web.Application()
    app.add_routes(
        [
            web.get("/pong", pong),
            web.get("/hello", hello),
            web.get("/echo", echo),
            web.get("/bigtable", bigtable),
            web.get("/bigtable-2011", bigtable_2011),
            web.get("/file.png", picture),
        ]
    )
    return app


if __name__ == "__main__":
    host, port = sys.argv[1:]
    app = application()
    web.run_app(app, host=host, port=int(port), backlog=1024, access_log=None, print=None)
