"""A command line of ab as an engine plan, which sends the bytes that ab sends."""

from __future__ import annotations

from base64 import b64encode

from httpdyno import __version__
from httpdyno.compat.ab.options import LONGEST_S, Options
from httpdyno.engine_plan import (
    Base64,
    CallLimit,
    ClosedLoad,
    EnginePlan,
    Expect,
    Proxy,
    Request,
    Source,
    Stop,
    Target,
    Timeouts,
    Tls,
    TraceParts,
)

__all__ = ["head", "plan_of"]

_TRACE = TraceParts(replies="whole", most_bytes=1 << 24)
_NO_NAME = "127.0.0.1"
"""An address is no server name: TLS then sends none (RFC 6066, 3)."""


def plan_of(options: Options, address: str) -> EnginePlan:
    """The run that a command line of ab describes, against this address of its host or proxy."""
    raw = head(options).encode() + (options.body or b"")
    request = Request(
        method=options.method,
        path=_path(options),
        raw=Base64(base64=b64encode(raw).decode()),
        expect=Expect(),
    )
    return EnginePlan(
        target=_target(options, address),
        http="1.0",
        keep_alive=options.keep_alive,
        requests=[request],
        load=ClosedLoad(connections=options.concurrency),
        timeouts=Timeouts(connect_s=options.timeout_s, reply_s=LONGEST_S, idle_s=options.timeout_s),
        stop=Stop(count=options.requests, duration_s=options.time_limit_s, drain_s=0),
        source=Source(
            addresses=[] if options.source is None else [options.source],
            send_buffer_bytes=options.window_bytes,
            receive_buffer_bytes=options.window_bytes,
        ),
        proxy=_tunnel(options, address),
        preflight=False,
        seed=1,
        call_log=CallLimit(most=options.requests),
        trace=_TRACE if options.verbosity > 1 else None,
    )


def head(options: Options) -> str:
    """The head of each request: ab's own headers, then the user's, then those that it adds."""
    lines = [f"{options.method} {_path(options)} HTTP/1.0"]
    if options.keep_alive:
        lines.append("Connection: Keep-Alive")
    if options.cookie is not None:
        lines.append(f"Cookie: {options.cookie}")
    tunnelled = options.proxy is not None and options.url.tls
    lines += [
        f"{name}: {value}"
        for name, value in options.credentials
        if not (tunnelled and name == "Proxy-Authorization")
    ]
    if options.body is not None:
        lines.append(f"Content-length: {len(options.body)}")
        lines.append(f"Content-type: {options.content_type}")
    return "\r\n".join([*lines, *options.headers, *_default_headers(options), "", ""])


def _default_headers(options: Options) -> list[str]:
    defaults = {
        "Host": options.url.host_header,
        "User-Agent": f"httpdyno/{__version__}",
        "Accept": "*/*",
    }
    return [f"{name}: {value}" for name, value in defaults.items() if not options.gives(name)]


def _path(options: Options) -> str:
    """The target of the request: a proxy without a tunnel gets the whole URL."""
    proxied = options.proxy is not None and not options.url.tls
    return options.url.whole if proxied else options.url.path


def _target(options: Options, address: str) -> Target:
    """The host and port to connect to. A tunnel is requested by name."""
    url, proxy = options.url, options.proxy
    if url.tls:
        host = address if proxy is None else url.host
        return Target(host=host, port=url.port, tls=_tls(options))
    return Target(host=address, port=url.port if proxy is None else proxy[1])


def _tunnel(options: Options, address: str) -> Proxy | None:
    """The proxy that opens a tunnel for https."""
    if options.proxy is None or not options.url.tls:
        return None
    secret = dict(options.credentials).get("Proxy-Authorization")
    return Proxy(host=address, port=options.proxy[1], authorization=secret)


def _tls(options: Options) -> Tls:
    """ab trusts every certificate, and makes a full handshake for each connection."""
    return Tls(
        insecure=True,
        resume=False,
        sni=options.server_name or _NO_NAME,
        certificate=options.certificate,
        key=options.certificate,
        min_version=options.tls_version or "1.2",
        max_version=options.tls_version or "1.3",
    )
