"""The workloads as a plain ASGI application, with no framework: what is measured is granian."""

import os
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

PICTURE = os.path.join(os.environ["FILES"], "file.png")  # noqa: PTH118 - ASGI takes a string


def pong(query):
    return "text/plain", "PONG"


def hello(query):
    return "text/plain", "Hello, world!"


def echo(query):
    values = parse_qs(query.decode(), keep_blank_values=True).get("value")
    if values is None:
        return "text/xml", "<http_test><error>no value specified</error></http_test>"
    return "text/xml", f"<http_test><value>{escape(values[-1])}</value></http_test>"


def bigtable(query):
    parts = ["<table>"]
    for _ in range(1000):
        parts.append("<tr>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>")
    parts.append("</table>")
    return "text/html", "".join(parts)


def bigtable_2011(query):
    parts = ["<html><body><table>\n"]
    for row in range(1, 1001):
        parts.append(f"<tr><td>{row}</td>")
        for column in range(1, 51):
            parts.append(f"<td>{column}</td>")
        parts.append("</tr>\n")
    parts.append("</table></body></html>")
    return "text/html", "".join(parts)


PAGES = {
    "/pong": pong,
    "/hello": hello,
    "/echo": echo,
    "/bigtable": bigtable,
    "/bigtable-2011": bigtable_2011,
}


async def start(send, status, content_type, length):
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", str(length).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def picture(send):
    """By the extension `http.response.pathsend`: the server reads and sends the file."""
    size = os.stat(PICTURE).st_size  # noqa: PTH116
    await start(send, 200, "image/png", size)
    await send({"type": "http.response.pathsend", "path": PICTURE})


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    if scope["path"] == "/file.png":
        await picture(send)
        return
    page = PAGES.get(scope["path"])
    status = 404 if page is None else 200
    content_type, text = page(scope["query_string"]) if page else ("text/plain", "not found")
    body = text.encode()
    await start(send, status, content_type, len(body))
    await send({"type": "http.response.body", "body": body})
