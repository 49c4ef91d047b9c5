"""The workloads on Robyn, as its documentation writes handlers."""

import os

import pages
from robyn import Headers, Response, Robyn, html, serve_file

app = Robyn(__file__)


def sent(media_type, body):
    return Response(200, Headers({"Content-Type": media_type}), body)


@app.get("/pong")
async def pong():
    return sent("text/plain", "PONG")


@app.get("/hello")
async def hello():
    return sent("text/plain", "Hello, world!")


@app.get("/echo")
async def echo(request):
    return sent("text/xml", pages.echo(request.query_params.get("value", None)))


@app.get("/bigtable")
async def bigtable():
    return html(pages.bigtable())


@app.get("/file.png")
async def picture():
    return serve_file(str(pages.PICTURE))


app.start(host=os.environ["HOST"], port=int(os.environ["PORT"]))
