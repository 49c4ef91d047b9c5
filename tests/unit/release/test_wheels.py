"""A wheel has the same bytes wherever it is built."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

import pytest
from release.place import ReleaseError
from release.wheels import hide_folder

BOM, RECORD = "a-1.dist-info/sboms/a.cyclonedx.json", "a-1.dist-info/RECORD"
CODE = 'HOME = "/home/someone/build"\n'


def line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"{name},sha256={digest},{len(content)}\n"


def packed(file: Path, folder: str, record: str | None = None) -> Path:
    bom = f'{{"bom-ref": "path+file://{folder}/crates/wire#0.1.0"}}'
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in (
            ("a.py", CODE),
            (BOM, bom),
            (RECORD, record or line(BOM, bom.encode())),
        ):
            wheel.writestr(zipfile.ZipInfo(name, (2026, 11, 28, 0, 0, 0)), text)
    return file


def test_the_list_of_crates_does_not_name_the_folder_of_the_build(tmp_path: Path) -> None:
    wheel = packed(tmp_path / "a.whl", "/home/someone/build")
    hide_folder(wheel, Path("/home/someone/build"))
    with zipfile.ZipFile(wheel) as opened:
        bom = opened.read(BOM)
        assert bom == b'{"bom-ref": "path+file:///httpdyno/crates/wire#0.1.0"}'
        assert opened.read(RECORD).decode() == line(BOM, bom)
        assert opened.read("a.py").decode() == CODE


def test_wheels_that_are_built_in_two_folders_have_the_same_bytes(tmp_path: Path) -> None:
    first, second = (packed(tmp_path / f"{name}.whl", f"/{name}") for name in ("one", "two"))
    assert first.read_bytes() != second.read_bytes()
    for wheel in (first, second):
        hide_folder(wheel, Path(f"/{wheel.stem}"))
    assert first.read_bytes() == second.read_bytes()


def test_a_record_that_lacks_the_list_of_crates_is_refused(tmp_path: Path) -> None:
    wheel = packed(tmp_path / "a.whl", "/build", record="a.py,,\n")
    with pytest.raises(ReleaseError, match=r"RECORD lacks a-1\.dist-info/sboms"):
        hide_folder(wheel, Path("/build"))
