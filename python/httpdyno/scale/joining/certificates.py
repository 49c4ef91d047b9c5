"""The certificates of a cluster: an authority of its own, and a certificate for each machine.

    certificates/ca.key, ca.pem             the authority; they stay where they were made
    certificates/NAME/ca.pem, certificate.pem, key.pem      all that the machine NAME needs

Folders have mode 0700, files 0600.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.output.places import quoted_path
from httpdyno.scale.joining.settings import extra_missing

__all__ = ["COORDINATOR", "SCHEDULER", "Pems", "make", "read"]

COORDINATOR = "coordinator"
SCHEDULER = "scheduler"
VALID_DAYS = 825
_EARLIER = timedelta(hours=1)
"""Clocks of machines differ."""
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, repr=False)
class Pems:
    """The certificates of one machine, as PEM. It has no `repr`, so that no log shows the key."""

    ca: str
    certificate: str
    key: str


def read(folder: Path) -> Pems:
    """The certificates in the folder of one machine.

    Raises UsageError when files are missing, EnvironmentFault when others may read the key.
    """
    names = ("ca.pem", "certificate.pem", "key.pem")
    absent = [name for name in names if not (folder / name).is_file()]
    if absent:
        raise UsageError(
            f"`{folder}` has no {' and no '.join(f'`{name}`' for name in absent)}: expected the"
            " certificates of this machine",
            hint="`httpdyno hosts certificates hosts.toml` makes them; copy the folder of each"
            " machine to it",
        )
    try:
        mode = (folder / "key.pem").stat().st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise EnvironmentFault(
                f"`{folder / 'key.pem'}` has mode {stat.S_IMODE(mode):04o}: expected that only its"
                " owner can read it",
                hint=f"chmod 600 {quoted_path(folder / 'key.pem')}",
            )
        return Pems(*((folder / name).read_text(encoding="ascii")[:_MOST_BYTES] for name in names))
    except UnicodeDecodeError:
        raise UsageError(f"`{folder}`: expected certificates as PEM") from None
    except OSError as error:
        raise EnvironmentFault(f"`{error.filename}` cannot be read: {error.strerror}") from None


def make(folder: Path, machines: Mapping[str, Sequence[str]]) -> list[str]:
    """Makes an authority and a certificate for each machine; `machines`: their addresses by name.

    What is there already is kept, so that one more machine changes nothing for the others. The
    names of what was made.
    """
    try:
        return _make(folder, machines)
    except ImportError as absent:
        raise extra_missing(absent) from absent
    except OSError as error:
        raise EnvironmentFault(f"`{error.filename}` cannot be written: {error.strerror}") from None
    except ValueError as unreadable:
        raise EnvironmentFault(
            f"`{folder}` has an authority that cannot be read: {unreadable}",
            hint=f"move `{folder}` away, and make new certificates for every machine",
        ) from None


def _make(folder: Path, machines: Mapping[str, Sequence[str]]) -> list[str]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    made = []
    if not (folder / "ca.key").exists():
        key, certificate = _authority()
        _write(folder / "ca.key", _key_pem(key))
        _write(folder / "ca.pem", _pem(certificate))
        made.append("ca")
    key, certificate = _authority_in(folder)
    for name, addresses in machines.items():
        own = folder / name
        if (own / "key.pem").exists() and "ca" not in made:
            continue
        own.mkdir(mode=0o700, exist_ok=True)
        its_key, its_certificate = _certificate(name, addresses, key, certificate)
        _write(own / "key.pem", _key_pem(its_key))
        _write(own / "certificate.pem", _pem(its_certificate))
        _write(own / "ca.pem", (folder / "ca.pem").read_bytes())
        made.append(name)
    return made


def _authority() -> tuple[Any, Any]:
    from cryptography import x509  # noqa: PLC0415 - the extra `scale`

    key = _new_key()
    # The name is that of this authority alone: one of another cluster has another key.
    name = _name("httpdyno cluster")
    builder = _builder(name, name, key).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    usage = _usage(x509, signs_certificates=True)
    return key, _sign(builder.add_extension(usage, critical=True), key)


def _certificate(name: str, addresses: Sequence[str], ca_key: Any, ca: Any) -> tuple[Any, Any]:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID  # noqa: PLC0415

    key = _new_key()
    names = [x509.DNSName(name), *(_alternative(x509, one) for one in addresses)]
    both = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    builder = (
        _builder(_name(name), ca.subject, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(x509, signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(both), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(authority, critical=False)
    )
    return key, _sign(builder, ca_key)


def _builder(subject: Any, issuer: Any, key: Any) -> Any:
    from cryptography import x509  # noqa: PLC0415

    now = datetime.now(UTC)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + timedelta(days=VALID_DAYS))
        .add_extension(identifier, critical=False)
    )


def _usage(x509: Any, *, signs_certificates: bool) -> Any:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(x509: Any, address: str) -> Any:
    try:
        return x509.IPAddress(ipaddress.ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def _name(text: str) -> Any:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.x509.oid import NameOID  # noqa: PLC0415

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _new_key() -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    return ec.generate_private_key(ec.SECP256R1())


def _sign(builder: Any, key: Any) -> Any:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415

    return builder.sign(key, hashes.SHA256())


def _pem(certificate: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415

    return bytes(certificate.public_bytes(Encoding.PEM))


def _key_pem(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

    return bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def _authority_in(folder: Path) -> tuple[Any, Any]:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    key = load_pem_private_key((folder / "ca.key").read_bytes(), None)
    return key, x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes())


def _write(file: Path, content: bytes) -> None:
    """Writes a file that only its owner can read, from its first byte on."""
    temporary = file.with_name(f".{file.name}.new")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
    temporary.replace(file)
