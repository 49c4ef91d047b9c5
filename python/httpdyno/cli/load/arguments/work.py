"""The requests of `httpdyno load`, and the server that they go to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from httpdyno import __version__
from httpdyno.address import is_grpc
from httpdyno.cli.load.arguments.address import Address, UrlParts, check_url, parse_url_parts
from httpdyno.cli.load.arguments.bodies import body_of_bytes
from httpdyno.cli.load.arguments.data_files import data_of, report_unused
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.grpc_calls import grpc_requests, report_grpc_flags
from httpdyno.cli.load.arguments.headers import has, headers_of, replace_headers
from httpdyno.cli.load.arguments.input_files import read_whole
from httpdyno.cli.load.arguments.requests import (
    Template,
    demand_no_path,
    report_contradictory_requests,
    report_lines,
    requests_of,
    template_of,
)
from httpdyno.cli.values import Values
from httpdyno.compat.session_log import (
    LoggedRequest,
    Session,
    SessionLogError,
    parse_session_log,
    scripts,
)
from httpdyno.engine_plan import (
    DataFile,
    Request,
    Script,
    literal,
    parse_data,
    with_placeholders,
)

__all__ = ["Work", "work_of"]

_DEFAULTS = (("Accept", "*/*"), ("User-Agent", f"httpdyno/{__version__}"))


@dataclass(frozen=True)
class Work:
    """The requests of a load, and their server."""

    server: Address | None
    """None: it cannot be read, which is a fault."""
    requests: list[Request]
    scripts: list[Script] | None = None
    """The sessions of --sessions-file, or that of a workload, over the requests."""
    data: Sequence[DataFile] = ()
    """The files of their placeholders."""

    def with_checks(self, one_in: int) -> Work:
        """The same requests, with the bodies of one reply in so many checked."""
        changed = (replace(one.expect, check_one_in=one_in) for one in self.requests)
        pairs = zip(self.requests, changed, strict=True)
        return replace(self, requests=[replace(one, expect=expect) for one, expect in pairs])


def work_of(flags: LoadFlags, values: Values, think_s: float) -> Work:
    """The requests of the flags: of the URL and each --also, of a list, of a workload, or of
    sessions.

    `think_s` is the pause of sessions after bursts and calls that name none.
    """
    data = data_of(flags, values)
    if is_grpc(flags.url or ""):
        found = grpc_requests(flags, values)
        report_unused(data, found.sent, values)
        return Work(found.server, found.sent, data=data)
    report_grpc_flags(flags, values)
    url = values.read("URL", flags.url, lambda text: parse_url_parts(check_url(text, values.names)))
    report_contradictory_requests(flags, values)
    template = _template(flags, values, url)
    server = url.address if url else None
    if flags.url is not None and url is None:
        return Work(None, [])  # without the URL, a list cannot be compared with it
    if flags.url is None and flags.urls is None:
        values.faults.add("missing argument 'URL': expected a URL, or a list with `--urls FILE`")
    if flags.workload is not None:
        work = _of_workload(flags.workload, values, server, template, think_s)
        return work if flags.check is None else work.with_checks(template.bare.expect.check_one_in)
    if flags.sessions_file is not None and flags.urls is None:
        work = _in_sessions(flags, values, server, template, think_s)
    else:
        found = requests_of(flags, values, template, server, server.path if server else "/")
        work = Work(found.server, found.sent)
    report_unused(data, work.requests, values)
    return replace(work, data=data)


def _template(flags: LoadFlags, values: Values, url: UrlParts | None) -> Template:
    """The common parts, with what only `load` sends and checks."""
    headers = headers_of(flags, values, url.authorization if url else None)
    headers = [(name, _with_variables(name, value, values)) for name, value in headers]
    if flags.gzip and not has(headers, "Accept-Encoding"):
        headers.append(("Accept-Encoding", "gzip"))
    template = template_of(flags, values, replace_headers(_DEFAULTS, headers), flags.url or "/")
    expect = replace(template.bare.expect, decode="gzip" if flags.gzip else None)
    bare, full = (replace(one, expect=expect) for one in (template.bare, template.full))
    return replace(template, bare=bare, full=full)


def _with_variables(name: str, value: str, values: Values) -> str:
    """The value of a header with the variables of the environment that it names."""
    if "${" not in value:
        return value
    from httpdyno.errors import UsageError
    from httpdyno.running.variables import expanded, variables_of

    try:
        return expanded(value, variables_of(None), f"the header `{name}`")
    except UsageError as wrong:
        values.faults.add(wrong.message)
        return value


def _of_workload(
    given: str, values: Values, server: Address | None, template: Template, think_s: float
) -> Work:
    """The requests of --workload, with the headers of the command line where they have none."""
    from httpdyno.errors import HttpdynoError
    from httpdyno.running.own import workload_named  # it needs pydantic
    from httpdyno.servers.check.requests import request, script_of

    demand_no_path("--workload", server, values)
    try:
        workload = workload_named(given)
    except HttpdynoError as wrong:
        report_lines("--workload", given, wrong.message.splitlines(), values)
        return Work(server, [])
    common, checked = template.bare.headers, template.bare.expect
    varies = with_placeholders(template.bare, template.names).placeholders
    requests = [
        replace(
            one,
            headers=replace_headers(common, one.headers),
            placeholders=one.placeholders or varies,
            expect=replace(one.expect, decode=checked.decode),
        )
        for one in map(request, workload.measured)
    ]
    script = script_of(workload, think_s)
    scripts = None if script is None else [script]
    return Work(server, requests, scripts, [parse_data(one) for one in workload.data])


def _in_sessions(
    flags: LoadFlags,
    values: Values,
    server: Address | None,
    template: Template,
    think_s: float,
) -> Work:
    """The requests of --sessions-file, and its sessions."""
    demand_no_path("--sessions-file", server, values)
    content = values.read("--sessions-file", flags.sessions_file, read_whole)
    if content is None:
        return Work(server, [])
    try:
        sessions = parse_session_log(content)
    except SessionLogError as wrong:
        report_lines("--sessions-file", flags.sessions_file, wrong.faults, values)
        return Work(server, [])
    report_lines("--sessions-file", flags.sessions_file, _faulty_paths(sessions), values)
    logged, steps = scripts(sessions, think_s)
    return Work(server, [_of_log(one, template) for one in logged], steps)


def _of_log(one: LoggedRequest, template: Template) -> Request:
    body = body_of_bytes(one.contents) if one.contents else None
    return template.request(literal(one.uri), one.method, body=body)


def _faulty_paths(sessions: list[Session]) -> list[str]:
    requests = (one for session in sessions for burst in session for one in burst.requests)
    wrong = [one.line for one in requests if not one.uri.startswith("/")]
    return [f"line {line}: expected a path such as `/index.html`" for line in wrong[:20]]
