"""The workloads on Sanic, as its guide writes handlers."""

import pages
from sanic import HTTPResponse, Sanic, file, html, text

app = Sanic("pages")


@app.get("/pong")
async def pong(request):
    return text("PONG")


@app.get("/hello")
async def hello(request):
    return text("Hello, world!")


@app.get("/echo")
async def echo(request):
    return HTTPResponse(pages.echo(request.args.get("value")), content_type="text/xml")


@app.get("/bigtable")
async def bigtable(request):
    return html(pages.bigtable())


@app.get("/file.png")
async def picture(request):
    return await file(pages.PICTURE)
