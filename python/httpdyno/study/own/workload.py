"""The tables of a study's own workload: its requests, and what a right reply is.

A field's description is what an error says was expected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, PlainValidator, model_validator

from httpdyno.engine_plan import parse_data
from httpdyno.engine_plan.answers import parse_sample
from httpdyno.study.keys import SecondsOrNone, StudyTable, Text, Yes, up_to

MOST_WEIGHT = 10_000
MOST_REQUESTS = 100_000
MOST_STORED = 100
"""A stored study has no more requests of a workload than this."""
MOST_BYTES = 64 * 1024**2
"""The longest body from a file."""

_TOKEN = r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"  # noqa: S105 - RFC 9110 §5.6.2

URL_PATH = re.compile(r"/[!-~]*")
UrlPath = Annotated[
    str,
    Field(
        pattern=rf"^{URL_PATH.pattern}$",
        max_length=8000,
        description='a path such as "/items?page=2", in ASCII and without spaces',
    ),
]
Body = Annotated[str, Field(max_length=1_000_000, description="a text")]
FileName = Annotated[str, Field(min_length=1, max_length=4000, description="the path of a file")]
GrpcMethod = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z_][\w.]*/[A-Za-z_]\w*(\?[!-~]*)?$",
        max_length=8000,
        description='a method such as "shop.Orders/Get"',
    ),
]
Method = Annotated[
    str, Field(pattern=_TOKEN, max_length=40, description='a method such as "GET" or "POST"')
]
HeaderName = Annotated[str, Field(pattern=_TOKEN, max_length=200)]
HeaderValue = Annotated[str, Field(pattern=r"^[^\x00-\x08\x0a-\x1f\x7f]*$", max_length=8000)]
Weight = Annotated[int, up_to(MOST_WEIGHT)]
MOST_STATUSES = 100


def _statuses(given: Any) -> Any:
    several = given if isinstance(given, list | tuple) else (given,)
    if not 1 <= len(several) <= MOST_STATUSES:
        raise ValueError
    if not all(type(one) is int and 200 <= one <= 599 for one in several):
        raise ValueError
    return tuple(given) if isinstance(given, list | tuple) else given


Status = Annotated[
    Any,  # int | tuple[int, ...]: of a union with tuples, pydantic writes JSON with warnings
    PlainValidator(_statuses),
    Field(description="a status from 200 to 599, or a list of them"),
]
Size = Annotated[
    int, Field(ge=0, le=1 << 40, strict=True, description="a length in bytes, such as 13")
]


def _sample(text: str) -> str:
    parse_sample(text)
    return text


class Expectation(StudyTable):
    """A right reply. Without a rule for its body, any body is right, and compared with the first
    one."""

    model_config = ConfigDict(serialize_by_alias=True)

    status: Status | None = None
    """None: any 2xx or 3xx."""
    body: Body | None = None
    body_file: FileName | None = None
    json_: Annotated[Body | None, Field(alias="json")] = None
    """An example of the body. (`json` is a method of pydantic's models.)"""
    json_file: FileName | None = None
    html: Body | None = None
    html_file: FileName | None = None
    regex: Annotated[
        str | None, Field(max_length=1000, description='a regular expression such as "Hello, .*!"')
    ] = None
    length: Size | None = None
    same: Yes = False
    """The body of the first reply."""
    message: Body | None = None
    """The message of a reply of gRPC, as JSON."""
    any: Yes = False
    """Compare no body."""
    check: Annotated[
        str, AfterValidator(_sample), Field(description='"all", or a part such as "1/50"')
    ] = "all"
    """The replies whose bodies are checked."""


_NameInReply = Annotated[str, Field(min_length=1, max_length=100, description="a name")]


class ValuePlace(StudyTable):
    """The place of a value in a reply: one of these keys."""

    model_config = ConfigDict(serialize_by_alias=True)

    json_: Annotated[
        str | None,
        Field(alias="json", max_length=1000, description='a JSON pointer such as "/access_token"'),
    ] = None
    """A JSON pointer into the body. (`json` is a method of pydantic's models.)"""
    regex: Annotated[
        str | None,
        Field(max_length=1000, description='a regular expression such as "csrf=([a-z]+)"'),
    ] = None
    """Its first group is the value."""
    header: _NameInReply | None = None
    cookie: _NameInReply | None = None


class OwnRequest(StudyTable):
    """One request of the rotation."""

    name: Annotated[str, Field(min_length=1, max_length=200, description="a name")] | None = None
    """The endpoint that it belongs to. None: its method, and its path without the query."""
    method: Method | None = None
    """None: GET, or POST with a body."""
    path: UrlPath
    headers: Annotated[
        dict[HeaderName, HeaderValue],
        Field(description='a table of headers, such as { Accept = "text/html" }'),
    ] = {}
    """`${NAME}` in a value stands for that variable of the environment. Path, values and `body` may
    have placeholders such as `{random:1:10000}`."""
    body: Body | None = None
    body_file: FileName | None = None
    grpc: GrpcMethod | None = None
    """A unary call of gRPC; `path` is that of its method then."""
    proto: FileName | None = None
    """The .proto file of its service, or a set of descriptors by protoc."""
    import_paths: Annotated[
        tuple[FileName, ...], Field(description='a list of folders such as ["protos"]')
    ] = ()
    """Folders in which `proto` finds its imports, besides its own and the current one."""
    message: Body | None = None
    """The message that is sent, as JSON. None: the empty one."""
    weight: Weight = 1
    """In a session: calls of it, one after the other."""
    think: SecondsOrNone | None = None
    """The pause of a session behind the reply. None: as the load says."""
    keep: Annotated[
        dict[str, ValuePlace],
        Field(description='a table such as { token = { json = "/access_token" } }'),
    ] = {}
    """Values of its reply, by the names of placeholders in later calls of the session."""
    expect: Annotated[
        Expectation, Field(description='a table such as { status = 200, body = "Hello" }')
    ] = Expectation()

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: Any) -> Any:
        has_method = isinstance(given, dict) and isinstance(given.get("grpc"), str)
        return {"path": f"/{given['grpc']}", **given} if has_method else given


def first_requests(workloads: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of workloads as they are stored and shown: of a long one that is no session the
    first requests, and the number of all in its title."""
    return {
        name: {
            **table,
            "title": f"{table.get('title') or name}: the first {MOST_STORED} of"
            f" {len(table['requests']):,} requests",
            "requests": table["requests"][:MOST_STORED],
        }
        if len(table["requests"]) > MOST_STORED and not table.get("session")
        else table
        for name, table in workloads.items()
    }


def _data(text: str) -> str:
    parse_data(text)
    return text


DataText = Annotated[
    FileName,
    AfterValidator(_data),
    Field(description='a file such as "users.csv", "users.csv:once" or "users=people.csv:random"'),
]


class OwnWorkload(StudyTable):
    """Requests in rotation, each as often as its weight says; or the calls of a session."""

    title: Text | None = None
    session: Yes = False
    """The requests are the calls of one session, in this order."""
    data: Annotated[
        tuple[DataText, ...], Field(description='a list of files such as ["users.csv:once"]')
    ] = ()
    """The files whose columns are placeholders, such as `{users.email}`."""
    requests: Annotated[
        tuple[OwnRequest, ...],
        Field(
            min_length=1,
            max_length=MOST_REQUESTS,
            description=f"at least one request and at most {MOST_REQUESTS:,}",
        ),
    ]

    @property
    def calls(self) -> int | None:
        """The calls of its session; None: it is none."""
        return sum(one.weight for one in self.requests) if self.session else None

    @property
    def pauses(self) -> list[float]:
        """The think times (s) behind the requests of its session; empty: it names none."""
        named = [one.think or 0.0 for one in self.requests if self.session]
        return named if any(named) else []

    @property
    def has_grpc(self) -> bool:
        """True if some of its requests are calls of gRPC."""
        return any(one.grpc is not None for one in self.requests)
