"""pong: the smallest useful reply. It measures the server's own cost per request."""

from httpdyno.workloads.workload import Exchange, Workload

PONG = Workload(
    name="pong",
    title="Pong",
    description="GET /pong returns the 4 bytes `PONG`: the server's own cost per request.",
    measured=(
        Exchange(
            path="/pong",
            answer=b"PONG",
            content_type="text/plain",
            why="the smallest useful reply",
        ),
    ),
)
