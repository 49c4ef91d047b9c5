"""A second build of the same commit, in another folder, which must have the same bytes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from release import source, wheels
from release.place import Place, ReleaseError
from release.platforms import PLATFORMS

__all__ = ["refuse_difference", "test"]

SHOWN = 4000
"""Characters of a difference that are shown."""


def test(place: Place) -> None:
    """Builds the source distribution and the first wheel again, and compares them."""
    again = Place(place.root, place.work / "again")
    shutil.rmtree(again.work, ignore_errors=True)
    again.out.mkdir(parents=True)
    source.build(again)
    refuse_difference(place.sdist, again.sdist)
    wheels.build(again, PLATFORMS[0])
    refuse_difference(place.wheel(PLATFORMS[0].tag), again.wheel(PLATFORMS[0].tag))


def refuse_difference(first: Path, second: Path) -> None:
    """Refuses two files that are not equal, and shows where they differ."""
    if first.read_bytes() == second.read_bytes():
        return
    shown = "install diffoscope to see the difference"
    if shutil.which("diffoscope"):
        words = ("diffoscope", "--text-color", "never", str(first), str(second))
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
        shown = ended.stdout[:SHOWN]
    raise ReleaseError(f"`{first.name}` has other bytes when it is built again:\n{shown}")
