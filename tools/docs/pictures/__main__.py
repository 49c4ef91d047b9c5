"""make pictures [PICTURES="SCENE..."]: real runs, photographed. About ten minutes, mostly waiting.

The runs are those of docs/tour.md. They happen in a folder of their own, which is removed. Only the
installed servers come from the user's cache. The history is drawn from sample numbers, because no
machine runs 24 nights while one waits.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from pictures.camera import camera
from pictures.scenes import SCENES
from pictures.workshop import usual_port, workshop

NEEDED = {"chromium": "chromium", "git": "git", "pngquant": "pngquant"}
"""Programs, and their Debian packages."""


def main() -> int:
    """Take the pictures of all scenes, or of those that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the folder for the pictures")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"of {', '.join(SCENES)}")
    options = parser.parse_args()
    if unknown := set(options.scenes) - set(SCENES):
        parser.error(f"no scene {', '.join(sorted(unknown))}: expected {', '.join(SCENES)}")
    if missing := [package for name, package in NEEDED.items() if shutil.which(name) is None]:
        print(f"error: these programs are missing: {', '.join(missing)}", file=sys.stderr)
        print(f"hint: apt-get install {' '.join(missing)}", file=sys.stderr)
        return 4
    with (
        tempfile.TemporaryDirectory(prefix="httpdyno-pictures-") as place,
        camera(options.folder) as shots,
        workshop(Path(place), usual_port()) as work,
    ):
        for name in options.scenes or SCENES:
            begun = time.monotonic()
            SCENES[name](shots, work)
            print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
