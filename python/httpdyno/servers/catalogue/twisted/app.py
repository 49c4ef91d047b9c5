"""The workloads on Twisted Web, as its guide writes resources; one reactor a process."""

import argparse
import signal
import socket
import subprocess
import sys

import pages
from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
from twisted.web.static import Data, File


class Echo(Resource):
    isLeaf = True  # noqa: N815

    def render_GET(self, request):  # noqa: N802 - Twisted's name
        request.setHeader("Content-Type", "text/xml")
        values = request.args.get(b"value")
        return pages.echo(values and values[-1].decode(errors="replace")).encode()


class BigTable(Resource):
    isLeaf = True  # noqa: N815

    def render_GET(self, request):  # noqa: N802
        request.setHeader("Content-Type", "text/html")
        return pages.bigtable().encode()


class BigTable2011(Resource):
    isLeaf = True  # noqa: N815

    def render_GET(self, request):  # noqa: N802
        request.setHeader("Content-Type", "text/html")
        return pages.bigtable_2011().encode()


def site():
    root = Resource()
    root.putChild(b"pong", Data(b"PONG", "text/plain"))
    root.putChild(b"hello", Data(b"Hello, world!", "text/plain"))
    root.putChild(b"echo", Echo())
    root.putChild(b"bigtable", BigTable())
    root.putChild(b"bigtable-2011", BigTable2011())
    root.putChild(b"file.png", File(str(pages.PICTURE)))
    return Site(root)


def serve(listener):
    """Take over a listening socket; the reactor itself ends on SIGTERM."""
    reactor.adoptStreamPort(listener.fileno(), socket.AF_INET, site())
    listener.close()
    reactor.run()


def supervise(listener, count):
    """The same program `count` times on one socket; they end with this one."""
    number = listener.fileno()
    command = [sys.executable, *sys.argv, "--listener", str(number)]
    workers = [subprocess.Popen(command, pass_fds=[number]) for _ in range(count)]

    def end(*_):
        for worker in workers:
            worker.terminate()

    signal.signal(signal.SIGTERM, end)
    for worker in workers:
        worker.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--listener", type=int, help="a listening socket, from the supervisor")
    options = parser.parse_args()
    if options.listener is not None:
        listener = socket.socket(fileno=options.listener)
    else:
        listener = socket.create_server((options.host, options.port), backlog=1024)
    listener.setblocking(False)
    if options.processes > 1 and options.listener is None:
        supervise(listener, options.processes)
    else:
        serve(listener)


if __name__ == "__main__":
    main()
