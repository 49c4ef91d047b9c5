"""The files in which the kernel describes this machine."""

from __future__ import annotations

from pathlib import Path


class Machine:
    """Reads /proc and /sys under `root`, which a test can point to another machine's files."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root

    def text(self, path: str) -> str | None:
        """The content of a file, stripped; None when it cannot be read."""
        try:
            return (self._root / path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def numbers_in(self, folder: str) -> list[str]:
        """The names in a folder that are numbers, such as those of processes in /proc."""
        try:
            return [one.name for one in (self._root / folder).iterdir() if one.name.isdecimal()]
        except OSError:
            return []

    def exists(self, path: str) -> bool:
        """True when the file exists."""
        return (self._root / path).exists()

    def opens_for_writing(self, path: str) -> OSError | None:
        """Try it, and change nothing; the error where it does not work."""
        try:
            with (self._root / path).open("r+b", buffering=0):
                return None
        except OSError as error:
            return error

    def field(self, path: str, key: str) -> str | None:
        """The value of the first `key : value` or `key=value` line."""
        for line in (self.text(path) or "").splitlines():
            name, sign, value = line.partition(":" if ":" in line else "=")
            if sign and name.strip() == key:
                return value.strip().strip('"')
        return None
