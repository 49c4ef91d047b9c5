"""The tables of a `server.toml`: installation, deployments, readiness, stop, limits, settings."""

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

from httpdyno.choices import SpokenVersion
from httpdyno.output.printable import printable
from httpdyno.servers.declaration.placeholders import (
    AT_INSTALL,
    BUILT_IN,
    OF_TLS,
    unknown_placeholders,
)

_NAME = r"^[a-z0-9][a-z0-9._-]*$"
_PACKAGE = r"^[a-z0-9][a-z0-9.+-]+(:[a-z0-9]+)?$"
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_SOURCE = r"^(https?://|man:)\S+$"
_ADDRESS = r"^https://[^\s@?#]+$"
_COMMIT = r"^[0-9a-f]{40}$"

SHAPES = {
    _NAME: "lower-case letters, digits, `.`, `_` and `-`",
    _PACKAGE: "the name of a Debian package",
    _VARIABLE: "the name of a variable",
    _SOURCE: "an address (https://…) or a manual page (man:nginx.8)",
    _ADDRESS: "an address https://… without a user name or a query",
    _COMMIT: "a commit, in 40 hexadecimal digits",
    "^/": "a path that begins with `/`",
}
"""Each pattern in words, for error messages."""

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
]
"""A published comparison with the server in it."""

Tier = Literal["today", "niche", "history"]
"""Who chooses the server for something new: `today` many, `niche` few, `history` nobody."""

Capability = Literal["keep-alive", "pipelining", "http-1.0-keep-alive"]
"""A feature of connections that a load may need."""


class Table(BaseModel):
    """A table of a `server.toml`; a key that it does not know is a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Repository(Table):
    """A public git repository, at one commit."""

    address: Annotated[str, Field(pattern=_ADDRESS)]
    commit: Annotated[str, Field(pattern=_COMMIT)]


class Install(Table):
    """Source of the server's code.

    `none`: nothing to fetch. `pip`: `requirements` (exact pins, with hashes) into a venv of its
    own. `npm`: the folder's package-lock.json. `go`, `cargo`, `maven`: fetched by the `[build]`
    command. `apt`: all of it comes in `packages`. `git`: the files of `repositories`, each in
    `{prefix}/git/NAME`, from which the `[build]` command makes the rest.

    For every kind: `packages` are Debian packages that must be installed; `tools` are programs that
    must be on PATH; `unpack` are Debian packages that are only unpacked, into `{prefix}/unpacked`;
    `needs` are environment variables that must be set, each with a description of its value.
    """

    kind: Literal["none", "pip", "npm", "go", "cargo", "maven", "apt", "git"]
    requirements: str | None = None
    packages: tuple[Package, ...] = ()
    tools: tuple[str, ...] = ()
    unpack: tuple[Package, ...] = ()
    repositories: dict[Name, Repository] = {}
    needs: dict[Variable, Sentence] = {}

    @model_validator(mode="after")
    def _complete(self) -> Install:
        if self.kind == "pip" and not self.requirements:
            raise ValueError('kind "pip" needs `requirements`, the name of a file of exact pins')
        if self.kind == "apt" and not self.packages:
            raise ValueError('kind "apt" needs `packages`, the Debian packages it comes in')
        if self.kind == "git" and not self.repositories:
            raise ValueError('kind "git" needs `[install.repositories.NAME]`, at least one')
        if self.repositories and self.kind != "git":
            raise ValueError('`repositories` need `kind = "git"`')
        return self


class Command(Table):
    """A command of the installation and its arguments, run without a shell."""

    command: Words

    @field_validator("command")
    @classmethod
    def _placeholders(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        _require_known(given, AT_INSTALL)
        return given


class Deployment(Table):
    """One way to run a server.

    `cores`: number of cores it can use. `values`: its own placeholders. `most_connections`: it
    serves at most so many connections at once, and others wait. `workloads`: those it answers; None
    means all of the server's. `cannot`: capabilities that it lacks, each with the reason. `tls`: it
    speaks TLS, with the `{certificate}` and the `{key}` that each start makes. `http`: the versions
    of HTTP that it speaks, 2 with TLS by ALPN, otherwise with prior knowledge; loads that name no
    version use the first.
    """

    command: Words
    description: Text = ""
    cores: Annotated[int, Field(ge=1)] | Literal["all"] = 1
    most_connections: Annotated[int, Field(ge=1)] | None = None
    workloads: Words | None = None
    cannot: dict[Capability, Sentence] = {}
    env: dict[str, str] = {}
    values: dict[str, str] = {}
    tls: bool = False
    http: Annotated[tuple[SpokenVersion, ...], Field(min_length=1)] = ("1.1",)

    @field_validator("http")
    @classmethod
    def _each_once(cls, given: tuple[SpokenVersion, ...]) -> tuple[SpokenVersion, ...]:
        if len(set(given)) < len(given):
            raise ValueError("a version is there twice: expected each once")
        return given

    @model_validator(mode="after")
    def _placeholders(self) -> Deployment:
        _require_known((*self.command, *self.env.values()), (*BUILT_IN, *self.values))
        _require_known(self.values.values(), BUILT_IN)
        used = (*self.command, *self.env.values(), *self.values.values())
        if not self.tls and set(OF_TLS) & set(unknown_placeholders(used, ())):
            raise ValueError("`{certificate}` and `{key}` need `tls = true`")
        return self


class Ready(Table):
    """The server is ready when `path` answers 200, which may take `timeout_s` seconds."""

    path: Annotated[str, Field(pattern="^/")] = "/pong"
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0
    any_status: bool = False
    """An answer with any status will do."""


class Stop(Table):
    """The signal that asks the server to stop, and the seconds it has before it is killed."""

    signal: Literal["TERM", "INT", "QUIT"] = "TERM"
    grace_s: Annotated[float, Field(gt=0, le=120)] = 5.0


class Limits(Table):
    """Memory limit in MiB: a server whose processes hold more in total is killed."""

    memory_mb: Annotated[int, Field(ge=16)] = 2048


class Setting(Table):
    """A setting that differs from the server's default, and the documentation (`source`) that
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
