"""Installs the tools: from Debian, crates.io, Go's proxy, npm, PyPI, or finds them on PATH.

All but the Debian packages are installed into one folder of the cache, which can be deleted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from httpdyno.servers.folders import cache_folder

from peers.generators.tool import Tool

ROOT = Path(__file__).resolve().parents[3]
COMPILING_S = 3600
EXAMPLES = {"run_plan": "engine", "scan": "wire"}
"""Program → the crate that has it as an example."""


class MissingError(Exception):
    """The tool cannot be installed; the message says why."""


def folder() -> Path:
    """Folder of the installed tools. `HTTPDYNO_CACHE` moves it."""
    return cache_folder() / "peers"


def install(tool: Tool) -> Path:
    """Path of the tool's program, installed if necessary. Raises MissingError."""
    place = _place(tool)
    if place is not None and place.exists():
        return place
    steps = {"apt": _apt, "cargo": _cargo, "go": _go, "npm": _npm, "pip": _pip}
    if tool.source == "ours":
        raise MissingError("was not built; `cargo build --release` shows why")
    if tool.source == "path":
        raise MissingError("not on PATH, and in no package registry")
    print(f"installing {tool.name} ({tool.source}: {tool.package})", file=sys.stderr)
    steps[tool.source](tool)
    place = _place(tool)
    if place is None or not place.exists():
        raise MissingError(f"`{tool.package}` was installed without a program `{tool.program}`")
    return place


def build_ours(*packages: str) -> None:
    """Compile these packages; without any, all programs for the benches.

    They are the bare limit, the reference server, and examples of the engine.
    """
    steps = [["-p", package] for package in packages or ("limit", "reference")]
    if not packages:
        steps += [["-p", crate, "--example", name] for name, crate in EXAMPLES.items()]
    for words in steps:
        _run(["cargo", "build", "--quiet", "--release", *words], ROOT)


def ours(name: str) -> Path:
    """Path of a program that `build_ours` compiles."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    return target / "examples" / name if name in EXAMPLES else target / name


def version(tool: Tool, program: Path) -> str:
    """Version that the tool reports, or that was installed."""
    if tool.source == "apt":
        reported = _output(["dpkg-query", "--show", "--showformat=${Version}", tool.package])
        return f"{reported} (Debian)" if reported else "unknown"
    if tool.source in ("go", "npm", "pip"):
        return tool.package.replace("==", "@").rpartition("@")[2]
    if not tool.version:
        return "this tree"
    lines = _output([str(program), *tool.version]).splitlines()
    return lines[0].strip() if lines else "unknown"


def _place(tool: Tool) -> Path | None:
    if tool.source == "ours":
        if tool.program == "httpdyno":
            return Path(sys.executable).with_name("httpdyno")
        return ours(tool.program)
    if tool.source in ("apt", "path"):
        found = shutil.which(tool.program)
        return Path(found) if found else None
    if tool.source == "npm":
        return folder() / tool.name / "node_modules" / ".bin" / tool.program
    if tool.source == "pip":
        return folder() / tool.name / "bin" / tool.program
    return folder() / "bin" / tool.program


def _apt(tool: Tool) -> None:
    if os.geteuid() != 0:
        raise MissingError(f"not installed; as root: apt-get install {tool.package}")
    wait = ["-o", "DPkg::Lock::Timeout=600"]
    _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wait, tool.package])


def _cargo(tool: Tool) -> None:
    words = ["cargo", "install", "--quiet", "--locked", "--root", str(folder()), tool.package]
    _run(words, CARGO_TARGET_DIR=str(folder() / "cargo-target"))
    shutil.rmtree(folder() / "cargo-target", ignore_errors=True)


def _go(tool: Tool) -> None:
    # In its own module: `go install` asks for all versions, which not every proxy supports.
    module, _, _ = tool.package.partition("@")
    place = folder() / "go" / tool.name
    place.mkdir(parents=True, exist_ok=True)
    (place / "go.mod").unlink(missing_ok=True)
    _run(["go", "mod", "init", "peer"], place)
    _run(["go", "mod", "edit", f"-require={tool.package}"], place)
    program = str(folder() / "bin" / tool.program)
    _run(["go", "build", "-mod=mod", "-o", program, module], place)


def _npm(tool: Tool) -> None:
    place = folder() / tool.name
    place.mkdir(parents=True, exist_ok=True)
    _run(["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", tool.package])


def _pip(tool: Tool) -> None:
    place = folder() / tool.name
    _run([sys.executable, "-m", "venv", str(place)])
    _run([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", tool.package])


def _run(words: list[str], where: Path | None = None, **variables: str) -> None:
    """Run one step. If it fails, the last line of its output is the reason."""
    try:
        done = subprocess.run(
            words,
            cwd=where,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=COMPILING_S,
            check=False,
        )
    except FileNotFoundError:
        raise MissingError(f"`{words[0]}` is not installed") from None
    except subprocess.TimeoutExpired:
        raise MissingError(f"`{' '.join(words[:3])}` took over {COMPILING_S} s") from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        last = lines[-1] if lines else f"exit code {done.returncode}"
        raise MissingError(f"`{' '.join(words[:3])}`: {last}")


def _output(words: list[str]) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr).strip()
