"""The wheels: the engine compiled by zig's C compiler against an old libc, one per platform.

One wheel serves every Python from 3.11 on (abi3). No path of this machine is in it, so the same
source gives the same bytes elsewhere.
"""

from __future__ import annotations

import os
from pathlib import Path

from release import source
from release.place import Place, run
from release.platforms import Platform

__all__ = ["build"]


def build(place: Place, platform: Platform) -> Path:
    """Compiles a wheel from the source distribution; two minutes on two processors."""
    folder = source.unpack(place, place.work / "build")
    run("rustup", "target", "add", platform.target, cwd=folder)
    run(
        *("maturin", "build", "--release", "--locked", "--zig"),
        *("--target", platform.target),
        *("--compatibility", platform.libc),
        *("--out", place.out),
        cwd=folder,
        env=_environment(place, folder),
    )
    return place.wheel(platform.tag)


def _environment(place: Place, folder: Path) -> dict[str, str]:
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    target = place.work / "cargo"
    rust = (f"{home}=/cargo", f"{folder}=/httpdyno")
    c = (f"{home}=/cargo", f"{target}=/target")
    return {
        "CARGO_TARGET_DIR": str(target),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(f"--remap-path-prefix={names}" for names in rust),
        "CFLAGS": " ".join(f"-ffile-prefix-map={names}" for names in c),
        "SOURCE_DATE_EPOCH": place.epoch,
    }
