"""json, plaintext, db, queries, fortunes, updates: tests of TechEmpower's suite, by its rules.

The rules are those of its toolset of 2026-03 (`toolset/test_types`): paths, headers, replies, the
number of queries. The messages of the fortunes are our own. The ids of `db` come from the load
generator, so that a reply can be held against its request; `/queries` and `/updates` draw theirs.
"""

from __future__ import annotations

import html
from itertools import chain

from httpdyno.workloads.workload import Exchange, Queries, Workload
from httpdyno.workloads.world import ADDED, FORTUNES, number_of

QUERIES = 20
"""The most queries of a request in TechEmpower's load."""
_JSON, _HTML, _TEXT = "application/json", "text/html; charset=utf-8", "text/plain"
_ACCEPT = "{},text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7"
_ROW = '{{"id": {}, "randomNumber": "{{int:1:10000}}"}}'
_ANY_ROW = _ROW.format('"{int:1:10000}"')


def _get(path: str, right: bytes, kind: str, why: str, **more: object) -> Exchange:
    accept = _ACCEPT.format(_TEXT if kind == _TEXT else _JSON)
    judged = "html" if kind == _HTML else "answer" if kind == _TEXT else "json"
    given = {"headers": (("Accept", accept),), "right": judged, **more}
    return Exchange(path=path, answer=right, content_type=kind, why=why, **given)  # type: ignore[arg-type]


def _rows(number: int) -> bytes:
    return f'["{{each:{number}:{number}}}", {_ANY_ROW}]'.encode()


def _several(path: str) -> tuple[Exchange, ...]:
    """The numbers that a server has to make sense of."""
    cases = {"2": 2, "0": 1, "foo": 1, "": 1, "501": 500}
    return tuple(
        _get(
            f"{path}{given}",
            _rows(number),
            _JSON,
            "less than 1, or no number, is 1; more than 500 is 500",
            recorded=number == 500,  # TechEmpower warns only
        )
        for given, number in cases.items()
    )


def page() -> bytes:
    """The page of the fortunes, as a template without line breaks writes it."""
    rows = sorted((*FORTUNES.items(), (0, ADDED)), key=lambda row: row[1])
    cells = chain.from_iterable(
        f"<tr><td>{row}</td><td>{html.escape(message)}</td></tr>" for row, message in rows
    )
    return (
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
        f"<tr><th>id</th><th>message</th></tr>{''.join(cells)}</table></body></html>"
    ).encode()


JSON = Workload(
    name="json",
    title="JSON",
    description='GET /json returns `{"message":"Hello, World!"}`, made for each request.',
    measured=(
        _get("/json", b'{"message": "Hello, World!"}', _JSON, "makes an object, and serialises it"),
    ),
)
PLAINTEXT = Workload(
    name="plaintext",
    title="Plaintext",
    description="GET /plaintext returns the 13 bytes `Hello, World!`.",
    measured=(_get("/plaintext", b"Hello, World!", _TEXT, "the least that a server does"),),
)
DB = Workload(
    name="db",
    title="Single query",
    description="GET /db?id=… returns the row of World with this id, by one query.",
    measured=(
        _get(
            "/db?id={id=random:1:10000}",
            _ROW.format('"{id}"').encode(),
            _JSON,
            "one row of 10,000, read for each request",
            varies=True,
        ),
    ),
    edges=tuple(
        _get(
            f"/db?id={row}",
            f'{{"id": {row}, "randomNumber": {number_of(row)}}}'.encode(),
            _JSON,
            "the row of the request, and no other",
        )
        for row in (1, 3217, 10_000)
    ),
    queries=Queries(("world",), reads=1, rows_read=1),
)
SEVERAL = Workload(
    name="queries",
    title="Multiple queries",
    description=f"GET /queries?queries={QUERIES} returns {QUERIES} rows of World at random, each by"
    " a query.",
    measured=(
        _get(f"/queries?queries={QUERIES}", _rows(QUERIES), _JSON, "a query for each of the rows"),
    ),
    edges=_several("/queries?queries="),
    queries=Queries(("world",), reads=QUERIES, rows_read=QUERIES),
)
FORTUNE = Workload(
    name="fortunes",
    title="Fortunes",
    description="GET /fortunes returns all rows of Fortune and one more, sorted, as an HTML page.",
    measured=(_get("/fortunes", page(), _HTML, "reads rows, sorts them, and renders a template"),),
    queries=Queries(("fortune",), reads=1, rows_read=len(FORTUNES)),
)
UPDATES = Workload(
    name="updates",
    title="Updates",
    description=f"GET /updates?queries={QUERIES} reads {QUERIES} rows of World at random, and gives"
    " each another number.",
    measured=(
        _get(
            f"/updates?queries={QUERIES}",
            _rows(QUERIES),
            _JSON,
            "a query for each of the rows, then one statement or several that write them",
        ),
    ),
    edges=_several("/updates?queries="),
    queries=Queries(("world",), reads=QUERIES, rows_read=QUERIES, rows_written=QUERIES),
)
TECHEMPOWER = (JSON, PLAINTEXT, DB, SEVERAL, FORTUNE, UPDATES)
