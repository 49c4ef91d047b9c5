"""The stored run that `--resume` measures the rest of: of the same study, in the same folder."""

from __future__ import annotations

import shlex
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.running.documents import identity
from httpdyno.running.machines.machine_lock import coordinator
from httpdyno.running.options import RESUME
from httpdyno.running.projects.home import home_of
from httpdyno.store import Store, StoredRun
from httpdyno.study import Study


def run_to_resume(store: Store, study: Study, command: str) -> StoredRun:
    """The newest unfinished run of the same plan, else the newest finished one: that may lack the
    trials of arms that could not be measured, or its report.

    A study in another folder is another study, also with the same content: what its paths name
    differs. In a database that machines share, only runs of this machine are resumed: another one
    may be measuring the others. Raises UsageError when there is none. `command` begins a new run.
    """
    plan_of, machine, folder = identity(study), coordinator().id, study.folder
    run = store.newest_unfinished(plan_of, machine, folder=folder) or store.newest(
        plan_of, machine, folder=folder
    )
    if run is None:
        raise _none(store, study, command)
    return run


def _none(store: Store, study: Study, command: str) -> UsageError:
    """The error for a study without a run to resume; it names the run that comes closest."""
    plan_of, machine = identity(study), coordinator().id
    begin = f"begin one here: `{command}`"
    if (other := store.newest_unfinished(plan_of, folder=study.folder)) is not None:
        return UsageError(
            f"another machine, `{other.host}`, began the unfinished run {other.id} of"
            f" `{study.name}`: expected one that began here",
            hint=f"resume it there, or {begin}",
        )
    other = store.newest_unfinished(plan_of, machine) or store.newest(plan_of, machine)
    if other is not None:
        return UsageError(
            f"run {other.id} has this content, but it is of `{other.study}` in"
            f" `{other.study_folder}`, and this study is in `{study.folder}`: expected a run of"
            " this study",
            hint=f"{begin}; `{_there(other)}` resumes the other one",
        )
    edited = store.newest_of(study.name, machine, home=home_of(study.folder))
    if edited is not None and edited.ended_at is None:
        return UsageError(
            f"the unfinished run {edited.id} of `{study.name}` began with another file, other"
            f" flags or another seed (`{edited.command}`): expected the same for all trials of a"
            " run",
            hint=f"{begin}; `httpdyno report {edited.id}` shows what the other one measured",
        )
    return UsageError(
        f"`{study.name}` has no run with this file, these flags and seed {study.seed}:"
        " expected one to resume",
        hint=f"begin one: `{command}`",
    )


def _there(run: StoredRun) -> str:
    """The command that resumes a run from anywhere, or the one in its own folder."""
    file = Path(run.study_folder) / f"{run.study}.toml"
    words = shlex.split(run.command)
    named = [str(file) if Path(word).name == file.name else word for word in words]
    if named != words:
        return f"{shlex.join(named)} {RESUME}"
    return f"cd {shlex.quote(run.study_folder)} && {run.command} {RESUME}"
