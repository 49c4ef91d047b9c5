"""The workloads on gevent's own WSGI server, as a plain WSGI application."""

import argparse
import os
import signal
import socket
from urllib.parse import parse_qs

import gevent
import pages
from gevent.os import fork_and_watch
from gevent.pywsgi import WSGIServer


def pong(environ):
    return "text/plain", "PONG"


def hello(environ):
    return "text/plain", "Hello, world!"


def echo(environ):
    values = parse_qs(environ["QUERY_STRING"], keep_blank_values=True).get("value")
    return "text/xml", pages.echo(values and values[-1])


def bigtable(environ):
    return "text/html", pages.bigtable()


def bigtable_2011(environ):
    return "text/html", pages.bigtable_2011()


PAGES = {
    "/pong": pong,
    "/hello": hello,
    "/echo": echo,
    "/bigtable": bigtable,
    "/bigtable-2011": bigtable_2011,
}


def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/file.png":
        status, content_type, body = "200 OK", "image/png", pages.PICTURE.read_bytes()
    elif page := PAGES.get(path):
        content_type, text = page(environ)
        status, body = "200 OK", text.encode()
    else:
        status, content_type, body = "404 Not Found", "text/plain", b"not found"
    headers = [("Content-Type", content_type), ("Content-Length", str(len(body)))]
    start_response(status, headers)
    return [body] if environ["REQUEST_METHOD"] != "HEAD" else []


def fork(processes):
    """Processes that share the sockets open now; only the first of them has children."""
    children = []
    for _ in range(processes - 1):
        child = fork_and_watch()
        if child == 0:
            return []
        children.append(child)
    return children


def serve(server, processes, *, nodelay):
    """Bind, fork, then accept in each process; SIGTERM ends all of them."""
    server.init_socket()
    if nodelay:
        # What is accepted inherits it (Linux, tcp(7)).
        server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    children = fork(processes)

    def end():
        for child in children:
            os.kill(child, signal.SIGTERM)
        server.stop()

    gevent.signal_handler(signal.SIGTERM, end)
    server.serve_forever()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--as-shipped", action="store_true", help="leave Nagle's algorithm on")
    options = parser.parse_args()
    address = options.host, options.port
    server = WSGIServer(address, application, log=None, backlog=1024)
    serve(server, options.processes, nodelay=not options.as_shipped)


if __name__ == "__main__":
    main()
