"""The workloads on aiohttp's own server, as its documentation writes handlers."""

import sys

import pages
from aiohttp import web


async def pong(request):
    return web.Response(text="PONG")


async def hello(request):
    return web.Response(text="Hello, world!")


async def echo(request):
    page = pages.echo(request.query.get("value"))
    return web.Response(text=page, content_type="text/xml")


async def bigtable(request):
    return web.Response(text=pages.bigtable(), content_type="text/html")


async def bigtable_2011(request):
    return web.Response(text=pages.bigtable_2011(), content_type="text/html")


async def picture(request):
    return web.FileResponse(pages.PICTURE)


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
