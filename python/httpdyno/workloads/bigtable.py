"""bigtable: the 2010 post's template benchmark, 1,000 rows of the numbers 1 to 50, no newlines."""

from httpdyno.workloads.workload import Exchange, Workload

ROWS = 1000
COLUMNS = 50

_ROW = "<tr>" + "".join(f"<td>{column}</td>" for column in range(1, COLUMNS + 1)) + "</tr>"
BIGTABLE_HTML = ("<table>" + _ROW * ROWS + "</table>").encode()
"""The page, 550,015 bytes."""

BIGTABLE = Workload(
    name="bigtable",
    title="Big table",
    description="GET /bigtable answers a table of 1,000 x 50 cells (550,015 bytes), built anew.",
    measured=(
        Exchange(
            path="/bigtable",
            answer=BIGTABLE_HTML,
            content_type="text/html",
            why="a page of many small pieces is built, then half a megabyte is sent",
        ),
    ),
)
