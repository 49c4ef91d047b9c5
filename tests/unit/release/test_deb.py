"""The Debian package serves several Pythons, and has the licence of everything in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from release import deb
from release.copyright import of_packages
from release.deb import filled, merge
from release.place import Place, ReleaseError

ROOT = Path(__file__).parents[3]
TEMPLATES = ROOT / "packaging" / "debian"


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return folder


def test_modules_for_several_pythons_are_side_by_side(tmp_path: Path) -> None:
    older = written(
        tmp_path / "a", {"m/x.cpython-311-x.so": "1", "m/y.py": "", "m.dist-info/R": "1"}
    )
    newer = written(
        tmp_path / "b", {"m/x.cpython-313-x.so": "2", "m/y.py": "", "m.dist-info/R": "2"}
    )
    for folder in (older, newer):
        merge(folder, tmp_path / "all")
    names = sorted(it.name for it in (tmp_path / "all" / "m").iterdir())
    assert names == ["x.cpython-311-x.so", "x.cpython-313-x.so", "y.py"]


def test_a_file_that_differs_between_two_pythons_is_refused(tmp_path: Path) -> None:
    merge(written(tmp_path / "a", {"m/y.py": "1"}), tmp_path / "all")
    with pytest.raises(ReleaseError, match=r"`m/y\.py` differs between two Pythons"):
        merge(written(tmp_path / "b", {"m/y.py": "2"}), tmp_path / "all")


def test_the_copyright_has_each_package_with_its_files_its_holders_and_its_text(
    tmp_path: Path,
) -> None:
    files = {
        "METADATA": "Name: Some-Package\nLicense-Expression: MIT\n",
        "RECORD": "module/a.py,,\nsome_package-1.dist-info/R,,\n../../bin/some,,\nalone.py,,\n",
        "licenses/LICENSE": "Copyright (c) 2020 Somebody\n\nPermission is granted.\n",
    }
    described = {f"some_package-1.dist-info/{name}": text for name, text in files.items()}
    own = {"httpdyno-1.dist-info/METADATA": "Name: httpdyno\n"}
    text = of_packages(written(tmp_path, {**described, **own}), Path("usr/lib"), "Permission.\n")
    assert text == (
        "Files: usr/lib/alone.py\n usr/lib/module/*\n usr/lib/some_package-1.dist-info/*\n"
        "Copyright: Copyright (c) 2020 Somebody\n"
        "License: MIT-Some-Package\n Copyright (c) 2020 Somebody\n .\n Permission is granted.\n\n"
        "License: MIT or Apache-2.0\n Permission.\n .\n or, at your choice, the Apache License,"
        " Version 2.0, which is in\n /usr/share/common-licenses/Apache-2.0.\n"
    )


def test_a_package_without_a_licence_is_refused(tmp_path: Path) -> None:
    written(
        tmp_path, {"silent-1.dist-info/METADATA": "Name: silent\n", "silent-1.dist-info/RECORD": ""}
    )
    with pytest.raises(ReleaseError, match="the wheel of silent has no licence"):
        of_packages(tmp_path, Path("usr/lib"), "")


def test_the_package_needs_a_python_that_it_has_modules_for() -> None:
    control = filled(
        TEMPLATES / "control", deb.values(Place(ROOT, ROOT), ARCHITECTURE="amd64", SIZE="1")
    )
    assert "python3 (>= 3.11~), python3 (<< 3.15~)" in control
    assert "@" not in control.replace("@users.noreply", "")


def test_a_placeholder_without_a_value_is_refused() -> None:
    with pytest.raises(ReleaseError, match="control has no value for ARCHITECTURE, SIZE"):
        filled(TEMPLATES / "control", deb.values(Place(ROOT, ROOT)))


def test_each_override_of_lintian_has_its_reason() -> None:
    lines = (TEMPLATES / "lintian-overrides").read_text(encoding="utf-8").splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        assert line.startswith("#") or before.startswith("#"), line
