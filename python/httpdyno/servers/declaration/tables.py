"""The tables of a `server.toml`: how a server is installed, built, run, stopped and limited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from httpdyno.printable import printable
from httpdyno.servers.declaration.placeholders import AT_INSTALL, BUILT_IN, unknown_placeholders

_NAME = r"^[a-z0-9][a-z0-9._-]*$"
_PACKAGE = r"^[a-z0-9][a-z0-9.+-]+(:[a-z0-9]+)?$"
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_SOURCE = r"^(https?://|man:)\S+$"

SHAPES = {
    _NAME: "small letters, digits, `.`, `_` and `-`",
    _PACKAGE: "the name of a Debian package",
    _VARIABLE: "the name of a variable",
    _SOURCE: "an address (https://…) or a manual page (man:nginx.8)",
    "^/": "a path that begins with `/`",
}
"""Each pattern in words, for who broke it."""

Name = Annotated[str, Field(pattern=_NAME, max_length=60)]
Words = Annotated[tuple[str, ...], Field(min_length=1)]
Text = Annotated[str, AfterValidator(printable)]
"""Text for people; a `\\u001b` in it does not reach a terminal."""

Sentence = Annotated[str, Field(min_length=1), AfterValidator(printable)]
Package = Annotated[str, Field(pattern=_PACKAGE)]
Variable = Annotated[str, Field(pattern=_VARIABLE)]

Post = Literal[
    "bigtable-2010",
    "snap-2010",
    "erlang-python-node-2011",
    "tornado-warp-yesod-2012",
    "tornado-vs-starlette-2019",
    "today",
]
"""A comparison that a server stands in; `today`: what one would pick now."""

Capability = Literal["keep-alive", "pipelining", "http-1.0-keep-alive"]
"""What a load may need of a server's connections."""


class Part(BaseModel):
    """A table of a `server.toml`: read once, with no keys but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Install(Part):
    """Where the server's own code comes from.

    `none`: nothing to fetch. `pip`: `requirements` (exact pins, with hashes) into a venv of its
    own. `npm`: the folder's package-lock.json. `go`, `cargo`, `maven`: the `[build]` command does
    it. `apt`: all of it comes in `packages`.

    For every kind: `packages` are Debian packages that must be installed, `tools` the programs that
    must be on PATH, `unpack` the Debian packages that are only unpacked into `{prefix}/unpacked`,
    and `needs` the environment variables that must be set, each with what it must hold, in words.
    """

    kind: Literal["none", "pip", "npm", "go", "cargo", "maven", "apt"]
    requirements: str | None = None
    packages: tuple[Package, ...] = ()
    tools: tuple[str, ...] = ()
    unpack: tuple[Package, ...] = ()
    needs: dict[Variable, Sentence] = {}

    @model_validator(mode="after")
    def _complete(self) -> Install:
        if self.kind == "pip" and not self.requirements:
            raise ValueError('kind "pip" needs `requirements`, the name of a file of exact pins')
        if self.kind == "apt" and not self.packages:
            raise ValueError('kind "apt" needs `packages`, the Debian packages it comes in')
        return self


class Command(Part):
    """A command of the installation and its arguments; no shell sees it."""

    command: Words

    @field_validator("command")
    @classmethod
    def _placeholders(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        _require_known(given, AT_INSTALL)
        return given


class Deployment(Part):
    """One way to run a server.

    `cores`: how many it can use. `values`: placeholders of its own. `most_connections`: it serves
    only so many connections at once, and others wait. `workloads`: only these of the server's; None
    for all. `cannot`: what it cannot do that a load may need, each with the reason.
    """

    command: Words
    description: Text = ""
    cores: Annotated[int, Field(ge=1)] | Literal["all"] = 1
    most_connections: Annotated[int, Field(ge=1)] | None = None
    workloads: Words | None = None
    cannot: dict[Capability, Sentence] = {}
    env: dict[str, str] = {}
    values: dict[str, str] = {}

    @model_validator(mode="after")
    def _placeholders(self) -> Deployment:
        _require_known((*self.command, *self.env.values()), (*BUILT_IN, *self.values))
        _require_known(self.values.values(), BUILT_IN)
        return self


class Ready(Part):
    """The server is ready when `path` answers 200; after `timeout_s` seconds it has failed."""

    path: Annotated[str, Field(pattern="^/")] = "/pong"
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0


class Stop(Part):
    """The signal that asks the server to end, and how many seconds it has before it is killed."""

    signal: Literal["TERM", "INT", "QUIT"] = "TERM"
    grace_s: Annotated[float, Field(gt=0, le=120)] = 5.0


class Limits(Part):
    """What a server may take: it is killed when its processes together hold more memory (MiB)."""

    memory_mb: Annotated[int, Field(ge=16)] = 2048


class Setting(Part):
    """A setting that differs from the server's default: `source` is where its documentation
    describes or recommends it."""

    what: Sentence
    why: Sentence
    source: Annotated[str, Field(pattern=_SOURCE)]


def _require_known(words: Iterable[str], known: Iterable[str]) -> None:
    unknown = unknown_placeholders(words, known)
    if unknown:
        named = ", ".join(f"`{{{name}}}`" for name in unknown)
        expected = " ".join(f"{{{name}}}" for name in known)
        raise ValueError(f"{named} is not a placeholder: expected {expected}")
