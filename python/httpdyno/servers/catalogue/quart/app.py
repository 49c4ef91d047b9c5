"""The workloads on Quart, as its documentation writes views."""

import pages
from quart import Quart, Response, request, send_file

app = Quart(__name__)


@app.get("/pong")
async def pong():
    return Response("PONG", mimetype="text/plain")


@app.get("/hello")
async def hello():
    return Response("Hello, world!", mimetype="text/plain")


@app.get("/echo")
async def echo():
    return Response(pages.echo(request.args.get("value")), mimetype="text/xml")


@app.get("/bigtable")
async def bigtable():
    return pages.bigtable()


@app.get("/file.png")
async def picture():
    return await send_file(pages.PICTURE)
