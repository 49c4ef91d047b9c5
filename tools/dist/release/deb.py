"""The Debian packages: the wheel and its locked dependencies for the system's own Python.

They are in a virtual environment in /usr/lib, since Debian's packages of these dependencies are too
old. A package serves each Python in PYTHONS: a module compiled for one of them has its version in
the file's name, and all other files are equal.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import shutil
import sys
import zipfile
from email.utils import formatdate
from pathlib import Path, PurePosixPath

from release import checks
from release.copyright import of_packages
from release.place import Place, ReleaseError, run
from release.platforms import PLATFORMS, PYTHONS, Platform

__all__ = ["ARCHITECTURES", "PACKAGES", "build", "filled", "merge", "pack", "package", "values"]

ARCHITECTURES = {"amd64": PLATFORMS[0], "arm64": PLATFORMS[1]}
HOME = Path("usr/lib/httpdyno")
PACKAGES = HOME / "lib" / "python3" / "site-packages"
DOCUMENTS = Path("usr/share/doc/httpdyno")
MAINTAINER = "The httpdyno authors <httpdyno@users.noreply.github.com>"
COMPLETIONS = {
    "bash-completion/completions/httpdyno": "bash-completion/completions/httpdyno",
    "zsh/site-functions/_httpdyno": "zsh/vendor-completions/_httpdyno",
    "fish/vendor_completions.d/httpdyno.fish": "fish/vendor_completions.d/httpdyno.fish",
}
"""Files below `share/` in the wheel, and where Debian wants them."""
_OF_WHEEL = re.compile(r"[^/]+\.dist-info/(RECORD|REQUESTED|INSTALLER|WHEEL|LICENSE|licenses/.*)")
"""Files that describe a wheel; the licences are in the package's `copyright`."""
_SCRIPT = """#!/usr/lib/httpdyno/bin/python3
import sys

from {module} import {function}

sys.exit({function}())
"""


def build(place: Place) -> None:
    """Builds a package for each architecture, and lets lintian judge it."""
    for architecture, platform in ARCHITECTURES.items():
        folder = place.work / "deb" / architecture
        shutil.rmtree(folder, ignore_errors=True)
        _write_files(place, platform, folder)
        _write_control(place, architecture, folder)
        file = package(place, architecture)
        pack(place, folder, file)
        run("lintian", "--fail-on", "error,warning", "--info", file, cwd=place.work)
        print(f"  {file.name}: {file.stat().st_size / 1e6:.1f} MB", flush=True)


def package(place: Place, architecture: str) -> Path:
    """The package of an architecture, as Debian names it."""
    return place.out / f"httpdyno_{_version(place)}_{architecture}.deb"


def _version(place: Place) -> str:
    return place.version.replace("-", "~") + "-1"


def pack(place: Place, folder: Path, file: Path, *flags: str) -> None:
    """Packs a folder of files, which all get the time of the commit."""
    words = ("dpkg-deb", "--root-owner-group", *flags, "--build", str(folder), str(file))
    run(*words, cwd=place.work, env={"SOURCE_DATE_EPOCH": place.epoch})


def _write_files(place: Place, platform: Platform, folder: Path) -> None:
    packages = folder / PACKAGES
    for python in PYTHONS:
        merge(_install(place, platform, python), packages)
    _unpack(place, platform, folder)
    _write_documents(place, folder)
    _remove_notes(packages)
    _write_environment(place, folder)
    _strip(platform, packages)
    for found in folder.rglob("*"):
        if not found.is_symlink():
            found.chmod(0o755 if found.is_dir() or _is_script(found) else 0o644)


def _is_script(file: Path) -> bool:
    with file.open("rb") as opened:
        return file.suffix != ".py" and opened.read(2) == b"#!"


def _install(place: Place, platform: Platform, python: str) -> Path:
    """The locked dependencies, installed by pip for a Python that need not be here."""
    folder = place.work / "deb" / f"{platform.tag}-{python}"
    shutil.rmtree(folder, ignore_errors=True)
    run(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--target", folder, "--no-compile", "--only-binary", ":all:", "--python-version", python),
        *(word for tag in platform.tags for word in ("--platform", tag)),
        *("--require-hashes", "-r", place.source / "requirements" / "run.txt"),
        cwd=place.work,
    )
    shutil.rmtree(folder / "bin", ignore_errors=True)
    return folder


def merge(source: Path, target: Path) -> None:
    """Adds the files of a folder. Those of packages must be equal to those that are there."""
    for file in sorted(it for it in source.rglob("*") if it.is_file()):
        name = file.relative_to(source)
        there = target / name
        if not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, there)
        elif there.read_bytes() != file.read_bytes() and not name.parts[0].endswith(".dist-info"):
            raise ReleaseError(f"`{name}` differs between two Pythons")


def _unpack(place: Place, platform: Platform, folder: Path) -> None:
    """The wheel: the package, its man pages, its completions."""
    share = PurePosixPath(f"httpdyno-{place.version}.data/data/share")
    with zipfile.ZipFile(place.wheel(platform.tag)) as wheel:
        for name in wheel.namelist():
            if not PurePosixPath(name).is_relative_to(share):
                wheel.extract(name, folder / PACKAGES)
                continue
            path = PurePosixPath(name).relative_to(share)
            if path.parts[0] == "man":
                _compress(folder / "usr/share" / f"{path}.gz", wheel.read(name))
            else:
                _write(folder / "usr/share" / COMPLETIONS[str(path)], wheel.read(name))


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _compress(file: Path, content: bytes) -> None:
    _write(file, gzip.compress(content, 9, mtime=0))


def _write_documents(place: Place, folder: Path) -> None:
    templates = place.source / "packaging" / "debian"
    documents = folder / DOCUMENTS
    known = values(place)
    licences = folder / PACKAGES / f"httpdyno-{place.version}.dist-info" / "licenses"
    stanzas = of_packages(folder / PACKAGES, PACKAGES, (licences / "LICENSE-MIT").read_text())
    copyright_ = filled(templates / "copyright", known) + stanzas
    _write(documents / "copyright", copyright_.encode())
    _compress(documents / "NOTICE.gz", (licences / "NOTICE").read_bytes())
    _compress(documents / "changelog.gz", (place.source / "CHANGELOG.md").read_bytes())
    _compress(documents / "changelog.Debian.gz", filled(templates / "changelog", known).encode())
    overrides = (templates / "lintian-overrides").read_bytes()
    _write(folder / "usr/share/lintian/overrides/httpdyno", overrides)
    hook = (templates / "httpdyno.rtupdate").read_bytes()
    _write(folder / "usr/share/python3/runtime.d/httpdyno.rtupdate", hook)


def _remove_notes(packages: Path) -> None:
    for file in sorted(packages.rglob("*"), reverse=True):
        if _OF_WHEEL.fullmatch(file.relative_to(packages).as_posix()) and file.is_file():
            file.unlink()
        elif file.is_dir() and not any(file.iterdir()):
            file.rmdir()


def _write_environment(place: Place, folder: Path) -> None:
    """A virtual environment of the system's Python, whichever of PYTHONS that is."""
    home = folder / HOME
    _write(home / "pyvenv.cfg", b"home = /usr/bin\ninclude-system-site-packages = false\n")
    (home / "bin").mkdir()
    (home / "bin" / "python3").symlink_to("../../../bin/python3")
    for python in PYTHONS:
        (home / "lib" / f"python{python}").symlink_to("python3")
    (folder / "usr" / "bin").mkdir()
    for name, entry in place.project["scripts"].items():
        module, function = entry.split(":")
        script = _SCRIPT.format(module=module, function=function)
        _write(home / "bin" / name, script.encode())
        (folder / "usr" / "bin" / name).symlink_to(f"../lib/httpdyno/bin/{name}")


def _strip(platform: Platform, packages: Path) -> None:
    """Removes symbols for debuggers, and refuses a library that needs more than its libc."""
    program = f"{platform.machine}-linux-gnu-strip"
    for file in sorted(packages.rglob("*.so")):
        run(program, "--strip-unneeded", file, cwd=packages)
        needed = checks.needed(file)
        checks.refuse_libraries(file.name, needed, platform.libraries | {"librt.so.1"})


def _write_control(place: Place, architecture: str, folder: Path) -> None:
    files = sorted(it for it in folder.rglob("*") if it.is_file() and not it.is_symlink())
    sums = [f"{_md5(it)}  {it.relative_to(folder)}" for it in files]
    size = sum(-(-it.stat().st_size // 1024) for it in files)
    known = values(place, ARCHITECTURE=architecture, SIZE=str(size))
    templates = place.source / "packaging" / "debian"
    control = folder / "DEBIAN"
    _write(control / "md5sums", ("\n".join(sums) + "\n").encode())
    _write(control / "control", filled(templates / "control", known).encode())
    for script in ("postinst", "prerm"):
        _write(control / script, (templates / script).read_bytes())
        (control / script).chmod(0o755)


def _md5(file: Path) -> str:
    return hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()


def values(place: Place, **more: str) -> dict[str, str]:
    """The values of the placeholders in packaging/debian."""
    major, minor = PYTHONS[-1].split(".")
    return {
        "AUTHORS": ", ".join(it["name"] for it in place.project["authors"]),
        "DATE": formatdate(int(place.epoch)),
        "END": f"{major}.{int(minor) + 1}",
        "FIRST": PYTHONS[0],
        "MAINTAINER": MAINTAINER,
        "REPOSITORY": place.project["urls"]["Repository"],
        "UPSTREAM": place.version,
        "VERSION": _version(place),
        **more,
    }


def filled(template: Path, known: dict[str, str]) -> str:
    """A template with its values. One that has no value stops the release."""
    text = template.read_text(encoding="utf-8")
    if unknown := sorted(set(re.findall("@([A-Z]+)@", text)) - set(known)):
        raise ReleaseError(f"{template.name} has no value for {', '.join(unknown)}")
    return re.sub("@([A-Z]+)@", lambda found: known[found[1]], text)
