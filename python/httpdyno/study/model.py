"""The tables of a study file: arms, published numbers, the study itself."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from httpdyno.study.keys import (
    LEAST_S,
    ConnectionPoints,
    Name,
    Names,
    Precision,
    RatePoints,
    Seconds,
    SecondsOrNone,
    StudyTable,
    Text,
    Whole,
    Yes,
    up_to,
)
from httpdyno.study.loads import AnyLoad, Load
from httpdyno.study.own.arm_keys import OwnArm
from httpdyno.study.own.service import Service
from httpdyno.study.own.workload import FileName, OwnWorkload
from httpdyno.warm_up import QUICK_S, STUDY_S
from httpdyno.workloads import WORKLOADS

HIGHEST_PUBLISHED = 1_000_000_000.0
YEAR_S = 31_536_000.0


def _published_rate() -> Any:
    expected = f"a rate per second up to {HIGHEST_PUBLISHED:,.0f}"
    return Field(ge=0, le=HIGHEST_PUBLISHED, strict=True, description=expected)


def arm_name(server: str, deployment: str | None, workload: str | None) -> str:
    """`tornado/1-process`; with the workload behind it when the study has several.

    Without a deployment, as an arm of the user's own is, the name alone.
    """
    arm = server if deployment is None else f"{server}/{deployment}"
    return arm + (f" {workload}" if workload else "")


class ArmGroup(OwnArm):
    """A server in one or more of its deployments; each is an arm.

    An arm of the user's own has a `name`, with `start`, `url` or `unix`, and is one arm.
    """

    server: Name = ""
    """A name of the catalogue. In the file, also the path of a user's own `server.toml`."""
    deployments: Names = ()
    workload: Name | None = None
    """None: the study's workload."""
    name: Name | None = None
    """Replaces the server's name in the name of the arm."""
    group: Name | None = None
    """A name for several arms, under which `--only` finds them all."""
    warm_up: SecondsOrNone | None = None
    """Minimum under loads that do not set their own: a JVM compiles while it runs."""

    @property
    def title(self) -> str:
        """The name of its arms, without a deployment."""
        return self.name or self.server

    def arm_name(self, deployment: str, workload: str | None = None) -> str:
        """The name of one of its arms; with a workload, where the names of the study have one."""
        return arm_name(self.title, None if self.own_kind else deployment, workload)


class RawLog(StudyTable):
    """The counts in the raw log behind a published number; see `verdict/log.py`."""

    asked: Annotated[int, up_to(1_000_000_000)]
    replies: Whole
    wrong: Whole = 0
    failed_connections: Whole = 0
    seconds: Annotated[
        float,
        Field(
            ge=LEAST_S,
            le=YEAR_S,
            strict=True,
            description=f"a number of seconds from {LEAST_S:g} to {YEAR_S:,.0f}",
        ),
    ]
    samples: Whole
    stdev_per_s: Annotated[float, _published_rate()] | None = None


class PublishedNumber(StudyTable):
    """A number from the post that the study replays, for an arm or for a system without one."""

    arm: Name | None = None
    name: Text | None = None
    """The system in the post's own words, if no arm of the study stands for it."""
    load: Name
    point: Text | None = None
    """The point of the load, as the report names it; None: the whole load."""
    requests_per_s: Annotated[float, _published_rate()]
    note: Annotated[str, Field(max_length=2000, description="a text")] = ""
    source: Annotated[str, Field(max_length=2000, description="a text")] = ""
    log: RawLog | None = None


class QuickLoad(StudyTable):
    """Changes to one load under `--quick`, besides the general limits."""

    skip: Yes = False
    duration: Seconds | None = None
    requests: Annotated[int, up_to(1_000_000_000)] | None = None
    sessions: Annotated[int, up_to(1_000_000_000)] | None = None
    rate: RatePoints | None = None
    connections: ConnectionPoints | None = None


class Quick(StudyTable):
    """The limits of a study under `--quick`."""

    blocks: Annotated[int, up_to(1000)] = 3
    duration: Seconds = 2.0
    """Maximum of each trial, unless its load says otherwise below."""
    warm_up: SecondsOrNone = QUICK_S
    loads: dict[Name, QuickLoad] = {}


class Study(StudyTable):
    """Arms, loads, and how often each pair is measured."""

    title: Text
    question: Text | None = None
    """The question that the study answers."""
    source: Text | None = None
    workload: Name = "hello"
    blocks: Annotated[int, up_to(1000)] = 10
    until: Precision | None = None
    """Stop once each interval is this narrow, after `blocks` at most; None: measure all blocks."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1, strict=True, description="a whole number")] = 1
    warm_up: SecondsOrNone = STUDY_S
    aa_control: Yes = False
    """Measure the baseline a second time under another name."""
    baseline: Name | None = None
    """The arm that the others are compared with; None: the first."""
    arms: Annotated[tuple[ArmGroup, ...], Field(min_length=1, description="at least one [[arms]]")]
    loads: Annotated[dict[Name, Load], Field(min_length=1, description="at least one [loads.NAME]")]
    published: tuple[PublishedNumber, ...] = ()
    quick: Quick = Quick()
    env_file: FileName | None = None
    """The file with a line `NAME=VALUE` for each `${NAME}` of headers and paths that is no variable
    of the environment. In the file, relative to the study."""
    notes: tuple[Text, ...] = ()
    workloads: dict[Name, OwnWorkload] = {}
    """The study's own workloads, by name."""
    services: dict[Name, Service] = {}
    """The database beside the servers, if there is one, by its name."""

    name: Annotated[str, Field(exclude=True)] = ""
    """The built-in name or the file's stem; not a key of the file."""
    text: Annotated[str, Field(exclude=True)] = ""
    """The file as it was read; not a key of the file."""
    file: Annotated[str, Field(exclude=True)] = ""
    folder: Annotated[str, Field(exclude=True)] = ""
    """The folder that it belongs to, and that its paths are relative to; empty: built in."""
    server_files: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """The `server.toml` files that its arms name; not a key of the file."""
    narrowed_from_several: Annotated[bool, Field(exclude=True)] = False
    """True if `narrow` removed workloads: the arms keep their names."""

    def workload_of(self, group: ArmGroup) -> str:
        """The arm's own workload, else the study's."""
        return group.workload or self.workload

    def calls_of_session(self, workload: str) -> int | None:
        """The calls of a session of this workload; None: it is none."""
        own = self.workloads.get(workload)
        return None if own is None else own.calls

    def has_grpc(self, workload: str) -> bool:
        """True if a workload, its own or built in, has calls of gRPC."""
        found = self.workloads.get(workload) or WORKLOADS.get(workload)
        return found is not None and found.has_grpc

    def workloads_under(self, load: AnyLoad) -> list[str]:
        """The workloads of the arms that a load measures."""
        found = (
            workload
            for group in self.arms
            for deployment in group.deployments
            for workload in [self.workload_of(group)]
            if load.arms is None
            or group.arm_name(deployment, workload if self.names_workloads else None) in load.arms
        )
        return list(dict.fromkeys(found))

    @property
    def names_workloads(self) -> bool:
        """True if the names of arms end in their workload."""
        several = len(set(map(self.workload_of, self.arms))) > 1
        return several or self.narrowed_from_several

    def warm_up_of(self, load: AnyLoad) -> float:
        """The load's own warm-up, else the study's."""
        return self.warm_up if load.warm_up is None else load.warm_up

    def start_of(self, server: str) -> dict[str, str]:
        """The declared start of a server that has no `server.toml`; empty for others."""
        return next((group.start_facts for group in self.arms if group.server == server), {})
