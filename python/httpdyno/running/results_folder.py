"""The folder of a run's report and of its servers' logs."""

from __future__ import annotations

import time
from pathlib import Path

from httpdyno.dates import format_time
from httpdyno.errors import EnvironmentFault
from httpdyno.store import data_folder

_FLAG = "--results"


def default_results() -> Path:
    """The parent of all results folders that no flag names."""
    return data_folder() / "results"


def new_folder(name: str, flag: str = _FLAG) -> Path:
    """A folder that no other run has: `NAME-DATE-TIME`, with a number behind it where that exists.

    `flag` is the verb's own for another folder.
    Raises EnvironmentFault when it cannot be created.
    """
    parent = writable(default_results(), flag)
    stem = f"{name}-{format_time(time.time(), '%Y%m%d-%H%M%S', '')}"
    for folder in (parent / stem, *(parent / f"{stem}-{number}" for number in range(2, 1000))):
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise _not_writable(folder, error, flag) from None
        return folder
    raise EnvironmentFault(f"`{parent}` has 999 folders `{stem}`: expected a free name")


def writable(folder: Path, flag: str = _FLAG) -> Path:
    """The folder, created where it is missing and proved writable before anything is measured.

    Raises EnvironmentFault when it is not.
    """
    folder = folder.resolve()
    probe = folder / ".writable"
    try:
        str(folder).encode()
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_text("")
        probe.unlink(missing_ok=True)
    except UnicodeEncodeError:
        raise EnvironmentFault(
            f"the path of the results folder, `{folder}`, is not UTF-8", hint=_hint(flag)
        ) from None
    except OSError as error:
        raise _not_writable(folder, error, flag) from None
    return folder


def _not_writable(folder: Path, error: OSError, flag: str) -> EnvironmentFault:
    return EnvironmentFault(f"`{folder}` cannot be written: {error.strerror}", hint=_hint(flag))


def _hint(flag: str) -> str:
    return f"{flag} names another folder for the report"
