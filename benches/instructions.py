"""The instructions of the engine per call, which no neighbour on the machine disturbs.

    make instructions
    python benches/instructions.py [LOAD ...]

Runs `crates/engine/examples/instructions` under callgrind with N and with 2N calls, and prints the
difference per call. Loads run in virtual time; drivers make calls on a real connection, where the
system calls themselves are not counted. Two builds are compared by their tables. Needs valgrind
and openssl.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "target" / "instructions"
PROGRAM = TARGET / "release" / "examples" / "instructions"
PRELOADED = TARGET / "epoll_pwait2.so"
CALLS = 4_000
LOADS = (
    *("closed", "requests", "sessions", "pipelined", "split", "chunked"),
    *("cookies", "trace", "call-log", "endpoints", "http2"),
)
DRIVERS = tuple(
    f"{tls}{driver}{sends}"
    for tls in ("", "tls-")
    for driver in ("epoll", "io-uring")
    for sends in ("", "-bytes")
)


def build() -> None:
    """Compiles the program. Valgrind does not know the system calls that rustix makes itself."""
    environment = {
        **os.environ,
        "RUSTFLAGS": "--cfg=rustix_use_libc",
        "CARGO_TARGET_DIR": str(TARGET),
    }
    words = ["cargo", "build", "--quiet", "--release", "-p", "engine", "--example", "instructions"]
    subprocess.run(words, cwd=ROOT, env=environment, check=True)
    source = ROOT / "benches" / "epoll_pwait2.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", PRELOADED, source], check=True)


def certify(folder: Path) -> None:
    """Writes the certificate of a server and its key."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    words = ["openssl", "req", "-x509", "-days", "2", "-subj", "/CN=localhost", *key, *files]
    subprocess.run(words, check=True, capture_output=True)


def instructions(name: str, folder: Path) -> int:
    """Instructions per call of a load or a driver."""
    counts = []
    for calls in (CALLS, 2 * CALLS):
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(PROGRAM)]
        words += [name, str(calls), *([str(folder)] if name in DRIVERS else [])]
        environment = {**os.environ, "LD_PRELOAD": str(PRELOADED)}
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, check=False, timeout=600
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or found is None:
            sys.exit(f"error: `{' '.join(words)}` failed:\n{done.stderr}")
        counts.append(int(found[1]))
    return round((counts[1] - counts[0]) / CALLS)


def main() -> None:
    """Prints a line for each load and driver."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="LOAD", help="loads or drivers (all)")
    names = parser.parse_args().names or [*LOADS, *DRIVERS]
    build()
    with tempfile.TemporaryDirectory() as folder:
        certify(Path(folder))
        for name in names:
            print(f"{name:16} {instructions(name, Path(folder)):6,}", flush=True)


if __name__ == "__main__":
    main()
