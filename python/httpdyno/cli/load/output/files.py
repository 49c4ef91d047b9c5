"""The output files of a load: checked before it starts, so that a bad path costs no run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from httpdyno.cli.exports import Export
from httpdyno.cli.faults import Faults
from httpdyno.errors import EnvironmentFault
from httpdyno.output import files

__all__ = ["Outputs"]

_STDOUT = 1


class Outputs:
    """The files of one run with their flags, and those of its exports; `-` is stdout."""

    def __init__(self, paths: Mapping[str, str | None], exports: Sequence[Export] = ()) -> None:
        self._paths = [(flag, path) for flag, path in paths.items() if path is not None]
        self.exports = exports
        self._paths += [(export.flag, str(export.file)) for export in exports]

    def path(self, flag: str) -> str | None:
        """The file of a flag; None: it is not given."""
        return next((path for name, path in self._paths if name == flag), None)

    @property
    def to_stdout(self) -> bool:
        """True if data goes to stdout."""
        return any(_descriptor(path) == _STDOUT for _, path in self._paths)

    def check(self, faults: Faults) -> None:
        """Report flags that name the same place."""
        places: dict[str | int, str] = {}
        for flag, path in self._paths:
            descriptor = _descriptor(path)
            place = os.path.realpath(path) if descriptor is None else descriptor
            if place in places and place != os.devnull:
                faults.add(
                    f"`{places[place]}` and `{flag}` both write to `{path}`: expected two places"
                )
            places.setdefault(place, flag)

    def demand_writable(self) -> None:
        """Raise EnvironmentFault with every path that cannot be written."""

        def check_one(_flag: str, path: str) -> None:
            if path != "-":
                files.check_file(path)

        refused = self._try_each(check_one)
        if refused:
            raise EnvironmentFault("\n  ".join(refused), hint=self._folder_hint())

    def write(self, contents: Mapping[str, Callable[[], str | bytes]]) -> EnvironmentFault | None:
        """Write each wanted file; what could not be written, which stops none of the others."""

        def write_one(flag: str, path: str) -> None:
            content = contents[flag]()
            if path == "-":
                _write_stdout(content)
            else:
                files.write_file(path, content)

        refused = self._try_each(write_one)
        if not refused:
            return None
        return EnvironmentFault(
            "\n  ".join(refused), hint="make room or name another file, and run the load again"
        )

    def _try_each(self, attempt: Callable[[str, str], None]) -> list[str]:
        refused = []
        for flag, path in self._paths:
            try:
                attempt(flag, path)
            except EnvironmentFault as fault:
                refused.append(fault.message.replace("`", f"`{flag} ", 1))
        return refused

    def _folder_hint(self) -> str:
        folders = [Path(path).parent for _, path in self._paths]
        absent = [str(folder) for folder in folders if not folder.exists()]
        return f"mkdir -p {shlex.join(absent)}" if absent else "name a file that you may write"


def _descriptor(path: str) -> int | None:
    return _STDOUT if path == "-" else files.descriptor_of(path)


def _write_stdout(content: str | bytes) -> None:
    data = content if isinstance(content, bytes) else content.encode(errors="backslashreplace")
    try:
        files.write_descriptor(_STDOUT, data)
    except OSError as error:
        raise EnvironmentFault(f"`-` cannot be written: {error.strerror}") from error
