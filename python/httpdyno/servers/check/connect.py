"""Connects our own client to a target: by TCP or a Unix socket, with or without TLS."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from httpdyno.engine_plan import Target
from httpdyno.servers.process.tls import client_context


def connect(
    target: Target, timeout_s: float, protocols: Sequence[str] | None = None
) -> socket.socket:
    """A connected socket; `protocols` are offered in the TLS handshake (ALPN). Raises OSError, also
    when the certificate is not trusted."""
    plain = _connect(target, timeout_s)
    if target.tls is None:
        return plain
    try:
        context = client_context(target.tls)
        if protocols is not None:
            context.set_alpn_protocols(list(protocols))
        return context.wrap_socket(plain, server_hostname=target.tls.sni or target.host)
    except BaseException:
        plain.close()
        raise


def _connect(target: Target, timeout_s: float) -> socket.socket:
    if target.unix is None:
        made = socket.create_connection((target.host, target.port), timeout=timeout_s)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made
    made = socket.socket(socket.AF_UNIX)
    try:
        made.settimeout(timeout_s)
        made.connect(target.unix)
    except BaseException:
        made.close()
        raise
    return made
