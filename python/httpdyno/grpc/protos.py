"""Services from files: .proto files, or a set of descriptors as protoc writes it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from httpdyno.grpc.packages import package
from httpdyno.grpc.services import Services

__all__ = ["services_of_file"]

_PATIENCE_S = 60.0
_MOST_LINES = 10
"""Of the compiler's errors."""


def services_of_file(file: Path, import_paths: Sequence[Path] = ()) -> Services:
    """The services of a .proto file, whose imports are searched for in these folders, in its own
    and in the working directory; or those of a set of descriptors. Raises ValueError."""
    compiled = _compile(file, import_paths) if file.suffix == ".proto" else file.read_bytes()
    found = package("google.protobuf.descriptor_pb2").FileDescriptorSet()
    try:
        found.ParseFromString(compiled)
    except package("google.protobuf.message").DecodeError:
        raise ValueError("expected a .proto file, or a set of descriptors by `protoc -o`") from None
    return Services({one.name: one.SerializeToString() for one in found.file})


def _compile(file: Path, import_paths: Sequence[Path]) -> bytes:
    """The descriptors of a .proto file and of all that it imports."""
    package("grpc_tools.protoc")
    file = file.resolve()
    folders = dict.fromkeys([*(path.resolve() for path in import_paths), file.parent, Path.cwd()])
    with tempfile.TemporaryDirectory(prefix="httpdyno-") as room:
        out = Path(room) / "descriptors"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "grpc_tools.protoc"),
                *(f"-I{folder}" for folder in folders),
                *("--include_imports", f"--descriptor_set_out={out}", str(file)),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
        if done.returncode == 0:
            return out.read_bytes()
    lines = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    raise ValueError("; ".join(lines[:_MOST_LINES]) or "the compiler of .proto files failed")
