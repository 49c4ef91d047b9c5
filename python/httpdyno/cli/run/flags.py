"""The flags of every verb that measures a study: where it is measured, stored and shown."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.cli import shared_flags as shared
from httpdyno.cli.serve.page import Page, on_page, page_of
from httpdyno.cli.store import read_store
from httpdyno.cli.values import Values, plain_text

if TYPE_CHECKING:
    from httpdyno.running.options import RunOptions

__all__ = ["ClusterSettings", "RunFlags", "RunSettings", "read_run"]

NODE_WAIT_S = 60.0


@dataclass(frozen=True)
class RunFlags:
    """The flags as they are typed."""

    results: shared.Results = None
    on: shared.On = None
    certificates: shared.Certificates = None
    wait: shared.Wait = False
    node_wait: shared.NodeWait = None
    database: shared.Store = None
    resume: shared.Resume = False
    dry_run: shared.DryRun = False
    serve: shared.Serve = False
    listen: shared.Listen = None
    stay: shared.Stay = False


@dataclass(frozen=True)
class ClusterSettings:
    """The machines to use."""

    cluster: str
    certificates: Path | None
    wait: bool
    node_wait_s: float


@dataclass(frozen=True)
class RunSettings:
    """The values of the flags."""

    results: Path | None
    resume: bool
    dry_run: bool
    on: ClusterSettings | None
    """The machines; None: this one."""
    store_url: str | None
    page: Page
    is_of_action: bool = False

    def options(
        self, arguments: Sequence[str], *, servers: Sequence[Path] = (), needs_an_arm: bool = False
    ) -> RunOptions:
        """The options of the run; `arguments` is its command line, after `httpdyno`."""
        from httpdyno.running.options import RunOptions

        return RunOptions(
            arguments,
            results=self.results,
            resume=self.resume,
            servers=servers,
            store_url=self.store_url,
            needs_an_arm=needs_an_arm,
            is_of_action=self.is_of_action,
        )

    def open_page(self) -> AbstractContextManager[None]:
        """The page of the run, if there is one, within the body."""
        return on_page(self.page, self.store_url)


def read_run(values: Values, flags: RunFlags) -> RunSettings:
    """Read the flags; faults are collected."""
    values.read("--results", None if flags.results is None else str(flags.results), plain_text)
    on = _on(values, flags)
    store_url = read_store(values, flags.database)
    page = page_of(values, flags.serve and not flags.dry_run, flags.listen, flags.stay)
    return RunSettings(flags.results, flags.resume, flags.dry_run, on, store_url, page)


def _on(values: Values, flags: RunFlags) -> ClusterSettings | None:
    """The machines to use; None: this one."""
    values.read("--on", flags.on, plain_text)
    node_wait_s = values.seconds("--node-wait", flags.node_wait, zero=True)
    if flags.on is None:
        given = {
            "--certificates": flags.certificates,
            "--wait": flags.wait or None,
            "--node-wait": flags.node_wait,
        }
        for flag in (name for name, value in given.items() if value is not None):
            values.faults.add(f"`{flag}` applies only with `--on`")
        return None
    wait_s = NODE_WAIT_S if node_wait_s is None else node_wait_s
    return ClusterSettings(flags.on, flags.certificates, flags.wait, wait_s)
