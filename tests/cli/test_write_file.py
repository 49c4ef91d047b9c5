"""Output files: whole or absent, and nothing but a regular file is ever replaced."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.output import files
from httpdyno.output.files import check_file, descriptor_of, write_file

from .conftest import environment

WRITE = "import sys; from httpdyno.output.files import write_file; write_file(sys.argv[1], 'new')"


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")
    path.chmod(0o640)
    with path.open() as reader:
        write_file(path, "new µ")
        assert reader.read() == "old"
    assert path.read_bytes() == "new µ".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_that_the_umask_gives(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "out", b"\x00")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_the_name_may_be_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_file(path, "new")
    assert path.read_text() == "new"


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link = folder / "target", tmp_path / "link"
    if exists:
        target.write_text("old")
    link.symlink_to("elsewhere/target")
    check_file(link)
    write_file(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_fifo_is_written_to_and_stays(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    check_file(fifo)
    writer = threading.Thread(target=write_file, args=(fifo, "new" * 100_000))
    writer.start()
    assert fifo.read_text() == "new" * 100_000
    writer.join()
    assert fifo.is_fifo()


def test_a_fifo_that_nobody_reads_is_an_error_and_no_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    monkeypatch.setattr(files, "_READER_S", 0.0)
    with pytest.raises(EnvironmentFault, match="a FIFO that no program opened for reading"):
        write_file(fifo, "new")


def test_a_device_is_written_to_and_stays() -> None:
    write_file("/dev/null", "new")
    with pytest.raises(EnvironmentFault, match="`/dev/full` cannot be written: No space left"):
        write_file("/dev/full", "new")
    assert Path("/dev/null").is_char_device()
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_an_open_file_is_written_to_where_it_stands(name: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    out = tmp_path / "out"
    out.write_text("kept ")
    with out.open("a") as appended:
        command = [sys.executable, "-c", WRITE, name]
        subprocess.run(command, cwd=tmp_path, env=environment(), stdout=appended, check=True)
    assert out.read_text() == "kept new"
    assert (tmp_path / "link").is_symlink()
    assert Path("/dev/stdout").is_symlink()


def test_a_pipe_whose_reader_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        write_file(f"/dev/fd/{writer}", "new")
    finally:
        os.close(writer)


def test_paths_that_name_no_open_file_are_told_apart(tmp_path: Path) -> None:
    assert descriptor_of("/dev/stdout") == 1
    assert descriptor_of(tmp_path / "1") is None
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert descriptor_of(loop) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("absent/out", "No such file or directory"),
        (".", "Is a directory"),
        ("loop", "Too many levels of symbolic links"),
        ("/dev/fd/987", "Bad file descriptor"),
    ],
)
def test_what_cannot_be_written_is_told_before_and_after_the_work(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    for attempt in (check_file, lambda path: write_file(path, "new")):
        with pytest.raises(EnvironmentFault) as fault:
            attempt(name)
        assert fault.value.message == f"`{name}` cannot be written: {reason}"
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_looking_whether_a_file_can_be_written_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out"
    check_file(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    check_file(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write read-only files")
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o444)
    for attempt in (check_file, lambda place: write_file(place, "new")):
        with pytest.raises(EnvironmentFault, match="Permission denied"):
            attempt(path)
    assert path.read_text() == "old"


def test_text_that_is_not_unicode_is_written_escaped(tmp_path: Path) -> None:
    write_file(tmp_path / "out", "\udcff")
    assert (tmp_path / "out").read_bytes() == b"\\udcff"
