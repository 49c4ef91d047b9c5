"""The workloads on Litestar, as its documentation writes route handlers."""

import pages
from litestar import Litestar, MediaType, get
from litestar.response import File


@get("/pong", media_type=MediaType.TEXT)
async def pong() -> str:
    return "PONG"


@get("/hello", media_type=MediaType.TEXT)
async def hello() -> str:
    return "Hello, world!"


@get("/echo", media_type="text/xml")
async def echo(value: str | None = None) -> str:
    return pages.echo(value)


@get("/bigtable", media_type=MediaType.HTML)
async def bigtable() -> str:
    return pages.bigtable()


@get("/file.png", media_type="image/png")
async def picture() -> File:
    return File(pages.PICTURE, content_disposition_type="inline")


app = Litestar([pong, hello, echo, bigtable, picture])
