"""`httpdyno scheduler`: where workers and coordinators meet."""

from __future__ import annotations

from typing import Annotated

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.faults import Faults
from httpdyno.cli.hosts.worker import certificates_of, until_stopped
from httpdyno.cli.values import Values

__all__ = ["scheduler"]


def scheduler(
    listen: Annotated[str, shared.listening("127.0.0.1:8786")] = "127.0.0.1:8786",
    certificates: shared.OwnCertificates = None,
) -> None:
    """Start a scheduler, which workers join and coordinators use, until Ctrl-C.

    It needs certificates, unless it listens on 127.0.0.1: then any process of
    this machine can use it.

    \b
    Examples:
      httpdyno scheduler --listen 10.0.1.1:8786 --certificates certificates/scheduler
      httpdyno scheduler
    """
    from httpdyno.scale.joining.scheduler import serve

    faults = Faults("httpdyno scheduler --help")
    place = Values(faults).read("--listen", listen, lambda text: _place(text, certificates))
    faults.raise_any()
    assert place is not None  # noqa: S101 - otherwise there was a fault
    host, port = place
    pems = certificates_of(f"{'tls' if certificates else 'tcp'}://{listen}", certificates)
    until_stopped(lambda ended, say: serve(host, port, pems, ended, say))


def _place(text: str, certificates: str | None) -> tuple[str, int]:
    from httpdyno.scale.hosts_file import is_loopback

    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError("expected an address and a port, such as `10.0.1.1:8786`")
    if not certificates and not is_loopback(host):
        raise ValueError(
            "expected `--certificates FOLDER` with it: without them, a scheduler listens on"
            " 127.0.0.0/8 or [::1] only"
        )
    return host.strip("[]"), int(port)
