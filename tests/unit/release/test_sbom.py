"""The lists of what a release consists of."""

from __future__ import annotations

import hashlib
from pathlib import Path

from release.place import Place
from release.sbom import differences, write_digests


def test_a_component_that_is_not_locked_in_its_version_is_named() -> None:
    listed = {"components": [{"name": "a", "version": "1"}, {"name": "b", "version": "2"}]}
    assert differences(listed, {("a", "1"), ("b", "3")}) == ["b 2"]
    assert differences(listed, {("a", "1"), ("b", "2"), ("c", "1")}) == []


def test_every_published_file_has_its_digest(tmp_path: Path) -> None:
    place = Place(tmp_path, tmp_path)
    place.out.mkdir()
    (place.out / "b.whl").write_bytes(b"b")
    (place.out / "a.deb").write_bytes(b"a")
    write_digests(place)
    write_digests(place)  # the file of the digests is not among them
    lines = (place.out / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert lines == [
        f"{hashlib.sha256(name.encode()).hexdigest()}  {file}"
        for name, file in (("a", "a.deb"), ("b", "b.whl"))
    ]
