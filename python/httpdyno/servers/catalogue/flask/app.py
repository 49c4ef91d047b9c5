"""The workloads on Flask, as its quickstart writes views."""

import pages
from flask import Flask, Response, request, send_file

app = Flask(__name__)


@app.get("/pong")
def pong():
    return Response("PONG", mimetype="text/plain")


@app.get("/hello")
def hello():
    return Response("Hello, world!", mimetype="text/plain")


@app.get("/echo")
def echo():
    return Response(pages.echo(request.args.get("value")), mimetype="text/xml")


@app.get("/bigtable")
def bigtable():
    return pages.bigtable()


@app.get("/bigtable-2011")
def bigtable_2011():
    return pages.bigtable_2011()


@app.get("/file.png")
def picture():
    return send_file(pages.PICTURE)
