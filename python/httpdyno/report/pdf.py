"""The page as PDF, printed by a Chromium of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from httpdyno.errors import EnvironmentFault
from httpdyno.output.printable import printable

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_LONGEST_S = 180
_LETTER = ("BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE")
"""Territories with US Letter as their usual paper, by Unicode CLDR."""
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-pdf-header-footer",
)


def paper(environment: Mapping[str, str]) -> str:
    """The paper that is usual where the user lives, by the locale."""
    given = (environment.get(name) for name in ("LC_ALL", "LC_PAPER", "LANG"))
    locale = next(filter(None, given), "")
    return "letter" if locale.partition("_")[2][:2] in _LETTER else "A4"


def pdf_of(page: str) -> bytes:
    """The text of a page as PDF. Raises EnvironmentFault without a browser, or if that fails."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise EnvironmentFault(
            "`--format pdf` needs Chromium, which is not on PATH",
            hint="sudo apt-get install chromium; or open the page in any browser and print it",
        )
    with tempfile.TemporaryDirectory(prefix="httpdyno-pdf-") as scratch:
        source, file = Path(scratch) / "page.html", Path(scratch) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            browser,
            *_FLAGS,
            # Chromium's sandbox refuses to run as root; the page is our own and loads nothing.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            f"--user-data-dir={scratch}/profile",
            f"--print-to-pdf={file}",
            source.as_uri(),
        ]
        _run(command)
        if not file.is_file():
            raise EnvironmentFault(
                f"`{browser}` printed no PDF",
                hint="open the page in a browser and print it",
            )
        return file.read_bytes()


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(
            f"`{command[0]}` did not print the page within {_LONGEST_S} s",
            hint="open the page in a browser and print it",
        ) from None
    except OSError as error:
        raise EnvironmentFault(f"`{command[0]}` cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.decode(errors="backslashreplace").strip().splitlines() or ["no message"]
        raise EnvironmentFault(
            f"`{command[0]}` failed with exit code {done.returncode}: {printable(lines[-1])}",
            hint="open the page in a browser and print it",
        )
