"""NOTICE: the licences of everything that is compiled into the engine.

The crates are those that cargo links into it on any platform of a wheel. Their texts are those of
their own archives; equal texts are printed once.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from release.place import Place, ReleaseError, output
from release.platforms import PLATFORMS

__all__ = ["Crate", "crates", "text", "written"]

CRATE = "httpdyno-python"
_FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
_RUST = (
    "The standard library of Rust (https://github.com/rust-lang/rust): MIT OR Apache-2.0.\n"
    "libunwind of LLVM, where zig links it (https://llvm.org): Apache-2.0 WITH LLVM-exception."
)


@dataclass(frozen=True)
class Crate:
    """A package from crates.io, with the files that state its licence."""

    name: str
    version: str
    licence: str
    repository: str
    texts: tuple[str, ...]


def text(place: Place) -> str:
    """The content of NOTICE for a checkout."""
    return written(crates(place))


def crates(place: Place) -> list[Crate]:
    """The crates of others in the engine, by name and version."""
    only = [word for platform in PLATFORMS for word in ("--filter-platform", platform.target)]
    described = json.loads(
        output(*_cargo("metadata", "--format-version", "1", *only), cwd=place.source)
    )
    packages = {(found["name"], found["version"]): found for found in described["packages"]}
    linked = [packages[name] for name in sorted(_linked(place))]
    return [_crate(found) for found in linked if found["source"] is not None]


def _linked(place: Place) -> set[tuple[str, str]]:
    targets = [word for platform in PLATFORMS for word in ("--target", platform.target)]
    only = ("--package", CRATE, "--edges", "normal,no-proc-macro", "--prefix", "none")
    listed = output(*_cargo("tree", *only, "--format", "{p}", *targets), cwd=place.source)
    lines = [line.split() for line in listed.splitlines() if line.strip()]
    return {(name, version.removeprefix("v")) for name, version, *_ in lines}


def _cargo(verb: str, *words: str) -> tuple[str, ...]:
    return ("cargo", verb, "--locked", *words)


def _crate(package: dict[str, str]) -> Crate:
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if _FILE.match(file.name) and file.is_file())
    return Crate(
        package["name"],
        package["version"],
        package["license"],
        package["repository"] or f"https://crates.io/crates/{package['name']}",
        tuple(file.read_text(encoding="utf-8").strip() for file in files),
    )


def written(found: list[Crate]) -> str:
    """The list of the crates, then each text with the crates that state it."""
    if silent := [crate.name for crate in found if not crate.texts or not crate.licence]:
        raise ReleaseError(
            f"no licence in the archive of {', '.join(silent)}: add it to NOTICE by hand"
        )
    return "\n".join(_lines(found))


def _lines(found: list[Crate]) -> Iterator[str]:
    yield "httpdyno is licensed under MIT OR Apache-2.0. Its compiled engine contains:"
    yield ""
    yield _RUST
    yield from (f"{it.name} {it.version} ({it.repository}): {it.licence}" for it in found)
    holders: dict[str, list[str]] = defaultdict(list)
    for crate in found:
        for stated in crate.texts:
            holders[stated].append(f"{crate.name} {crate.version}")
    for stated, names in holders.items():
        yield from ("", "=" * 80, f"Of {', '.join(names)}:", "", stated)
    yield ""
