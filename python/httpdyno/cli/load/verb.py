"""`httpdyno load URL`: put one URL under load."""

from __future__ import annotations

from httpdyno.cli.load.arguments.flags import LoadFlags

__all__ = ["load"]


def load(flags: LoadFlags) -> int:
    """Put one URL under load and report what it did.

    With only a URL: a closed load of 10 connections for 10 seconds.

    \b
    Closed load: each connection waits for its reply (as ab, wrk)
      httpdyno load http://localhost:8080/hello
      httpdyno load http://localhost:8080/hello --requests 200000 --connections 64
    Open load: requests are due at a rate, however slow the server is (as wrk2)
      httpdyno load http://localhost:8080/hello --rate 5000 --duration 30s
      httpdyno load http://localhost:8080/hello --rate 1000:20000/60s
    Sessions: each arrives at a rate, on a connection of its own (as httperf)
      httpdyno load http://localhost:8080/hello --sessions 100 --calls 10 --think 1s
    Requests that vary: numbers, texts, times in the URL, headers and bodies
      httpdyno load 'http://localhost:3000/items/{random:1:10000}' --rate 500
    Many URLs: a line each, or the targets of vegeta
      httpdyno load --urls urls.txt --rate 500
    A workload, as studies have it: requests with weights and their correct replies
      httpdyno load http://localhost:3000 --workload shop.toml --rate 500
    Sessions as recorded: in the format of httperf's --wsesslog
      httpdyno load http://localhost:8080/ --sessions-file log --sessions 20
    TLS: a full handshake for each request, as new visitors make it
      httpdyno load https://localhost:8443/ -k --no-keep-alive --no-resume
    gRPC: unary calls, each right if its status is OK
      httpdyno load grpc://localhost:50051/shop.Orders/Get --proto orders.proto --rate 500
    From several machines, as if from one
      httpdyno load http://10.0.0.9:8080/hello --rate 200000 --on hosts.toml
    In a test: the exit code tells whether it was fast enough
      httpdyno load http://localhost:8080/hello --rate 500 --fail-if 'p99>20ms'
    On a page in the browser, while it runs
      httpdyno load http://localhost:8080/hello --rate 500 --duration 5m --serve

    \b
    Exit codes:
        0  done
        2  wrong flags
        3  the server cannot be reached
        4  this machine: a permission, a limit, a file that cannot be written
        5  a --fail-if threshold failed
        6  the measurement is invalid
      130  stopped by Ctrl-C, SIGTERM or SIGHUP; what was measured is kept
    """
    from httpdyno.cli.load.run import run  # `--help` needs no engine

    return run(flags)
