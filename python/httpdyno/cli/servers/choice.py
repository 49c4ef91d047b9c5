"""The servers that a `httpdyno servers` verb works on: by name, by file, by filter, or all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from httpdyno.cli.flags import argument, option
from httpdyno.errors import UsageError
from httpdyno.units import list_items

if TYPE_CHECKING:
    from httpdyno.servers import Server

__all__ = ["All", "Filter", "Names", "choose_servers", "own_words"]

Names = Annotated[list[str] | None, argument("NAME", "Names of servers")]
All = Annotated[bool, option("--all", "Every server of the catalogue")]


def own_words(own: list[Path] | None) -> list[str]:
    """The `--server` flags as given, for the process that works on one of many servers."""
    return [word for path in own or () for word in ("--server", str(path))]


def choose_servers(
    names: Sequence[str] | None, own: Sequence[Path] | None, *, every: bool
) -> list[Server]:
    """The servers that the arguments choose. Raises UsageError when they choose none."""
    from httpdyno.servers import load_catalogue, load_server

    catalogue = load_catalogue(own or ())
    if every:
        return list(catalogue)
    if names:
        return [catalogue.get(name) for name in names]
    if own:
        return [load_server(path) for path in own]
    raise UsageError(
        "no server given: expected names, `--server FILE` or `--all`",
        hint="`httpdyno servers list` shows the names",
    )


@dataclass(frozen=True)
class Filter:
    """The filter of `servers list`. None and empty let every server pass."""

    language: str | None = None
    post: str | None = None
    tier: str | None = None
    can: Sequence[str] = ()
    maintained: bool | None = None

    def of(self, servers: Sequence[Server]) -> list[Server]:
        """The servers that pass. Raises UsageError for a value that no server has."""
        self._require_known(servers)
        return [server for server in servers if self._passes(server)]

    def _passes(self, server: Server) -> bool:
        return (
            (self.language is None or self.language.lower() in _languages(server))
            and (self.post is None or self.post in server.posts)
            and (self.tier is None or server.tier == self.tier)
            and (self.maintained is None or server.maintained == self.maintained)
            and all(ability in _abilities(server) for ability in self.can)
        )

    def _require_known(self, servers: Sequence[Server]) -> None:
        _require("--language", self.language, set().union(*map(_languages, servers)))
        _require("--post", self.post, {post for server in servers for post in server.posts})
        _require("--tier", self.tier, {server.tier for server in servers if server.tier})
        for ability in self.can:
            _require("--can", ability, _all_abilities())


def _languages(server: Server) -> set[str]:
    """The languages of `C, Perl, Python`, in lower case."""
    return {one.lower() for one in list_items(server.language)}


def _abilities(server: Server) -> set[str]:
    """Its workloads, and the capabilities that none of its deployments lacks."""
    if server.unavailable is not None:
        return set()
    lacking = {one for deployment in server.deployments for one in server.cannot_of(deployment)}
    return {*server.every_workload, *(set(_capabilities()) - lacking)}


def _all_abilities() -> set[str]:
    from httpdyno.workloads import WORKLOADS

    return {*WORKLOADS, *_capabilities()}


def _capabilities() -> tuple[str, ...]:
    from httpdyno.servers.declaration.tables import Capability

    return get_args(Capability)


def _require(flag: str, given: str | None, known: Iterable[str]) -> None:
    names = sorted(known, key=str.lower)
    if given is not None and given.lower() not in (name.lower() for name in names):
        expected = ", ".join(f"`{name}`" for name in names)
        raise UsageError(f"`{flag} {given}`: expected one of {expected}")
