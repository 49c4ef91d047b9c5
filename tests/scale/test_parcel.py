"""A server's folder on its way to another machine: only what is shown, and only into its folder."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault, UsageError
from httpdyno.scale.server.parcel import is_sent, pack, unpack
from httpdyno.servers import Server, load_server
from httpdyno.servers.declaration.load import CATALOGUE
from httpdyno.servers.declaration.own import server_from_command


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPDYNO_CACHE", str(tmp_path / "cache"))


def app(tmp_path: Path) -> Server:
    folder = tmp_path / "app"
    (folder / "pages").mkdir(parents=True)
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "pages" / "a b.html").write_text("<p>")
    (folder / ".env").write_text("PASSWORD=secret")
    return server_from_command("app", "sh run.sh {port}", cwd=folder)


def archive(*entries: tuple[tarfile.TarInfo, bytes]) -> tuple[bytes, str]:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as packed:
        for entry, content in entries:
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    content = whole.getvalue()
    return content, hashlib.sha256(content).hexdigest()[:32]


def test_a_folder_arrives_as_it_was_without_hidden_files(tmp_path: Path) -> None:
    parcel = pack(app(tmp_path))
    assert parcel.names == ("pages/a b.html", "run.sh")
    folder = unpack(parcel.content, parcel.digest)
    assert sorted(str(one.relative_to(folder)) for one in folder.rglob("*")) == [
        "pages",
        "pages/a b.html",
        "run.sh",
    ]
    assert (folder / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (folder / "pages" / "a b.html").read_text() == "<p>"
    assert unpack(parcel.content, parcel.digest) == folder


def test_the_same_files_are_the_same_parcel(tmp_path: Path) -> None:
    server = app(tmp_path)
    first = pack(server)
    (server.folder / "run.sh").touch()
    assert pack(server).digest == first.digest
    (server.folder / "run.sh").write_text("exit 1")
    assert pack(server).digest != first.digest


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    server = app(tmp_path)
    (tmp_path / "secret").write_text("secret")
    (server.folder / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="is a link out of"):
        pack(server)


def test_a_folder_that_is_too_large_is_refused(tmp_path: Path) -> None:
    server = app(tmp_path)
    with (server.folder / "large").open("wb") as file:
        file.truncate(65 * 1024**2)
    with pytest.raises(UsageError, match="too large"):
        pack(server)


def test_the_whole_machine_is_refused_by_its_own_name() -> None:
    with pytest.raises(UsageError) as caught:
        pack(server_from_command("app", "sh run.sh {port}", cwd=Path("/")))
    assert caught.value.message.startswith("`/` ")
    assert "/root/" not in caught.value.message


def test_a_link_to_a_folder_above_is_left_out(tmp_path: Path) -> None:
    server = app(tmp_path)
    (server.folder / "pages" / "above").symlink_to(server.folder)
    assert pack(server).names == ("pages/a b.html", "run.sh")


@pytest.mark.parametrize("name", ["../out", "/tmp/httpdyno-out", "a/../../out"])
def test_a_file_outside_its_folder_is_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(EnvironmentFault, match="inside its folder"):
        unpack(*archive((tarfile.TarInfo(name), b"x")))
    assert not list((tmp_path / "cache" / "sent").iterdir())


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_anything_but_a_plain_file_is_refused(kind: bytes) -> None:
    entry = tarfile.TarInfo("link")
    entry.type, entry.linkname = kind, "/etc/passwd"
    with pytest.raises(EnvironmentFault, match="plain files"):
        unpack(*archive((entry, b"")))


def test_files_that_arrive_damaged_are_refused(tmp_path: Path) -> None:
    parcel = pack(app(tmp_path))
    with pytest.raises(EnvironmentFault, match="damaged"):
        unpack(parcel.content[:-1], parcel.digest)
    noise = b"no archive" * 100
    with pytest.raises(EnvironmentFault):
        unpack(noise, hashlib.sha256(noise).hexdigest()[:32])


def test_servers_of_the_catalogue_are_not_sent(tmp_path: Path) -> None:
    assert is_sent(app(tmp_path), CATALOGUE)
    assert not is_sent(load_server(CATALOGUE / "reference"), CATALOGUE)
