"""The workloads on Starlette, as its documentation writes endpoints."""

import pages
from starlette.applications import Starlette
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route


async def pong(request):
    return PlainTextResponse("PONG")


async def hello(request):
    return PlainTextResponse("Hello, world!")


async def echo(request):
    page = pages.echo(request.query_params.get("value"))
    return Response(page, media_type="text/xml")


async def bigtable(request):
    return HTMLResponse(pages.bigtable())


async def bigtable_2011(request):
    return HTMLResponse(pages.bigtable_2011())


async def picture(request):
    return FileResponse(pages.PICTURE)


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
