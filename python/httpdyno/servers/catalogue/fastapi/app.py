"""The workloads on FastAPI, as its tutorial writes path operations."""

import os
from pathlib import Path
from xml.sax.saxutils import escape

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

PICTURE = Path(os.environ["FILES"]) / "file.png"

app = FastAPI()


@app.get("/pong", response_class=PlainTextResponse)
async def pong():
    return "PONG"


@app.get("/hello", response_class=PlainTextResponse)
async def hello():
    return "Hello, world!"


@app.get("/echo")
async def echo(value: str | None = None):
    if value is None:
        page = "<http_test><error>no value specified</error></http_test>"
    else:
        page = f"<http_test><value>{escape(value)}</value></http_test>"
    return Response(page, media_type="text/xml")


@app.get("/bigtable", response_class=HTMLResponse)
async def bigtable():
    parts = ["<table>"]
    for _ in range(1000):
        parts.append("<tr>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>")
    parts.append("</table>")
    return "".join(parts)


@app.get("/bigtable-2011", response_class=HTMLResponse)
async def bigtable_2011():
    parts = ["<html><body><table>\n"]
    for row in range(1, 1001):
        parts.append(f"<tr><td>{row}</td>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>\n")
    parts.append("</table></body></html>")
    return "".join(parts)


@app.get("/file.png", response_class=FileResponse)
async def picture():
    return PICTURE
