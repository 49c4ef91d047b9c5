"""The content of a `server.toml`: a server, its installation, and its deployments."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from httpdyno.engine_plan import Target, Tls
from httpdyno.errors import UsageError
from httpdyno.servers.declaration.families import family_folders, known_families
from httpdyno.servers.declaration.patterns import expand_patterns
from httpdyno.servers.declaration.tables import (
    Capability,
    Command,
    Deployment,
    Install,
    Limits,
    Name,
    Post,
    Ready,
    Sentence,
    Setting,
    Stop,
    Table,
    Text,
    Tier,
    Words,
)
from httpdyno.workloads import TECHEMPOWER, USUAL, WORKLOADS


class About(Table):
    """Metadata of a server. Only the name is required; an entry of the catalogue gives all of it.

    `title` is the name where the file gives none; `maintained` and `tier` are None where it does
    not say.
    """

    name: Name
    title: Text = ""
    language: Text = ""
    homepage: Text = ""
    licence: Text = ""
    maintained: bool | None = None
    concurrency: Text = ""
    tier: Tier | None = None
    posts: tuple[Post, ...] = ()


class Absence(About):
    """The `server.toml` of a server that is unavailable, and why."""

    unavailable: Sentence


class Declaration(About):
    """A whole `server.toml`. `files` maps a file of the server's folder to where a start writes it,
    with its placeholders filled. A server without `workloads` answers the usual ones."""

    families: tuple[str, ...] = ()
    workloads: Words = USUAL
    install: Install = Install(kind="none")
    build: Command | None = None
    version: Command | None = None
    deployments: Annotated[dict[Name, Deployment], Field(min_length=1)]
    settings: tuple[Setting, ...] = ()
    cannot: dict[Capability, Sentence] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    ready: Ready = Ready()
    stop: Stop = Stop()
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _check_build(self) -> Declaration:
        if self.install.kind in ("go", "cargo", "maven") and self.build is None:
            raise ValueError(f'kind "{self.install.kind}" needs `[build]` with a `command`')
        return self

    @model_validator(mode="after")
    def _workloads_of_deployments(self) -> Declaration:
        for name, deployment in self.deployments.items():
            strange = set(deployment.workloads or ()) - {*self.workloads, *TECHEMPOWER}
            if strange:
                named = ", ".join(f"`{one}`" for one in sorted(strange))
                raise ValueError(f"deployment `{name}`: {named} is not in the server's `workloads`")
        return self

    @field_validator("deployments", mode="before")
    @classmethod
    def _expand_patterns(cls, given: Any) -> Any:
        """Makes two deployments of `"{n}-workers"` with `n = [1, 4]`."""
        return expand_patterns(given) if isinstance(given, dict) else given

    @field_validator("families")
    @classmethod
    def _known_families(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        known = known_families()
        unknown = [f"`{name}`{_nearest(name, known)}" for name in given if name not in known]
        if unknown:
            expected = ", ".join(known)
            raise ValueError(f"{', '.join(unknown)} is not a family: expected some of {expected}")
        return given

    @field_validator("workloads")
    @classmethod
    def _known_workloads(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [
            f"`{name}`{_nearest(name, WORKLOADS)}" for name in given if name not in WORKLOADS
        ]
        if unknown:
            known = ", ".join(WORKLOADS)
            raise ValueError(f"{', '.join(unknown)} is not a workload: expected some of {known}")
        return given


class Server(Declaration):
    """A server of the catalogue: the content of its `server.toml`, and the file's folder.

    One that is `unavailable` has no workloads and no deployments, and `install` refuses it.
    """

    folder: Path
    in_place: bool = False
    """It runs in `folder` itself, not in a copy, and is built anew for each run."""
    running_at: Target | None = None
    """Where it runs already; nothing is started then."""
    given_version: str = ""
    """The version that its user names, such as a commit: of a server that reports none itself, or
    not enough of it."""
    client_tls: Tls | None = None
    """The TLS settings of its clients, if its deployment speaks TLS; None: the defaults."""
    unavailable: str | None = None
    workloads: tuple[str, ...] = ()
    deployments: dict[Name, Deployment] = Field(default_factory=dict)

    @property
    def folders(self) -> list[Path]:
        """The folders of its files: those of its families first, and its own last."""
        return [*family_folders(self.families), self.folder]

    @property
    def every_workload(self) -> tuple[str, ...]:
        """The workloads that one of its deployments answers."""
        given = (one for name in self.deployments for one in self.workloads_of(name))
        return tuple(dict.fromkeys((*self.workloads, *given)))

    @property
    def default_deployment(self) -> str:
        """The name of the first deployment. Raises UsageError for an unavailable server."""
        if self.unavailable is not None:
            raise UsageError(f"`{self.name}` is unavailable: {self.unavailable}")
        return next(iter(self.deployments))

    def deployment(self, name: str) -> Deployment:
        """The deployment of that name. Raises UsageError when there is none."""
        found = self.deployments.get(name)
        if found is not None:
            return found
        if self.unavailable is not None:
            raise UsageError(f"`{self.name}` is unavailable: {self.unavailable}")
        known = ", ".join(f"`{known}`" for known in self.deployments)
        nearest = difflib.get_close_matches(name, self.deployments, n=1)
        raise UsageError(
            f"`{name}` is not a deployment of `{self.name}`: expected {known}",
            hint=f"did you mean `{nearest[0]}`?" if nearest else None,
        )

    def cannot_of(self, deployment: str) -> dict[Capability, str]:
        """Capabilities that the deployment lacks, with the reasons: its own before the server's."""
        return {**self.cannot, **self.deployment(deployment).cannot}

    def workloads_of(self, deployment: str) -> tuple[str, ...]:
        """The workloads that the deployment answers."""
        only = self.deployment(deployment).workloads
        return self.workloads if only is None else only


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""
