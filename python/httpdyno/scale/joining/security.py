"""TLS between the machines: mutual, and required everywhere but on loopback."""

from __future__ import annotations

import os
import ssl
from functools import cache
from pathlib import Path
from typing import Any

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.scale.hosts_file import is_loopback
from httpdyno.scale.joining.certificates import Pems, read

__all__ = ["foreign", "pems_for", "security", "unusable"]

_ROLES = ("client", "scheduler", "worker")


def pems_for(address: str, folder: Path | None) -> Pems | None:
    """The certificates for a scheduler's address; None where it is not encrypted."""
    if not address.startswith("tls://"):
        return None
    if folder is None:
        raise UsageError(
            f"`{address}` needs certificates: expected `--certificates FOLDER`",
            hint="`httpdyno hosts certificates hosts.toml` makes them",
        )
    return read(folder)


def security(distributed: Any, pems: Pems | None, host: str) -> Any:
    """The TLS settings of `distributed` for `host`, an address to listen on or to connect to.

    Each side proves that it belongs to the cluster, by a certificate of its authority. Dask does
    not compare host names. Raises UsageError without certificates, unless `host` is on loopback.
    """
    if pems is None:
        if not is_loopback(host):
            raise UsageError(
                f"`{host}` without certificates: expected a loopback address (127.0.0.0/8 or ::1),"
                " because who reaches another one could run code here",
                hint="use a `tls://` scheduler; `httpdyno hosts certificates hosts.toml` makes its"
                " certificates",
            )
        return distributed.Security(require_encryption=False)
    return distributed.Security(
        require_encryption=True,
        tls_min_version=ssl.TLSVersion.TLSv1_3,
        tls_ca_file=pems.ca,
        **{f"tls_{role}_cert": _in_memory(pems.certificate) for role in _ROLES},
        **{f"tls_{role}_key": _in_memory(pems.key) for role in _ROLES},
    )


@cache
def _in_memory(text: str) -> str:
    """The path of a file in the memory of this process, open until it ends.

    OpenSSL reads keys from files only, and Dask would write one into a temporary folder. It still
    does so where the system has no such files (other than Linux).
    """
    if not hasattr(os, "memfd_create"):
        return text
    file = os.memfd_create("httpdyno-certificate")
    os.fchmod(file, 0o600)
    os.write(file, text.encode())
    return f"/proc/self/fd/{file}"


def foreign(scheduler: str) -> EnvironmentFault:
    """The error for a scheduler of another cluster."""
    return EnvironmentFault(
        f"`{scheduler}` has a certificate of another authority than this machine, or refuses that"
        " of this machine",
        hint="`httpdyno hosts certificates hosts.toml` makes those of one cluster; copy the folder"
        " of each machine to it",
    )


def unusable(error: ssl.SSLError) -> UsageError:
    """The error for certificates that OpenSSL does not take."""
    return UsageError(
        f"the certificates cannot be used: {error.reason or error}: expected those that"
        " `httpdyno hosts certificates hosts.toml` made"
    )
