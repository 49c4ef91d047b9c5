"""bigtable: the template benchmark of the 2010 post: 1,000 rows of 1 to 50, no newlines."""

from httpdyno.workloads.workload import Exchange, Workload

ROWS = 1000
COLUMNS = 50

_ROW = "<tr>" + "".join(f"<td>{column}</td>" for column in range(1, COLUMNS + 1)) + "</tr>"
BIGTABLE_HTML = ("<table>" + _ROW * ROWS + "</table>").encode()
"""The page, 550,015 bytes."""

BIGTABLE = Workload(
    name="bigtable",
    title="Big table",
    description="GET /bigtable returns a table of 1,000 x 50 cells (550,015 bytes), built anew.",
    measured=(
        Exchange(
            path="/bigtable",
            answer=BIGTABLE_HTML,
            content_type="text/html",
            why="builds a page from many small pieces, then sends half a megabyte",
        ),
    ),
)
