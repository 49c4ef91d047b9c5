"""What a `server.toml` may say: how a server is installed, built, started and stopped.

Format history:
  1  first version.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from httpdyno.errors import UsageError
from httpdyno.servers.command import AT_INSTALL, BUILT_IN, unknown_placeholders
from httpdyno.workloads import WORKLOADS

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
Words = Annotated[tuple[str, ...], Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Install(_Part):
    """Where the server's own code comes from.

    `none`: nothing to fetch. `pip`: `requirements` (exact pins, with hashes) into a venv of its
    own. `npm`: the folder's package-lock.json. `go`, `cargo`: the `[build]` command does it. `apt`:
    `packages` must be there already. `tools` are programs that must be on PATH, and `packages` the
    Debian packages that bring them.
    """

    kind: Literal["none", "pip", "npm", "go", "cargo", "apt"]
    requirements: str | None = None
    packages: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Install:
        if self.kind == "pip" and not self.requirements:
            raise ValueError('kind "pip" needs `requirements`, the name of a file of exact pins')
        if self.kind == "apt" and not (self.packages and self.tools):
            raise ValueError('kind "apt" needs `packages` and `tools`, the programs they bring')
        return self


class Command(_Part):
    """A command of the installation and its arguments; no shell sees it."""

    command: Words

    @field_validator("command")
    @classmethod
    def _placeholders(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        _require_known(given, AT_INSTALL)
        return given


class Deployment(_Part):
    """One way to run a server. `cores`: how many it can use. `values`: placeholders of its own."""

    command: Words
    description: str = ""
    cores: Annotated[int, Field(ge=1)] | Literal["all"] = 1
    connections_per_worker: Annotated[int, Field(ge=1)] | None = None
    env: dict[str, str] = {}
    values: dict[str, str] = {}

    @model_validator(mode="after")
    def _placeholders(self) -> Deployment:
        _require_known((*self.command, *self.env.values()), (*BUILT_IN, *self.values))
        _require_known(self.values.values(), BUILT_IN)
        return self


def _require_known(words: Iterable[str], known: Iterable[str]) -> None:
    unknown = unknown_placeholders(words, known)
    if unknown:
        named = ", ".join(f"`{{{name}}}`" for name in unknown)
        expected = " ".join(f"{{{name}}}" for name in known)
        raise ValueError(f"{named} is not a placeholder: expected {expected}")


class Ready(_Part):
    """The server is ready when `path` answers 200; after `timeout_s` seconds it has failed."""

    path: Annotated[str, Field(pattern="^/")] = "/pong"
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0


class Stop(_Part):
    """The signal that asks the server to end, and how many seconds it has before it is killed."""

    signal: Literal["TERM", "INT", "QUIT"] = "TERM"
    grace_s: Annotated[float, Field(gt=0, le=120)] = 5.0


class Declaration(_Part):
    """A whole `server.toml`. `files` maps a file of the server's folder to where a start writes it,
    with its placeholders filled."""

    name: Name
    title: str
    language: str
    homepage: str
    licence: str
    maintained: bool
    concurrency: str
    workloads: Words
    install: Install
    build: Command | None = None
    version: Command
    deployments: Annotated[dict[Name, Deployment], Field(min_length=1)]
    files: dict[str, str] = {}
    ready: Ready = Ready()
    stop: Stop = Stop()

    @model_validator(mode="after")
    def _built(self) -> Declaration:
        if self.install.kind in ("go", "cargo") and self.build is None:
            raise ValueError(f'kind "{self.install.kind}" needs `[build]` with a `command`')
        return self

    @field_validator("deployments", mode="before")
    @classmethod
    def _expand_patterns(cls, given: Any) -> Any:
        """`"{n}-workers"` with `n = [1, 4]` is two deployments, each with the placeholder `{n}`."""
        return expand_patterns(given) if isinstance(given, dict) else given

    @field_validator("workloads")
    @classmethod
    def _known_workloads(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [f"`{name}`{_nearest(name)}" for name in given if name not in WORKLOADS]
        if unknown:
            known = ", ".join(WORKLOADS)
            raise ValueError(f"{', '.join(unknown)} is not a workload: expected some of {known}")
        return given


class Server(Declaration):
    """An entry of the catalogue: its declaration and the folder it lies in."""

    folder: Path

    def deployment(self, name: str) -> Deployment:
        """The deployment of that name. Raises UsageError, with the nearest name, without one."""
        found = self.deployments.get(name)
        if found is None:
            known = ", ".join(f"`{known}`" for known in self.deployments)
            nearest = difflib.get_close_matches(name, self.deployments, n=1)
            raise UsageError(
                f"`{name}` is not a deployment of `{self.name}`: expected {known}",
                hint=f"did you mean `{nearest[0]}`?" if nearest else None,
            )
        return found


def _nearest(name: str) -> str:
    close = difflib.get_close_matches(name, WORKLOADS, n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""


_PATTERN = re.compile(r"\{n\}")


def expand_patterns(given: dict[str, Any]) -> dict[str, Any]:
    """Deployments with each `{n}` pattern replaced by what its `n` lists, in `cores = "n"` too."""
    expanded: dict[str, Any] = {}
    for key, table in given.items():
        if not _PATTERN.search(key) or not isinstance(table, dict):
            expanded[key] = table
            continue
        rest = {k: v for k, v in table.items() if k != "n"}
        numbers = table.get("n")
        if not isinstance(numbers, list) or not all(type(n) is int and n > 0 for n in numbers):
            raise ValueError(
                f"deployment `{key}` needs `n`, a list of whole numbers such as [1, 4]"
            )
        for n in numbers:
            values = {**rest.get("values", {}), "n": str(n)}
            cores = n if rest.get("cores") == "n" else rest.get("cores", 1)
            description = str(rest.get("description", "")).replace("{n}", str(n))
            one = {**rest, "values": values, "cores": cores, "description": description}
            expanded[_PATTERN.sub(str(n), key)] = one
    return expanded
