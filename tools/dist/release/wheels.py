"""The wheels: the engine compiled by zig's C compiler against an old libc, one per platform.

One wheel serves every Python from 3.11 on (abi3). No path of this machine is in it, so the same
source gives the same bytes elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zipfile
from pathlib import Path

from release import source
from release.place import Place, ReleaseError, run
from release.platforms import Platform

__all__ = ["build", "hide_folder"]

HIDDEN = "/httpdyno"
"""Written in place of the folder in which a wheel is compiled."""


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
    wheel = place.wheel(platform.tag)
    hide_folder(wheel, folder)
    return wheel


def hide_folder(wheel: Path, folder: Path) -> None:
    """Packs a wheel again, without the folder that maturin writes into the list of crates."""
    with zipfile.ZipFile(wheel) as opened:
        entries = [(it, opened.read(it)) for it in opened.infolist()]
    record, recorded = entries.pop()  # it is the last file of a wheel
    with zipfile.ZipFile(wheel, "w") as packed:
        for entry, content in entries:
            shown = content
            if "/sboms/" in entry.filename:
                shown = content.replace(str(folder).encode(), HIDDEN.encode())
                before, after = (_line(entry.filename, it) for it in (content, shown))
                if before not in recorded:
                    raise ReleaseError(f"{wheel.name}: {record.filename} lacks {before.decode()}")
                recorded = recorded.replace(before, after)
            packed.writestr(entry, shown)
        packed.writestr(record, recorded)


def _line(name: str, content: bytes) -> bytes:
    """A line of RECORD, as PEP 376 has it."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}".encode()


def _environment(place: Place, folder: Path) -> dict[str, str]:
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    target = place.work / "cargo"
    rust = (f"{home}=/cargo", f"{folder}={HIDDEN}")
    c = (f"{home}=/cargo", f"{target}=/target")
    return {
        "CARGO_TARGET_DIR": str(target),
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(f"--remap-path-prefix={names}" for names in rust),
        "CFLAGS": " ".join(f"-ffile-prefix-map={names}" for names in c),
        "SOURCE_DATE_EPOCH": place.epoch,
    }
