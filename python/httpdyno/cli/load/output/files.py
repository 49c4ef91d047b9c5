"""The files a load leaves: opened before it starts (a bad path costs no run), whole or absent."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from httpdyno.cli.faults import Faults
from httpdyno.errors import EnvironmentFault

__all__ = ["Outputs"]


class _Output:
    """One place to write to: stdout, a device, or a file that takes its name when it is whole."""

    def __init__(self, path: str) -> None:
        self._target: Path | None = None
        self._temporary: Path | None = None
        self._file: IO[str]
        if path == "-":
            self._file = sys.stdout
            return
        target = Path(path)
        if target.exists() and not target.is_file():
            self._file = target.open("w", encoding="utf-8")  # a device or a pipe: written as it is
            return
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied", path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", text=True)
        self._target, self._temporary = target, Path(name)
        self._file = os.fdopen(handle, "w", encoding="utf-8")

    def write(self, text: str) -> None:
        """Write all of it, and give the file its name."""
        self._file.write(text)
        self._file.flush()
        if self._target is None or self._temporary is None:
            return
        os.fsync(self._file.fileno())
        self._temporary.chmod(0o666 & ~_umask())
        self._temporary.replace(self._target)
        self._temporary = None

    def close(self) -> None:
        """Leave nothing half written behind."""
        if self._file is not sys.stdout:
            with contextlib.suppress(OSError):
                self._file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)


class Outputs:
    """The files of one run, by flag."""

    def __init__(self, wanted: dict[str, str | None]) -> None:
        self._outputs: dict[str, tuple[str, _Output]] = {}
        self._wanted = {flag: path for flag, path in wanted.items() if path is not None}

    @property
    def to_stdout(self) -> bool:
        """Whether stdout is taken by data."""
        return "-" in self._wanted.values()

    def check(self, faults: Faults) -> None:
        """Two flags that name one place are a fault."""
        places: dict[str, str] = {}
        for flag, path in self._wanted.items():
            place = path if path == "-" else str(Path(path).resolve())
            if place in places and place != os.devnull:
                faults.add(
                    f"`{places[place]}` and `{flag}` both write to `{path}`: expected two places"
                )
            places.setdefault(place, flag)

    def __enter__(self) -> Outputs:
        """Open everything. Raises EnvironmentFault with all that cannot be written."""
        refused = []
        for flag, path in self._wanted.items():
            try:
                self._outputs[flag] = (path, _Output(path))
            except OSError as no:
                refused.append(f"`{flag} {path}` cannot be written: {no.strerror or no}")
        if refused:
            self.__exit__()
            raise EnvironmentFault("\n  ".join(refused), hint="name a file in a folder of yours")
        return self

    def __exit__(self, *_: object) -> None:
        for _path, output in self._outputs.values():
            output.close()

    def write(self, texts: dict[str, Callable[[], str]]) -> None:
        """Write each wanted text. Raises EnvironmentFault at the end with all that could not be."""
        refused = []
        for flag, (path, output) in self._outputs.items():
            try:
                output.write(texts[flag]())
            except BrokenPipeError:
                raise
            except OSError as no:
                refused.append(f"`{flag} {path}` could not be written: {no.strerror or no}")
        if refused:
            raise EnvironmentFault(
                "\n  ".join(refused), hint="make room or name another place, and run the load again"
            )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
