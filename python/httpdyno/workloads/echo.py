"""echo: the contract of the 2011 post, a query parameter in and XML out.

The contract: `value` is percent-decoded, and `&`, `<` and `>` are escaped as XML requires. Every
server must answer the plain case and the error correctly. The harder cases are only recorded. The
programs of 2011 put the raw value into the page, and a server that does so can still be measured.
"""

from httpdyno.workloads.workload import Exchange, Workload

_TYPE = "text/xml"


def _page(value: bytes) -> bytes:
    return b"<http_test><value>" + value + b"</value></http_test>"


_NO_VALUE = b"<http_test><error>no value specified</error></http_test>"


def _record(query: str, answer: bytes, why: str) -> Exchange:
    return Exchange(
        path=f"/echo?{query}", answer=answer, content_type=_TYPE, why=why, recorded=True
    )


ECHO = Workload(
    name="echo",
    title="Echo",
    description="GET /echo?value=… returns the value inside a small XML page, or an XML error.",
    measured=(
        Exchange(
            path="/echo?value=httpdyno",
            answer=_page(b"httpdyno"),
            content_type=_TYPE,
            why="parses a parameter, and builds a page from it",
        ),
    ),
    edges=(
        Exchange(
            path="/echo",
            answer=_NO_VALUE,
            content_type=_TYPE,
            why="a missing value is the contract's error page, with status 200",
        ),
        _record("value=", _page(b""), "an empty value is a value"),
        _record("value=%68ttp%64yno", _page(b"httpdyno"), "percent-encoding is decoded"),
        _record("value=a%20b", _page(b"a b"), "an encoded space is decoded"),
        _record("value=%26%3C%3E", _page(b"&amp;&lt;&gt;"), "what XML reserves is escaped"),
        _record("other=1&value=last", _page(b"last"), "the parameter is found by its name"),
    ),
)
