"""The workloads on FastAPI, as its tutorial writes path operations."""

import pages
from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

app = FastAPI()


@app.get("/pong", response_class=PlainTextResponse)
async def pong():
    return "PONG"


@app.get("/hello", response_class=PlainTextResponse)
async def hello():
    return "Hello, world!"


@app.get("/echo")
async def echo(value: str | None = None):
    return Response(pages.echo(value), media_type="text/xml")


@app.get("/bigtable", response_class=HTMLResponse)
async def bigtable():
    return pages.bigtable()


@app.get("/bigtable-2011", response_class=HTMLResponse)
async def bigtable_2011():
    return pages.bigtable_2011()


@app.get("/file.png", response_class=FileResponse)
async def picture():
    return pages.PICTURE
