"""`httpdyno ab`: the options and the output of ab, on httpdyno's engine."""

from __future__ import annotations

from httpdyno.cli.command import command_of
from httpdyno.cli.compat.raw import RawCommand

__all__ = ["command"]


def ab() -> None:
    """Benchmark one URL as ab does: its options, its output.

    A script that runs ab and reads what it prints goes on working with `httpdyno ab`, or with the
    command `httpdyno-ab`. The differences are in https://httpdyno.github.io/httpdyno/reference/ab/.

    \b
      httpdyno ab -n 1000 -c 10 http://localhost:8080/hello
      httpdyno ab -k -t 10 -c 50 http://localhost:8080/hello
      httpdyno ab -n 100 -p order.json -T application/json http://localhost:8080/orders
      httpdyno ab -n 5000 -c 20 -e percent.csv -g times.tsv http://localhost:8080/hello

    \b
    Load
      -n REQUESTS      Requests in total (default 1; 50,000 with -t)
      -c CONNECTIONS   Requests at once (default 1)
      -t SECONDS       Stop after so long
      -k               Keep connections open (keep-alive)
      -s SECONDS       Longest wait for a server that sends nothing (default 30)
      -r               Go on after an error of a connection
      -b BYTES         Send and receive buffer of each connection
      -B ADDRESS       Local address to connect from
      -X PROXY[:PORT]  HTTP proxy

    \b
    Requests
      -m METHOD        Method (default GET)
      -i               HEAD instead of GET
      -p FILE          POST with this body
      -u FILE          PUT with this body
      -T TYPE          Content type of the body (default text/plain)
      -C NAME=VALUE    Cookie
      -H 'NAME: VALUE' Header; repeatable
      -A USER:PASSWORD Basic authentication at the server
      -P USER:PASSWORD Basic authentication at the proxy

    \b
    TLS
      -f PROTOCOL      TLS1.2, TLS1.3 or ALL (default ALL)
      -E FILE          Client certificate with its chain and key, PEM
      -I               Do not send the server's name (SNI)

    \b
    Output
      -l               Accept bodies of different lengths
      -q               No progress
      -d               No table of percentages
      -S               No median, no standard deviation, no warnings
      -w               HTML; -x, -y and -z ATTRIBUTES are those of table, tr and td
      -e FILE          Write the time of each percentage as CSV
      -g FILE          Write each request as a line for gnuplot
      -v LEVEL         2: show requests and replies; 3: and status codes
      -V, -h           Show the version; show this help
      --verdict        Add httpdyno's own summary and verdict, and exit as load does

    \b
    Exit codes: 0 after a test, whatever the replies were; 2 wrong options; 1 after Ctrl-C; else the
    number of the error that ended the test, such as 104 (connection reset) and 111 (refused).
    """


command = command_of(ab, "ab", RawCommand, options_metavar="[OPTIONS] [http[s]://]HOST[:PORT]/PATH")
