"""The source distribution is made of the last commit, and is complete."""

from __future__ import annotations

import io
import shutil
import tarfile
from email import message_from_string
from pathlib import Path

import pytest
from release import source
from release.notice import Crate, written
from release.place import Place, ReleaseError

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    if shutil.which("cargo") is None or shutil.which("maturin") is None:
        pytest.skip("cargo or maturin is not installed")
    made = Place(ROOT, tmp_path_factory.mktemp("dist"))
    made.out.mkdir()
    source.build(made)
    return made


def test_the_archive_has_what_pypi_shows_and_what_is_installed_beside_the_program(
    place: Place,
) -> None:
    with tarfile.open(place.sdist) as opened:
        files = {name.partition("/")[2]: name for name in opened.getnames()}
        described = _text(opened, files["PKG-INFO"])
        notice = _text(opened, files["NOTICE"])
    head = message_from_string(described)
    assert head["Version"] == place.version
    assert len(head.get_all("Project-URL") or []) == 4
    assert "](docs/" not in described
    assert "rustls 0." in notice
    assert "aws-lc-sys" in notice
    assert "proptest" not in notice  # only tests are linked with it
    assert f"{source.DATA}/man/man1/httpdyno-compare.1" in files


def _text(opened: tarfile.TarFile, name: str) -> str:
    file = opened.extractfile(name)
    assert file is not None
    return file.read().decode()


def test_an_archive_that_lacks_a_file_or_has_a_compiled_one_is_refused(
    place: Place, tmp_path: Path
) -> None:
    poorer = Place(ROOT, tmp_path)
    poorer.out.mkdir()
    for drop, add, reason in (
        ("NOTICE", "", "lacks NOTICE"),
        ("python/httpdyno/run.py", "", r"lacks python/httpdyno/run\.py"),
        ("", "python/httpdyno/_engine.abi3.so", r"has python/httpdyno/_engine\.abi3\.so"),
    ):
        with tarfile.open(place.sdist) as old, tarfile.open(poorer.sdist, "w:gz") as new:
            for member in old.getmembers():
                if member.name.partition("/")[2] != drop:
                    new.addfile(member, old.extractfile(member) if member.isfile() else None)
            if add:
                new.addfile(tarfile.TarInfo(f"httpdyno-0/{add}"), io.BytesIO())
        with pytest.raises(ReleaseError, match=reason):
            source.check(poorer)


def test_a_crate_without_the_text_of_its_licence_is_refused() -> None:
    with pytest.raises(ReleaseError, match="silent"):
        written([Crate("silent", "1.0.0", "MIT", "https://a.example", ())])


def test_equal_licences_are_printed_once_with_all_who_state_them() -> None:
    crates = [Crate(name, "1.0", "MIT", "https://a.example", ("The text.",)) for name in "ab"]
    notice = written(crates)
    assert notice.count("The text.") == 1
    assert "Of a 1.0, b 1.0:" in notice
