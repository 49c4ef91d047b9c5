"""bigtable-2011: the page of the Haskell programs of 2011. Rows have a number and a newline."""

from httpdyno.workloads.bigtable import COLUMNS, ROWS
from httpdyno.workloads.workload import Exchange, Workload

_CELLS = "".join(f"<td>{column}</td>" for column in range(1, COLUMNS + 1))
_ROWS = "".join(f"<tr><td>{row}</td>{_CELLS}</tr>\n" for row in range(1, ROWS + 1))
BIGTABLE_2011_HTML = f"<html><body><table>\n{_ROWS}</table></body></html>".encode()
"""The page, 562,935 bytes."""

BIGTABLE_2011 = Workload(
    name="bigtable-2011",
    title="Big table of 2011",
    description="GET /bigtable-2011 returns a page of 1,000 numbered rows of 50 numbers, built per "
    "request.",
    measured=(
        Exchange(
            path="/bigtable-2011",
            answer=BIGTABLE_2011_HTML,
            content_type="text/html",
            why="builds and sends a large page, with a number and a newline in each row",
        ),
    ),
)
