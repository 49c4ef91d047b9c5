"""The workloads on BlackSheep, as its documentation writes request handlers."""

import pages
from blacksheep import Application, Content, Response, file, get, html, text
from blacksheep.server.responses import ContentDispositionType

app = Application()


@get("/pong")
async def pong():
    return text("PONG")


@get("/hello")
async def hello():
    return text("Hello, world!")


@get("/echo")
async def echo(value: str | None = None):
    return Response(200, content=Content(b"text/xml", pages.echo(value).encode()))


@get("/bigtable")
async def bigtable():
    return html(pages.bigtable())


@get("/file.png")
async def picture():
    return file(str(pages.PICTURE), "image/png", content_disposition=ContentDispositionType.INLINE)
