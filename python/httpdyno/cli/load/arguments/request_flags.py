"""The flags of `httpdyno load` for requests and expected replies.

This file must not postpone annotations: Typer reads them.
"""

from dataclasses import dataclass, field
from typing import Annotated

from typer import Option

from httpdyno.cli.completion.choices import one_of
from httpdyno.cli.load.arguments.work_flags import WorkFlags

_WHAT = "Requests"
_ANSWER = "Expected replies"
HTTP_VERSIONS = ("1.0", "1.1")
EXPECT = ("any",)


@dataclass(frozen=True)
class RequestFlags(WorkFlags):
    """Requests and expected replies."""

    urls: Annotated[
        str | None,
        Option(
            "--urls",
            metavar="FILE|-",
            rich_help_panel=_WHAT,
            help="Requests to send in turn: a URL per line, or vegeta's targets (METHOD URL, then"
            " headers and @BODY-FILE; or JSON); paths alone if URL names the server",
        ),
    ] = None
    bodies_from: Annotated[
        str | None,
        Option(
            "--bodies-from",
            metavar="DIR",
            rich_help_panel=_WHAT,
            help="Folder whose files the list of --urls may send as bodies (default: the folder"
            " of the list)",
        ),
    ] = None
    method: Annotated[
        str | None,
        Option(
            "--method",
            "-X",
            metavar="METHOD",
            rich_help_panel=_WHAT,
            help="Method (default GET; POST with a body)",
        ),
    ] = None
    header: Annotated[
        list[str],
        Option(
            "--header",
            "-H",
            metavar="'NAME: VALUE'|@FILE",
            rich_help_panel=_WHAT,
            help="Header to send, or a file with one per line; repeatable",
        ),
    ] = field(default_factory=list)
    user: Annotated[
        str | None,
        Option(
            "--user",
            "-u",
            metavar="NAME[:PASSWORD]",
            rich_help_panel=_WHAT,
            help="Credentials for Basic authentication; NAME:@FILE reads the password from a"
            " file, NAME alone asks for it",
        ),
    ] = None
    cookie: Annotated[
        list[str],
        Option(
            "--cookie",
            metavar="NAME=VALUE",
            rich_help_panel=_WHAT,
            help="Cookie to send; repeatable",
        ),
    ] = field(default_factory=list)
    body: Annotated[
        str | None,
        Option(
            "--body",
            metavar="TEXT|@FILE",
            rich_help_panel=_WHAT,
            help="Body to send, without a Content-Type: text, or the content of a file"
            " (@/dev/stdin too)",
        ),
    ] = None
    data: Annotated[
        str | None,
        Option(
            "--data",
            metavar="TEXT|@FILE",
            rich_help_panel=_WHAT,
            help="--body with Content-Type: application/x-www-form-urlencoded",
        ),
    ] = None
    json_body: Annotated[
        str | None,
        Option(
            "--json-body",
            metavar="TEXT|@FILE",
            rich_help_panel=_WHAT,
            help="--body with Content-Type: application/json",
        ),
    ] = None
    gzip: Annotated[
        bool,
        Option(
            "--gzip",
            rich_help_panel=_WHAT,
            help="Accept gzip, and check the decoded bodies",
        ),
    ] = False
    also: Annotated[
        list[str],
        Option(
            "--also",
            metavar="'METHOD PATH [xN]'",
            rich_help_panel=_WHAT,
            help="Another request, sent N times for each request to URL, without a body;"
            " repeatable",
        ),
    ] = field(default_factory=list)
    http: Annotated[
        str,
        Option(
            "--http",
            metavar="1.0|1.1",
            autocompletion=one_of(*HTTP_VERSIONS),
            rich_help_panel=_WHAT,
            help="HTTP version (default 1.1)",
            show_default=False,
        ),
    ] = "1.1"

    expect_status: Annotated[
        list[str],
        Option(
            "--expect-status",
            metavar="CODE",
            rich_help_panel=_ANSWER,
            help="Expected status (default: any 2xx or 3xx); repeatable",
        ),
    ] = field(default_factory=list)
    expect: Annotated[
        str | None,
        Option(
            "--expect",
            metavar="any",
            autocompletion=one_of(*EXPECT),
            rich_help_panel=_ANSWER,
            help="Compare no body (default: with the first reply; other sizes, or a few other"
            " bodies, make the measurement suspect)",
        ),
    ] = None
    expect_body: Annotated[
        str | None,
        Option(
            "--expect-body",
            metavar="TEXT|@FILE",
            rich_help_panel=_ANSWER,
            help="Expected body, byte for byte",
        ),
    ] = None
    expect_length: Annotated[
        str | None,
        Option(
            "--expect-length",
            metavar="BYTES",
            rich_help_panel=_ANSWER,
            help="Expected length of the body",
        ),
    ] = None
    expect_same: Annotated[
        bool,
        Option(
            "--expect-same",
            rich_help_panel=_ANSWER,
            help="Expect the body of the first reply: any other is wrong",
        ),
    ] = False
    check_every: Annotated[
        str | None,
        Option(
            "--check-every",
            metavar="N",
            rich_help_panel=_ANSWER,
            help="Check the body of every Nth reply (default 1: all)",
        ),
    ] = None
