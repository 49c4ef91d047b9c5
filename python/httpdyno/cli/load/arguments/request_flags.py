"""The flags that say what is sent and which replies are right: the same in every verb."""

from __future__ import annotations

from dataclasses import dataclass, fields

from httpdyno.cli.flags import switch, text, texts
from httpdyno.cli.load.arguments.grpc_flags import GRPC, GrpcFlags

__all__ = ["ANSWER", "EXPECT", "REQUESTS", "RequestFlags", "StudyRequestFlags"]

REQUESTS, ANSWER = "Requests", "Expected replies"
EXPECT = ("any", "json:", "html:", "regex:")


@dataclass(frozen=True)
class RequestFlags:
    """The flags of the requests and of their replies, as they are typed."""

    urls: str | None = text(
        "--urls FILE|-",
        "Requests to send in turn: a URL per line, or vegeta's targets (METHOD URL, then headers"
        " and @BODY-FILE; or JSON); paths alone if the server is named elsewhere",
        REQUESTS,
    )
    bodies_from: str | None = text(
        "--bodies-from DIR",
        "Folder whose files the list of --urls may send as bodies (default: the folder of the"
        " list)",
        REQUESTS,
    )
    workload: str | None = text(
        "--workload NAME|FILE",
        "Requests of a workload.toml, with their weights and correct replies; or a built-in"
        " workload, such as hello",
        REQUESTS,
    )
    method: str | None = text(
        "--method METHOD", "Method (default GET; POST with a body)", REQUESTS, short="-X"
    )
    header: list[str] = texts(
        "--header 'NAME: VALUE'|@FILE",
        "Header to send, or a file with one per line; repeatable",
        REQUESTS,
        short="-H",
    )
    user: str | None = text(
        "--user NAME[:PASSWORD]",
        "Credentials for Basic authentication; NAME:@FILE reads the password from a file, NAME"
        " alone asks for it",
        REQUESTS,
        short="-u",
    )
    cookie: list[str] = texts("--cookie NAME=VALUE", "Cookie to send; repeatable", REQUESTS)
    body: str | None = text(
        "--body TEXT|@FILE",
        "Body to send, without a Content-Type: text, or the content of a file (@/dev/stdin too)",
        REQUESTS,
    )
    data: str | None = text(
        "--data TEXT|@FILE", "--body with Content-Type: application/x-www-form-urlencoded", REQUESTS
    )
    json_body: str | None = text(
        "--json-body TEXT|@FILE", "--body with Content-Type: application/json", REQUESTS
    )
    values: list[str] = texts(
        "--values [NAME=]FILE[:random|:once]",
        "File whose columns are placeholders: {NAME.COLUMN}; CSV with a header, or lines of JSON."
        " Its rows are taken in order, at random, or each once; NAME is that of the file;"
        " repeatable",
        REQUESTS,
    )
    also: list[str] = texts(
        "--also 'METHOD PATH [xN]'",
        "Another request, sent N times for each of the first, without a body; repeatable",
        REQUESTS,
    )
    expect_status: list[str] = texts(
        "--expect-status CODE", "Expected status (default: any 2xx or 3xx); repeatable", ANSWER
    )
    expect: str | None = text(
        "--expect any|json:TEXT|html:TEXT|regex:TEXT",
        "Body like a JSON example, with wildcards such as {int:1:10}; equal as HTML; matched by a"
        " regular expression (@FILE in place of an example); or any. {id} in JSON and HTML is the"
        " value of the placeholder {id=random:1:9} (default: like the first reply; other sizes, or"
        " a few other bodies, make the measurement suspect)",
        ANSWER,
        choices=EXPECT,
    )
    expect_body: str | None = text(
        "--expect-body TEXT|@FILE", "Expected body, byte for byte", ANSWER
    )
    expect_length: str | None = text("--expect-length BYTES", "Expected length of the body", ANSWER)
    expect_same: bool = switch(
        "--expect-same", "Expect the body of the first reply: any other is wrong", ANSWER
    )
    check: str | None = text(
        "--check all|1/N",
        "Check the bodies of all replies, or of one in N, drawn at random (default all)",
        ANSWER,
    )


@dataclass(frozen=True)
class StudyRequestFlags(GrpcFlags, RequestFlags):
    """The same for verbs that measure a study, whose servers are named without a path."""

    path: str | None = text("--path PATH", "Path to request (default /)", REQUESTS)
    grpc: str | None = text(
        "--grpc PKG.SERVICE/METHOD", "Unary method to call, instead of a path", GRPC
    )

    @property
    def given(self) -> list[str]:
        """The names of the flags that are given."""
        return [
            f"--{one.name.replace('_', '-')}"
            for one in fields(StudyRequestFlags)
            if getattr(self, one.name)
        ]
