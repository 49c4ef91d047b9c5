"""Installs and uses what was built, in systems that have nothing but Python."""

from __future__ import annotations

from pathlib import Path

from release import index, systems
from release.place import Place

__all__ = ["install"]

SCRIPTS = Path(__file__).parents[1] / "in_system"
WAYS = ("pip", "uv-tool", "uvx", "pipx")


def install(place: Place) -> None:
    """Installs from an index in each way, in each Debian, and uses it where pip installed it."""
    folder = index.publish(place)
    for suite in systems.BARE:
        for way in WAYS:
            system = systems.made(place, suite, folder)
            print(f"{suite}, {way}:\n{system.script(SCRIPTS / 'install.sh', way)}", flush=True)
            if way == "pip":
                print(system.script(SCRIPTS / "use.sh"), flush=True)
