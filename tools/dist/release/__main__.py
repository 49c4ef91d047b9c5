"""make dist, make dist-test: builds a release, and proves that it can be installed and used.

python -m release FOLDER build [PART...]
python -m release FOLDER test [PART...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from release import checks, deb, image, proof, reproduction, sbom, source, wheels
from release.place import Place, ReleaseError
from release.platforms import PLATFORMS, Platform

__all__ = ["main"]


def _wheel(platform: Platform, place: Place) -> None:
    built = wheels.build(place, platform)
    checks.check(place, platform)
    print(f"  {built.name}: {built.stat().st_size / 1e6:.1f} MB", flush=True)


PARTS: dict[str, dict[str, Callable[[Place], None]]] = {
    "build": {
        "sdist": source.build,
        **{platform.tag: partial(_wheel, platform) for platform in PLATFORMS},
        "deb": deb.build,
        "sbom": sbom.build,
        "digests": sbom.write_digests,
    },
    "test": {
        "install": proof.install,
        "debian": proof.debian,
        "image": image.test,
        "reproduction": reproduction.test,
    },
}


def main() -> int:
    """Run the parts of one step in their order, or those that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("step", choices=PARTS)
    parser.add_argument("parts", nargs="*", metavar="PART")
    options = parser.parse_args()
    steps = PARTS[options.step]
    if unknown := set(options.parts) - set(steps):
        parser.error(f"no part {', '.join(sorted(unknown))}: expected {', '.join(steps)}")
    place = Place(Path.cwd(), options.folder.resolve())
    place.out.mkdir(parents=True, exist_ok=True)
    for name in options.parts or steps:
        begun = time.monotonic()
        try:
            steps[name](place)
        except ReleaseError as refused:
            print(f"error: {name}: {refused}", file=sys.stderr)
            return 1
        print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
