"""The stored study that a name or a file stands for, where several projects may have that name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from httpdyno.errors import UsageError
from httpdyno.output.places import quoted_path
from httpdyno.running.projects.home import home_of_file
from httpdyno.store import KnownStudy, Store
from httpdyno.study import built_in_studies

MOST_LISTED = 12
_ENDING = ".toml"


def named_study(store: Store, given: str) -> KnownStudy | None:
    """The study with runs that `given` names: its file, or its name; None: no study has this name.

    A name stands for the built-in study, else for the study of the working folder, else for the
    only one that has it. Its folder is that of the file, if it has one. Raises UsageError for a
    study without runs, and for several of this name.
    """
    is_file = given.endswith(_ENDING)
    file = Path(given if is_file else f"{given}{_ENDING}")
    alike = [one for one in store.studies() if one.name == (file.stem if is_file else given)]
    if not alike and not is_file:
        return None
    own = [one for one in alike if not one.project and not is_file and given in built_in_studies()]
    own = own or _in_folder_of(file, alike, store)
    if own:
        return own[0]
    if is_file or file.is_file():
        raise _no_run(file, alike)
    if len(alike) > 1:
        raise _several(given, alike)
    return alike[0]


def _in_folder_of(file: Path, alike: Sequence[KnownStudy], store: Store) -> list[KnownStudy]:
    """Those of the project of a file, which may be in another clone of it."""
    home = home_of_file(file)
    local = [one for one in alike if not store.is_shared and one.origin is None]
    same = [one for one in alike if one.project == home.project]
    # In a file of one's own, the folder is enough: the host may have got another name.
    same = same or [one for one in local if one.folder == home.folder]
    return [replace(one, folder=home.folder) for one in same]


def known_names(store: Store) -> str:
    """The names of the studies with runs, the latest first; empty: there is none."""
    names = dict.fromkeys(study.name for study in store.studies())
    return ", ".join(f"`{name}`" for name in list(names)[:MOST_LISTED])


def _no_run(file: Path, alike: Sequence[KnownStudy]) -> UsageError:
    others = f"; those of {_list(alike)} are of other projects" if alike else ""
    first = f"; `httpdyno report {alike[0].run}` shows run {alike[0].run}" if alike else ""
    return UsageError(
        f"the study `{file}` has no stored run: expected one with a run{others}",
        hint=f"`httpdyno run {quoted_path(file)}` measures it{first}",
    )


def _several(name: str, alike: Sequence[KnownStudy]) -> UsageError:
    first = alike[0]
    file = quoted_path(Path(first.folder) / f"{name}{_ENDING}")
    way = f"name its file, such as `{file}`, or a run" if first.folder else "name a run"
    return UsageError(
        f"{len(alike)} studies are called `{name}`: expected one of {_list(alike)}",
        hint=f"{way}, such as `{first.run}`; `httpdyno runs list` shows all runs",
    )


def _list(studies: Sequence[KnownStudy]) -> str:
    """The newest run of each with its place: `run 12 (/home/me/shop)`."""
    shown = ", ".join(f"run {one.run} ({_place(one)})" for one in studies[:MOST_LISTED])
    more = len(studies) - MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _place(study: KnownStudy) -> str:
    if study.origin is not None:
        return f"imported from {study.origin}"
    return f"`{study.folder}`" if study.folder else "built in"
