"""pong: the smallest useful answer, so what is measured is the server's own cost of a request."""

from httpdyno.workloads.workload import Exchange, Workload

PONG = Workload(
    name="pong",
    title="Pong",
    description="GET /pong answers the 4 bytes `PONG`: a server's own cost of a request.",
    measured=(
        Exchange(
            path="/pong",
            answer=b"PONG",
            content_type="text/plain",
            why="the smallest useful answer",
        ),
    ),
)
