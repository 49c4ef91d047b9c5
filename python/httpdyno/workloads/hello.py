"""hello: the 2019 post's page, with one body for every server (the post's differed by a byte)."""

from httpdyno.workloads.workload import Exchange, Workload

HELLO = Workload(
    name="hello",
    title="Hello, world!",
    description="GET /hello answers the 13 bytes `Hello, world!`, the same from every server.",
    measured=(
        Exchange(
            path="/hello",
            answer=b"Hello, world!",
            content_type="text/plain",
            why="a framework's first page, as its own tutorial writes it",
        ),
    ),
)
