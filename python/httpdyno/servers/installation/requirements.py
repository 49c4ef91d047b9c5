"""Requirements of a server: Debian packages, programs, toolchains, environment variables."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable

from httpdyno.errors import EnvironmentFault
from httpdyno.servers.declaration.load import CATALOGUE
from httpdyno.servers.declaration.server import Server
from httpdyno.servers.installation import debian, toolchains
from httpdyno.servers.installation.installation import search_path
from httpdyno.servers.installation.toolchains import Toolchain

_TOOLS = {
    "npm": ("node", "npm"),
    "go": ("go",),
    "cargo": ("cargo", "cc"),
    "maven": ("mvn", "java"),
    "git": ("git",),
}


def missing_packages(server: Server) -> list[str]:
    """The Debian packages to install: those that it names, else those of its missing tools."""
    named = debian.missing(server.install.packages)
    if named or not debian.has_dpkg():
        return named
    return _packages_of(missing_tools(server))


def missing_tools(server: Server) -> list[str]:
    """The programs that are not on PATH, without those that a toolchain includes."""
    own = (tool for tool in _tools(server) if not toolchains.is_included(tool))
    return [tool for tool in own if shutil.which(tool, path=search_path()) is None]


def lacking_toolchains(server: Server) -> list[Toolchain]:
    """The toolchains that it needs and that are missing here, or too old."""
    return toolchains.lacking(_tools(server), search_path())


def toolchain_digests(server: Server) -> list[str]:
    """The digest of each toolchain that it needs."""
    return [toolchain.digest for toolchain in toolchains.needed_toolchains(_tools(server))]


def _tools(server: Server) -> list[str]:
    return list(dict.fromkeys((*_TOOLS.get(server.install.kind, ()), *server.install.tools)))


def require(server: Server) -> None:
    """Raise EnvironmentFault when a variable, a toolchain, a package or a program is missing."""
    _require_variables(server)
    _require_toolchains(server)
    packages = debian.missing(server.install.packages)
    lacking = missing_tools(server)
    if not packages and not lacking:
        return
    what, where = (lacking, "not found on PATH") if lacking else (packages, "not installed")
    named = ", ".join(f"`{one}`" for one in what)
    needed = packages or server.install.packages or _packages_of(lacking)
    hint = "install it, or add its folder to PATH"
    if needed:
        hint = f"`{_command_for(server)}` or `{debian.command_for(needed)}`"
    raise EnvironmentFault(f"{named} {where}: `{server.name}` needs it", hint=hint)


def _packages_of(tools: Iterable[str]) -> list[str]:
    """The packages of those programs whose package is known, each once."""
    return list(dict.fromkeys(filter(None, map(debian.package_of, tools))))


def _command_for(server: Server) -> str:
    """The command that installs a server with all that it needs."""
    own = server.folder.parent != CATALOGUE
    words = ["httpdyno", "servers", "install", server.name]
    return shlex.join([*words, "--server", str(server.folder)] if own else words)


def _require_variables(server: Server) -> None:
    unset = [name for name in server.install.needs if not os.environ.get(name)]
    if unset:
        named = "; ".join(f"`{name}` must hold {server.install.needs[name]}" for name in unset)
        raise EnvironmentFault(
            f"`{server.name}` needs an environment variable that is not set: {named}"
        )


def _require_toolchains(server: Server) -> None:
    for toolchain in lacking_toolchains(server):
        there = toolchains.version_on(toolchain, search_path())
        found = "missing" if there is None else f"of version {_with_dots(there)}"
        raise EnvironmentFault(
            f"`{toolchain.name}` is {found}: `{server.name}` needs {_with_dots(toolchain.least)} or"
            " newer",
            hint=f"`{_command_for(server)}` installs it from PyPI into the cache folder",
        )


def _with_dots(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
