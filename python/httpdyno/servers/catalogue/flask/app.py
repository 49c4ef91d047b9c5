"""The workloads on Flask, as its quickstart writes views."""

import os
from pathlib import Path

from flask import Flask, Response, request, send_file
from markupsafe import escape

PICTURE = Path(os.environ["FILES"]) / "file.png"

app = Flask(__name__)


@app.get("/pong")
def pong():
    return Response("PONG", mimetype="text/plain")


@app.get("/hello")
def hello():
    return Response("Hello, world!", mimetype="text/plain")


@app.get("/echo")
def echo():
    value = request.args.get("value")
    if value is None:
        page = "<http_test><error>no value specified</error></http_test>"
    else:
        page = f"<http_test><value>{escape(value)}</value></http_test>"
    return Response(page, mimetype="text/xml")


@app.get("/bigtable")
def bigtable():
    parts = ["<table>"]
    for _ in range(1000):
        parts.append("<tr>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>")
    parts.append("</table>")
    return "".join(parts)


@app.get("/bigtable-2011")
def bigtable_2011():
    parts = ["<html><body><table>\n"]
    for row in range(1, 1001):
        parts.append(f"<tr><td>{row}</td>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>\n")
    parts.append("</table></body></html>")
    return "".join(parts)


@app.get("/file.png")
def picture():
    return send_file(PICTURE)
