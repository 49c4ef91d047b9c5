"""The workloads on Tornado, as its user's guide writes handlers."""

import argparse
import asyncio
import signal
import socket

import pages
from tornado.escape import xhtml_escape
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.process import fork_processes
from tornado.web import Application, RequestHandler, StaticFileHandler


class Pong(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/plain")
        self.write("PONG")


class Hello(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/plain")
        self.write("Hello, world!")


class Echo(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "text/xml")
        value = self.get_query_argument("value", None)
        if value is None:
            self.write("<http_test><error>no value specified</error></http_test>")
        else:
            self.write(f"<http_test><value>{xhtml_escape(value)}</value></http_test>")


class BigTable(RequestHandler):
    def get(self):
        self.write(pages.bigtable())


class BigTable2011(RequestHandler):
    def get(self):
        self.write(pages.bigtable_2011())


def application():
    return Application(
        [
            ("/pong", Pong),
            ("/hello", Hello),
            ("/echo", Echo),
            ("/bigtable", BigTable),
            ("/bigtable-2011", BigTable2011),
            ("/(file\\.png)", StaticFileHandler, {"path": str(pages.PICTURE.parent)}),
        ]
    )


async def serve(sockets):
    server = HTTPServer(application())
    server.add_sockets(sockets)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    sockets = bind_sockets(options.port, options.host, family=socket.AF_INET, backlog=1024)
    if options.processes > 1:
        fork_processes(options.processes)
    asyncio.run(serve(sockets))


if __name__ == "__main__":
    main()
