"""Flags of `httpdyno load` that are valid alone and contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from httpdyno.cli.faults import Faults, given_flags
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.engine_plan import burst_fault

__all__ = ["report_contradictions"]


def report_contradictions(flags: LoadFlags, faults: Faults, *, has_session: bool) -> None:
    """Report each contradiction. `has_session`: the workload of the flags is a session."""
    for cases in (
        _of_loads(flags, has_session=has_session),
        _of_requests(flags, has_session=has_session),
        _of_http(flags),
        _of_sockets(flags),
        _of_machines(flags),
    ):
        for contradicts, sentence in cases:
            if contradicts:
                faults.add(sentence)


def _of_loads(flags: LoadFlags, *, has_session: bool) -> Iterator[tuple[bool, str]]:
    open_load = flags.rate is not None or flags.sessions is not None
    in_sessions = flags.sessions is not None or flags.sessions_file is not None or has_session
    yield (
        flags.rate is not None and flags.sessions is not None,
        "`--rate` and `--sessions` exclude each other: expected one kind of load",
    )
    yield (
        flags.calls is not None and not in_sessions,
        "`--calls` sets the length of a session: expected `--sessions RATE` with it",
    )
    yield (
        flags.arrivals is not None and not open_load,
        "`--arrivals` applies only to a rate: expected `--rate` or `--sessions` with it",
    )
    yield (
        flags.think is not None and flags.rate is not None,
        "`--think` contradicts `--rate`, which says when each request is due:"
        " expected a closed load or `--sessions`",
    )
    http = "3" if flags.is_http3 else "2" if flags.is_http2 else flags.http
    fault = burst_fault(http, not flags.no_keep_alive, in_sessions=in_sessions)
    yield (
        flags.burst not in (None, "1") and fault is not None,
        f"`--burst` {(fault or '').replace('`streams`', '`--streams`')}",
    )
    given = {"--session-cookies": flags.session_cookies, "--on-wrong": flags.on_wrong}
    where = "sessions: expected `--sessions`, `--sessions-file` or a workload with a session too"
    yield _only_to(given, where, is_there=in_sessions)


def _of_requests(flags: LoadFlags, *, has_session: bool) -> Iterator[tuple[bool, str]]:
    paced = {"--rate": flags.rate, "--calls": flags.calls, "--burst": flags.burst}
    names = given_flags(paced)
    yield (
        has_session and bool(names),
        "the workload is a session, which has its calls: expected `--workload` without"
        f" {', '.join(names)}; `--sessions RATE` says how many begin per second",
    )
    replaced = {
        **paced,
        "--method": flags.method,
        "--body": flags.body,
        "--data": flags.data,
        "--json-body": flags.json_body,
        "--also": flags.also,
        "--urls": flags.urls,
        "--workload": flags.workload,
    }
    names = given_flags(replaced)
    yield (
        flags.sessions_file is not None and bool(names),
        f"`--sessions-file` says what each session sends: expected it without {', '.join(names)}",
    )


def _of_http(flags: LoadFlags) -> Iterator[tuple[bool, str]]:
    shared = {
        "--window": flags.window,
        "--connection-window": flags.connection_window,
        "--resend-refused": flags.resend_refused,
    }
    where = "HTTP/2 and 3: expected `--http 2` too"
    yield _only_to(shared, where, is_there=flags.is_http2 or flags.is_http3)
    settings = {
        "--header-table": flags.header_table,
        "--encoder-table": flags.encoder_table,
        "--max-frame": flags.max_frame,
    }
    yield _only_to(settings, "HTTP/2: expected `--http 2` too", is_there=flags.is_http2)
    refused = {
        "--kernel-timestamps": flags.kernel_timestamps,
        "--proxy": flags.proxy,
        "--unix": flags.unix,
        "--on": flags.on,
        "--close-with-reset": flags.close_with_reset,
    }
    names = given_flags(refused)
    yield (
        flags.is_http3 and bool(names),
        f"HTTP/3 does not go with {' and '.join(names)}: expected `--http 1.1` or `--http 2` with"
        " it",
    )


def _of_sockets(flags: LoadFlags) -> Iterator[tuple[bool, str]]:
    yield (
        flags.kernel_timestamps and flags.driver == "io_uring",
        "`--kernel-timestamps` needs the epoll driver: expected `--driver epoll` or `auto`",
    )
    yield (
        flags.kernel_timestamps and flags.unix is not None,
        "`--kernel-timestamps` applies only to network traffic: expected TCP, not `--unix`",
    )
    yield (
        flags.proxy is not None and flags.unix is not None,
        "`--proxy` and `--unix` exclude each other: expected one way to the server",
    )


def _of_machines(flags: LoadFlags) -> Iterator[tuple[bool, str]]:
    here = {
        "--unix": flags.unix,
        "--source": flags.source,
        "--source-ports": flags.source_ports,
        "--cpus": flags.cpus,
        "--until": flags.until,
    }
    names = given_flags(here)
    yield (
        flags.on is not None and bool(names),
        f"`--on` sends from other machines: expected it without {', '.join(names)}",
    )
    given = {"--certificates": flags.certificates, "--wait": flags.wait}
    yield _only_to(given, "`--on`: expected it too", is_there=flags.on is not None)


def _only_to(given: Mapping[str, object], where: str, *, is_there: bool) -> tuple[bool, str]:
    """The case of flags that apply only to something, which must be there too."""
    names = given_flags(given)
    verb = "applies" if len(names) == 1 else "apply"
    return bool(names) and not is_there, f"{' and '.join(names)} {verb} only to {where}"
