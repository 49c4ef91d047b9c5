"""hello: the page of the 2019 post, with one body for all servers (in the post they differed)."""

from httpdyno.workloads.workload import Exchange, Workload

HELLO = Workload(
    name="hello",
    title="Hello, world!",
    description="GET /hello returns the 13 bytes `Hello, world!`, the same from every server.",
    measured=(
        Exchange(
            path="/hello",
            answer=b"Hello, world!",
            content_type="text/plain",
            why="the first page of a framework, as in its own tutorial",
        ),
    ),
)
