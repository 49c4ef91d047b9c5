"""The workloads as a plain ASGI application, with no framework: what is measured is granian."""

import os
from urllib.parse import parse_qs

import pages

PICTURE = str(pages.PICTURE)  # ASGI takes a string


def pong(query):
    return "text/plain", "PONG"


def hello(query):
    return "text/plain", "Hello, world!"


def echo(query):
    values = parse_qs(query.decode(), keep_blank_values=True).get("value")
    return "text/xml", pages.echo(values and values[-1])


def bigtable(query):
    return "text/html", pages.bigtable()


def bigtable_2011(query):
    return "text/html", pages.bigtable_2011()


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
