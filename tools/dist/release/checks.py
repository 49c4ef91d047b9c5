"""The checks that a wheel must pass before it is published."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from release.place import Place, ReleaseError, output, run
from release.platforms import PYTHONS, Platform

__all__ = ["check", "foreign_paths", "needed", "refuse_dependencies", "refuse_libraries", "tagged"]

ENGINE = "httpdyno/_engine.abi3.so"
_NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
LIMIT_MB = 8
"""A wheel of this size has something in it that it should not have."""


def check(place: Place, platform: Platform) -> None:
    """Refuses a wheel with a false tag, with private symbols, or with files that do not belong."""
    wheel = place.wheel(platform.tag)
    # W002, equal files: each server of the catalogue is a folder of its own.
    run("check-wheel-contents", "--ignore", "W002", wheel, cwd=place.work)
    run("twine", "check", "--strict", wheel, cwd=place.work)
    run("abi3audit", "--strict", wheel, cwd=place.work)
    if platform.tag.startswith("manylinux"):
        tagged(run("auditwheel", "show", wheel, cwd=place.work), platform.tag)
    with _engine(wheel) as engine:
        refuse_libraries(wheel.name, needed(engine), platform.libraries)
    if (size := wheel.stat().st_size / 1e6) > LIMIT_MB:
        raise ReleaseError(f"{wheel.name} has {size:.1f} MB: expected at most {LIMIT_MB}")
    _check_content(place, wheel)
    refuse_dependencies(place.source / "requirements" / "run.txt", platform)


def refuse_dependencies(lock: Path, platform: Platform) -> None:
    """Refuses locked dependencies that have no wheel on the platform, for one of PYTHONS."""
    name = platform.target if "musl" in platform.target else f"{platform.machine}-{platform.libc}"
    with TemporaryDirectory() as folder:
        for python in PYTHONS:
            run(
                *("uv", "pip", "install", "--dry-run", "--target", folder, "-r", lock),
                *("--python-platform", name, "--python-version", python),
                *("--only-binary", ":all:", "--require-hashes"),
                cwd=lock.parent,
            )


@contextmanager
def _engine(wheel: Path) -> Any:
    with TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as opened:
        yield Path(opened.extract(ENGINE, folder))


def needed(library: Path) -> set[str]:
    """The shared libraries that an ELF file loads."""
    shown = output("readelf", "--dynamic", "--wide", library, cwd=library.parent)
    return set(_NEEDED.findall(shown))


def refuse_libraries(wheel: str, found: Iterable[str], allowed: frozenset[str]) -> None:
    """Refuses a library that a bare system of the platform lacks."""
    if strange := sorted(set(found) - allowed):
        expected = ", ".join(sorted(allowed))
        raise ReleaseError(f"{wheel} needs {', '.join(strange)}: expected only {expected}")


def foreign_paths(content: bytes, paths: Iterable[Path]) -> list[str]:
    """The paths that occur in a file."""
    return [str(path) for path in paths if str(path).encode() + b"/" in content]


def tagged(shown: str, tag: str) -> None:
    """Refuses a wheel for which auditwheel does not confirm the platform's tag."""
    sentence = " ".join(shown.split())
    if f'consistent with the following platform tag: "{tag}"' not in sentence:
        raise ReleaseError(f"auditwheel does not confirm {tag}: {sentence}")


def _check_content(place: Place, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        information = f"httpdyno-{place.version}.dist-info"
        expected = {f"{information}/licenses/{name}" for name in ("NOTICE", "LICENSE-MIT")}
        expected |= {f"httpdyno-{place.version}.data/data/share/man/man1/httpdyno-load.1"}
        if missing := expected - names:
            raise ReleaseError(f"{wheel.name} lacks {', '.join(sorted(missing))}")
        boms = [name for name in names if name.startswith(f"{information}/sboms/")]
        if not boms or not json.loads(opened.read(boms[0]))["components"]:
            raise ReleaseError(f"{wheel.name} has no list of its Rust crates")
        for name in (ENGINE, *boms):
            if found := foreign_paths(opened.read(name), [Path.home(), place.root]):
                raise ReleaseError(f"{name} contains {', '.join(found)}: a path of this machine")
