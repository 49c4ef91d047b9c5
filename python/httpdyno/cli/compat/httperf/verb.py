"""`httpdyno httperf`: the options and the output of httperf, on httpdyno's engine."""

from __future__ import annotations

from httpdyno.cli.command import command_of
from httpdyno.cli.compat.raw import RawCommand

__all__ = ["command"]


def httperf() -> None:
    """Load a server as httperf does: its options, its output.

    A script that runs httperf and reads what it prints goes on working with `httpdyno httperf`, or
    with the command `httpdyno-httperf`. Options may be abbreviated while they are unique.
    The differences are in https://httpdyno.github.io/httpdyno/reference/httperf/.

    \b
      httpdyno httperf --server=localhost --port=8080 --num-conns=100 --rate=10 --timeout=5
      httpdyno httperf --hog --port=8080 --num-conns=100 --num-calls=100 --burst-length=20
      httpdyno httperf --port=8080 --wsess=10,5,2 --rate=1 --timeout=5
      httpdyno httperf --port=8080 --wsesslog=100,1,sessions.txt --rate=10

    \b
    Server
      --server=HOST              Server to load (default localhost)
      --port=N                   Port (default 80, with --ssl 443)
      --server-name=HOST         Value of the Host header (default --server)
      --servers=FILE             File with the one server to load, instead of --server
      --myaddr=ADDRESS,…         Addresses, hosts or interfaces to connect from
      --hog                      Use all local ports from 1024 if the test needs them

    \b
    Connections, each with calls
      --num-conns=N              Connections in total (default 1)
      --num-calls=N              Calls on each connection (default 1)
      --burst-length=N           Calls that are sent together (default 1)
      --rate=X                   Connections or sessions per second (default 0: one after the other)
      --period=[d|u|e|v]T,…      Seconds between them: dT, uLEAST,GREATEST, eMEAN, or vT1,D1,T2,D2,…
      --runtime=X                End the test after X seconds

    \b
    Sessions
      --wsess=N1,N2,X            N1 sessions of N2 calls; X s of think time after each burst
      --wsesslog=N,X,FILE        N sessions as the file describes them
      --max-connections=N        Connections of a session (default 4)
      --max-piped-calls=N        Calls pipelined on a connection (default: the burst)
      --failure-status=N         A reply with this status fails the session
      --retry-on-failure         Send a call that failed so again instead
      --session-cookies          Send back the cookies that the session was given

    \b
    Requests
      --uri=URI                  URI (default /)
      --method=METHOD            Method (default GET)
      --http-version=1.0|1.1     Version (default 1.1)
      --add-header='NAME: X\\n'   Header lines, with \\n after each
      --add-header-file=FILE     Header lines as they are in a file
      --no-host-hdr              Send no Host header
      --wlog=y|n,FILE            URIs from a file, separated by NUL; y: again and again
      --wset=N,X                 A walk through N URIs; X: rate of moving on

    \b
    TLS
      --ssl                      Use TLS
      --ssl-protocol=VERSION     auto, TLSv1.2 or TLSv1.3
      --ssl-no-reuse             A full handshake for each connection of a session
      --ssl-verify[=yes|no]      Check the server's certificate (default no)
      --ssl-ca-file=FILE         Trusted certificates, PEM
      --ssl-certificate=FILE     Client certificate; --ssl-key=FILE: its key, PEM
      --tls-server-name=HOST     Server name to send (SNI)

    \b
    Limits of a connection
      --timeout=X                Longest wait for the server, in seconds (default: none)
      --think-timeout=X          Added to it while a reply is awaited
      --send-buffer=N            Socket send buffer in bytes (default 4096)
      --recv-buffer=N            Socket receive buffer in bytes (default 16384)
      --close-with-reset         Close connections by a reset

    \b
    Output
      -v, --verbose              Show the reply rate of each 5 s; -vv: lifetimes of connections
      -n, --periodic-stats       Show the replies with status 200 and 302 in each second
      --print-request[=PART]     Show requests: header, body or both
      --print-reply[=PART]       Show replies: header, body or both
      --client=I/N               This is client I of N
      -V, -h                     Show the version; show this help
      --verdict                  Add httpdyno's own summary and verdict, and exit as load does

    \b
    Exit codes: 0 after a test, whatever the server did, and after Ctrl-C; 2 wrong options;
    3 the server's name is unknown; with --verdict 6 if the measurement is invalid.
    """


command = command_of(httperf, "httperf", RawCommand, options_metavar="[OPTIONS]")
