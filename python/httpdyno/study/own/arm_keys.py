"""The keys of an arm that needs no `server.toml`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, model_validator

from httpdyno import choices
from httpdyno.study.keys import StudyTable, Yes, text
from httpdyno.study.own.arms import complete_arm, own_kind
from httpdyno.study.own.secrets import masked_arm
from httpdyno.study.own.workload import UrlPath

MOST_CORES = 4096


def _whole_or_all(given: Any) -> Any:
    if given == "all" or (type(given) is int and 1 <= given <= MOST_CORES):
        return given
    raise ValueError


Text = Annotated[str, text(4000)]
Cores = Annotated[
    int | Literal["all"],
    PlainValidator(_whole_or_all),
    Field(description=f'a whole number from 1 to {MOST_CORES:,}, or "all"'),
]
Variables = Annotated[
    dict[str, str], Field(description='a table of texts, such as { MODE = "production" }')
]
SpokenVersion = Annotated[choices.SpokenVersion, Field(description='"1.1" or "2"')]
TlsVersion = Annotated[choices.TlsVersion, Field(description='"1.2" or "1.3"')]


class OwnArm(StudyTable):
    """A command that starts the server (`start`), or the address of one that runs already."""

    version: Text | None = None
    """The version of the server, such as a commit: for people, shown beside its numbers."""
    http: SpokenVersion | None = None
    """The version of HTTP that the server speaks, for loads that name none, and to find out that it
    is ready. None: that of the loads, if all of them name the same, else 1.1."""
    start: Text | None = None
    """The command; it listens on `{port}`."""
    build: Text | None = None
    """Runs before, once for each run."""
    cwd: Text | None = None
    """Folder of the commands, relative to the study; None: the study's folder."""
    env: Variables = {}
    ready: UrlPath | None = None
    """The server is ready when this path answers 200; None: when it answers at all."""
    cores: Cores = 1
    tls: Yes = False
    """The server gets `{certificate}` and `{key}`, and is measured over TLS."""
    url: Text | None = None
    """Where a server runs already: nothing is started."""
    unix: Text | None = None
    """The Unix socket on which it listens."""
    ca: Text | None = None
    insecure: Yes = False
    sni: Text | None = None
    cert: Text | None = None
    key: Text | None = None
    tls_version: TlsVersion | None = None
    tls_resume: Yes = True

    @property
    def own_kind(self) -> str | None:
        """`command` or `running`; None for an arm whose server has a `server.toml`."""
        return own_kind(self.__dict__)

    @property
    def start_facts(self) -> dict[str, str]:
        """The keys that say how the server is started or reached, by the labels of a history. The
        folder of a declared version is left out: each revision has a copy of its own."""
        shown = masked_arm({key: getattr(self, key) for key in ("start", "build", "env", "url")})
        found: dict[str, str | None] = {
            "command": shown["start"],
            "build": shown["build"],
            "folder": None if self.version else self.cwd,
            "environment": " ".join(
                f"{name}={value}" for name, value in sorted(shown["env"].items())
            ),
            "cores of the server": str(self.cores) if self.start else None,
            "address": shown["url"] or self.unix,
        }
        return {label: value for label, value in found.items() if value}

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: Any) -> Any:
        return complete_arm(given)
