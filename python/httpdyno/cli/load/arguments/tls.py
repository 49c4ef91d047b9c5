"""The flags of TLS as a part of an engine plan."""

from __future__ import annotations

from typing import Any

from httpdyno.choices import TLS_VERSIONS
from httpdyno.cli.faults import given_flags
from httpdyno.cli.load.arguments.address import Address
from httpdyno.cli.load.arguments.flags import LoadFlags
from httpdyno.cli.load.arguments.input_files import file_in_memory, read_input
from httpdyno.cli.values import Values, plain_text
from httpdyno.engine_plan import Tls

__all__ = ["tls_of"]


def tls_of(flags: LoadFlags, values: Values, address: Address | None) -> Tls | None:
    """The TLS settings; None for an `http://` URL, which takes none of these flags."""
    given = {
        "--ca": flags.ca,
        "--insecure": flags.insecure,
        "--sni": flags.sni,
        "--cert": flags.cert,
        "--key": flags.key,
        "--tls-version": flags.tls_version,
        "--no-resume": flags.no_resume,
    }
    names = given_flags(given)
    if address is not None and not address.tls:
        if names:
            verb = "applies" if len(names) == 1 else "apply"
            values.faults.add(f"{', '.join(names)} {verb} only to `https://` URLs")
        return None
    if flags.insecure and flags.ca is not None:
        values.faults.add("`--insecure` and `--ca` exclude each other: expected one of them")
    if (flags.cert is None) != (flags.key is None):
        values.faults.add("`--cert` and `--key` need each other: expected both")
    version = None
    if flags.tls_version is not None:
        version = values.choice("--tls-version", flags.tls_version, TLS_VERSIONS)
    parts: dict[str, Any] = {
        "ca": values.read("--ca", flags.ca, _pem),
        "insecure": flags.insecure,
        "sni": values.read("--sni", flags.sni, plain_text),
        "certificate": values.read("--cert", flags.cert, _pem),
        "key": values.read("--key", flags.key, _pem),
        "min_version": version or TLS_VERSIONS[0],
        "max_version": version or TLS_VERSIONS[-1],
        "resume": not flags.no_resume,
    }
    return Tls(**parts)


def _pem(text: str) -> str:
    """The path of a file that the engine can read."""
    found = read_input(text)
    if not isinstance(found, bytes):
        return str(found)
    if b"-----BEGIN " not in found:
        raise ValueError("expected PEM")
    return file_in_memory(found)
