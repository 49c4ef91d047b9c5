"""A server that is installed: where, which version, and what its commands see."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from httpdyno.servers.declaration.server import Server
from httpdyno.servers.installation import toolchains


@dataclass(frozen=True)
class Installation:
    """A server that can be started. `version` is what it says of itself; empty after a dry run."""

    server: Server
    prefix: Path
    version: str
    log: Path

    @property
    def source(self) -> Path:
        """The copy of the server's folder that was installed."""
        return self.prefix / "source"

    @property
    def unpacked(self) -> Path:
        """Where Debian packages that are not installed were unpacked."""
        return self.prefix / "unpacked"

    @property
    def python(self) -> Path:
        """The server's own Python, or, for a server without one, ours."""
        if self.server.install.kind == "pip":
            return self.prefix / "venv" / "bin" / "python"
        return Path(sys.executable)

    @property
    def placeholders(self) -> dict[str, str]:
        """What is known without a start."""
        return {"python": str(self.python), "prefix": str(self.prefix), "source": str(self.source)}

    def environment(self) -> dict[str, str]:
        """The environment of the server's commands; one with its own Python sees only that."""
        ours = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP"}
        inherited = {key: value for key, value in os.environ.items() if key not in ours}
        inherited["PATH"] = search_path()
        folders = list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
        if folders and self.server.install.kind != "pip":
            # Commands run in another folder: what is found from here must be found from there.
            absolute = (str(Path(folder).absolute()) for folder in folders)
            inherited["PYTHONPATH"] = os.pathsep.join(absolute)
        return inherited


def search_path() -> str:
    """The toolchains that were brought here, PATH, and the folders where Debian puts servers and a
    plain user's PATH does not look."""
    machine = [os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"]
    return os.pathsep.join([*toolchains.folders(), *machine])
