"""The components of a release (CycloneDX) and the digests of its files, for those who check it."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import zipfile
from typing import Any

from release.place import Place, ReleaseError, run
from release.platforms import PLATFORMS

__all__ = ["build", "differences", "write_digests"]

SUMS = "SHA256SUMS"


def build(place: Place) -> None:
    """Writes the lists of the Rust crates and of the Python packages of this machine's wheel."""
    _write_rust(place)
    _write_python(place)


def _write_rust(place: Place) -> None:
    with zipfile.ZipFile(place.wheel(PLATFORMS[0].tag)) as opened:
        name = next(it for it in opened.namelist() if it.endswith(".cyclonedx.json"))
        text = opened.read(name).decode()
    locked = (place.source / "Cargo.lock").read_text(encoding="utf-8")
    versions = {
        (words[0].split('"')[1], words[1].split('"')[1])
        for block in locked.split("[[package]]\n")[1:]
        if len(words := block.splitlines()) > 1
    }
    if strange := differences(json.loads(text), versions):
        raise ReleaseError(f"the list of crates has what Cargo.lock has not: {', '.join(strange)}")
    _publish(place, "rust", text)


def differences(listed: dict[str, Any], locked: set[tuple[str, str]]) -> list[str]:
    """The components of a list that are not locked in these versions."""
    found = {(it["name"], it["version"]) for it in listed["components"]}
    return sorted(f"{name} {version}" for name, version in found - locked)


def _write_python(place: Place) -> None:
    """Lists an environment in which the locked dependencies and the wheel are installed."""
    environment = place.work / "sbom"
    shutil.rmtree(environment, ignore_errors=True)
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=place.work)
    pip = (sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "install")
    quiet = ("--quiet", "--disable-pip-version-check", "--no-compile")
    locked = place.source / "requirements" / "run.txt"
    run(*pip, *quiet, "--require-hashes", "-r", locked, cwd=place.work)
    run(*pip, *quiet, "--no-deps", place.wheel(PLATFORMS[0].tag), cwd=place.work)
    file = place.work / "python.json"
    run(
        *("cyclonedx-py", "environment", "--output-reproducible", "--pyproject"),
        *(place.source / "pyproject.toml", "--output-file", file, environment / "bin" / "python"),
        cwd=place.work,
    )
    _publish(place, "python", file.read_text(encoding="utf-8"))


def _publish(place: Place, kind: str, text: str) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    document = json.loads(text)
    schema = SchemaVersion.from_version(document["specVersion"])
    if fault := JsonStrictValidator(schema).validate_str(text):
        raise ReleaseError(f"the list of {kind} components is not CycloneDX: {fault}")
    place.bom(kind).write_text(text, encoding="utf-8")


def write_digests(place: Place) -> None:
    """Writes the digest of every published file into SHA256SUMS."""
    files = sorted(it for it in place.out.iterdir() if it.is_file() and it.name != SUMS)
    lines = [f"{hashlib.sha256(it.read_bytes()).hexdigest()}  {it.name}\n" for it in files]
    (place.out / SUMS).write_text("".join(lines), encoding="utf-8")
