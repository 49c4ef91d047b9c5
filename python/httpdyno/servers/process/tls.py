"""TLS of servers: the certificate that a start makes, and how our own client speaks it."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

from httpdyno.engine_plan import Tls
from httpdyno.errors import EnvironmentFault
from httpdyno.servers.process.port import HOST

_LIMIT_S = 30.0
_NAMES = ("IP:127.0.0.1", "IP:::1", "DNS:localhost")
_AUTHORITY, _AUTHORITY_KEY = "authority.pem", "authority-key.pem"
CERTIFICATE, KEY = "certificate.pem", "key.pem"


def make_certificate(folder: Path, host: str = HOST) -> Tls:
    """Makes a certificate for `host`, 127.0.0.1 and localhost, and how a client trusts it.

    `CERTIFICATE` and `KEY` are in `folder` then, and are valid for two days. The authority that
    signs it exists for this one signature. Raises EnvironmentFault without `openssl`.
    """
    _openssl(folder, _AUTHORITY, _AUTHORITY_KEY, "/CN=httpdyno, this run", ())
    signed = ["-CA", _AUTHORITY, "-CAkey", _AUTHORITY_KEY]
    names = "subjectAltName=" + ",".join(dict.fromkeys([*_NAMES, f"IP:{host}"]))
    extensions = ["-addext", names, "-addext", "basicConstraints=critical,CA:FALSE"]
    _openssl(folder, CERTIFICATE, KEY, "/CN=localhost", [*signed, *extensions])
    (folder / _AUTHORITY_KEY).unlink()
    return Tls(ca=str(folder / _AUTHORITY))


def client_context(tls: Tls) -> ssl.SSLContext:
    """The settings of a plan for Python's own client. Raises OSError when a file is no PEM."""
    context = ssl.create_default_context(cafile=tls.ca)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # as lenient as the engine's own checks
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.certificate is not None:
        context.load_cert_chain(tls.certificate, tls.key)
    versions = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
    context.minimum_version = versions[tls.min_version]
    context.maximum_version = versions[tls.max_version]
    return context


def _openssl(
    folder: Path, certificate: str, key: str, subject: str, more: list[str] | tuple[()]
) -> None:
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"]
    words += ["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", subject]
    words += ["-out", certificate, "-keyout", key, *more]
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentFault(
            "`openssl` is not on PATH: TLS needs it to make a certificate",
            hint="apt-get install openssl",
        ) from None
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(f"`openssl` took more than {_LIMIT_S:g} s") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it printed nothing"]
        raise EnvironmentFault(f"`openssl` cannot make a certificate: {lines[-1]}")
