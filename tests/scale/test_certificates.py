"""Certificates are made once, for their owner's eyes only."""

from __future__ import annotations

import os
import ssl
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.scale.joining.certificates import make, read
from httpdyno.scale.joining.security import security

pytest.importorskip("cryptography", reason="`cryptography` of the extra `scale` is not installed")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    umask = os.umask(0)
    try:
        make(tmp_path / "certificates", {"coordinator": (), "a": ("10.0.0.1", "a.example")})
    finally:
        os.umask(umask)
    return tmp_path / "certificates"


def test_only_the_owner_can_read_them_whatever_the_umask_is(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]

    assert len(files) == 2 + 3 * 2
    assert {mode(path) for path in files} == {0o600}
    assert {mode(path) for path in folders} == {0o700}


def test_openssl_takes_them_and_they_belong_to_one_authority(folder: Path) -> None:
    context = ssl.create_default_context(cafile=folder / "a" / "ca.pem")
    context.load_cert_chain(folder / "a" / "certificate.pem", folder / "a" / "key.pem")

    assert (folder / "a" / "ca.pem").read_bytes() == (
        folder / "coordinator" / "ca.pem"
    ).read_bytes()


def test_one_more_machine_changes_nothing_for_the_others(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}

    assert make(folder, {"coordinator": (), "a": (), "b": ()}) == ["b"]
    assert {path: path.read_bytes() for path in before} == before
    assert read(folder / "b").ca == read(folder / "a").ca


def test_a_key_that_others_can_read_is_refused(folder: Path) -> None:
    (folder / "a" / "key.pem").chmod(0o640)

    with pytest.raises(EnvironmentFault, match="mode 0640") as raised:
        read(folder / "a")
    assert raised.value.hint == f"chmod 600 {folder / 'a' / 'key.pem'}"


def test_missing_files_are_all_named(folder: Path) -> None:
    (folder / "a" / "ca.pem").unlink()
    (folder / "a" / "key.pem").unlink()

    with pytest.raises(UsageError, match=r"no `ca\.pem` and no `key\.pem`"):
        read(folder / "a")


def test_a_key_is_in_no_representation(folder: Path) -> None:
    pems = read(folder / "a")

    assert "PRIVATE KEY" in pems.key
    assert "PRIVATE KEY" not in repr(pems)


@pytest.mark.skipif(sys.platform != "linux", reason="files in memory are of Linux")
def test_a_key_is_written_to_no_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `scale` is not installed")
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "missing"))
    settings = security(distributed, read(folder / "a"), "10.0.0.1")
    key = Path(settings.tls_worker_key)

    assert settings.get_listen_args("worker")["ssl_context"].verify_mode == ssl.CERT_REQUIRED
    assert settings.get_connection_args("client")["ssl_context"] is not None
    assert mode(key) == 0o600
    assert str(key.readlink()).startswith("/memfd:")


def test_an_authority_that_is_no_certificate_is_no_crash(folder: Path) -> None:
    (folder / "ca.key").write_text("hello")

    with pytest.raises(EnvironmentFault, match="cannot be read"):
        make(folder, {"c": ()})
