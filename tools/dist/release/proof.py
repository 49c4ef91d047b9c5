"""Installs and uses what was built, in systems that have nothing but Python."""

from __future__ import annotations

import shutil
from pathlib import Path

from release import deb, index, systems
from release.place import Place, run

__all__ = ["debian", "install"]

SCRIPTS = Path(__file__).parents[1] / "in_system"
WAYS = ("pip", "uv-tool", "uvx", "pipx", "first-verdict")
SHELLS = ("bash-completion", "fish", "man-db", "zsh")
OLDER = "0.0.1-1"


def install(place: Place) -> None:
    """Installs from an index in each way, in each Debian, and uses it where pip installed it."""
    folder = index.publish(place)
    for suite in systems.BARE:
        for way in WAYS:
            system = systems.made(place, suite, folder)
            print(f"{suite}, {way}:\n{system.script(SCRIPTS / 'install.sh', way)}", flush=True)
            if way == "pip":
                print(system.script(SCRIPTS / "use.sh"), flush=True)


def debian(place: Place) -> None:
    """Upgrades the Debian package from an older one, uses it and purges it, in each Debian."""
    folder = index.publish(place)
    package = deb.package(place, "amd64")
    older = _older(place)
    for suite in systems.BARE:
        system = systems.made(place, suite, folder, *SHELLS)
        system.copy(older, package, SCRIPTS / "use.sh")
        shown = system.script(SCRIPTS / "deb.sh", older.name, package.name)
        print(f"{suite}, deb:\n{shown}", flush=True)


def _older(place: Place) -> Path:
    """The package with a lower version, and with a module that the newer one lacks."""
    folder = place.work / "deb" / "older"
    shutil.rmtree(folder, ignore_errors=True)
    run("dpkg-deb", "--raw-extract", deb.package(place, "amd64"), folder, cwd=place.work)
    (folder / deb.PACKAGES / "httpdyno" / "removed.py").write_text("GONE = True\n")
    control = folder / "DEBIAN" / "control"
    lines = control.read_text(encoding="utf-8").splitlines()
    changed = (f"Version: {OLDER}" if it.startswith("Version:") else it for it in lines)
    control.write_text("\n".join(changed) + "\n", encoding="utf-8")
    file = folder.with_name(f"httpdyno_{OLDER}_amd64.deb")
    deb.pack(place, folder, file, "-Znone")
    return file
