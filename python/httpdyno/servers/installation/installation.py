"""An installed server: its folder, its version, and the environment of its commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from httpdyno.servers.declaration.server import Server
from httpdyno.servers.environment import inherited_environment
from httpdyno.servers.installation import toolchains

_OF_THE_USER = {
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "PYTHONSTARTUP",
    "PGPASSWORD",
    "PGPASSFILE",
}
"""Variables for the user's own programs, which no server of the catalogue needs."""


@dataclass(frozen=True)
class Installation:
    """A server that can be started. `version` is what it reports; empty when it declares no version
    command, and after a dry run."""

    server: Server
    prefix: Path
    version: str
    log: Path
    services: Mapping[str, str] = field(default_factory=dict)
    """The addresses of the services beside the server, by the variables that hold them."""

    @property
    def full_version(self) -> str:
        """The version that it reports, and the one that its user names."""
        return ", ".join(one for one in (self.version, self.server.given_version) if one)

    @property
    def source(self) -> Path:
        """The copy of the server's folder; the folder itself of one that runs in place."""
        return self.server.folder if self.server.in_place else self.prefix / "source"

    @property
    def unpacked(self) -> Path:
        """The folder of the Debian packages that are unpacked, not installed."""
        return self.prefix / "unpacked"

    @property
    def repositories(self) -> Path:
        """The folder of the files of its git repositories, one folder each."""
        return self.prefix / "git"

    @property
    def python(self) -> Path:
        """The server's own Python; for a server without one, the Python that runs httpdyno."""
        if self.server.install.kind == "pip":
            return self.prefix / "venv" / "bin" / "python"
        return Path(sys.executable)

    @property
    def placeholders(self) -> dict[str, str]:
        """The placeholders whose values are known before a start."""
        addresses = {name.lower(): address for name, address in self.services.items()}
        own = {"python": str(self.python), "prefix": str(self.prefix), "source": str(self.source)}
        return {**addresses, **own}

    def environment(self) -> dict[str, str]:
        """The environment of the server's commands, without httpdyno's own variables.

        A command of the user's own runs as in the user's own shell. Others do without variables
        that lead Python elsewhere, and without passwords of databases. All have the addresses of
        the services.
        """
        return {**self._inherited_variables(), **self.services}

    def _inherited_variables(self) -> dict[str, str]:
        found = inherited_environment()
        if self.server.in_place:
            return found
        found = {name: value for name, value in found.items() if name not in _OF_THE_USER}
        found["PATH"] = search_path()
        folders = list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
        if folders and self.server.install.kind != "pip":
            # Commands run in another folder, where relative paths would lead elsewhere.
            absolute = (str(Path(folder).absolute()) for folder in folders)
            found["PYTHONPATH"] = os.pathsep.join(absolute)
        return found


def search_path() -> str:
    """The toolchains in the cache folder, PATH, and the folders where Debian installs servers but
    which are not on an ordinary user's PATH."""
    machine = [os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"]
    return os.pathsep.join([*toolchains.folders(), *machine])
