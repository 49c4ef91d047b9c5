"""The place where the runs happen: folders of their own, an app with two branches, a server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
USUAL_PORT = 8080
LONGEST_S = 900.0
"""Every run ends before, or is ended."""
COPIES = "JSONResponse(ITEMS)", "JSONResponse(copy.deepcopy(ITEMS))"
"""A line of the app on `main`, and on `my-branch`: it copies the whole list, to be safe."""


@dataclass(frozen=True)
class Running:
    """A program that runs, and the file that gets what it says."""

    process: subprocess.Popen[bytes]
    said: Path

    def goes_on(self) -> bool:
        """True until the program ends."""
        return self.process.poll() is None

    def link(self) -> str:
        """The address of its page, once it has said so."""
        while self.goes_on():
            found = re.search(r"http://127\S+", self.said.read_text(encoding="utf-8"))
            if found:
                return found[0]
            time.sleep(0.1)
        raise SystemExit(f"no page was served: {self.said.read_text(encoding='utf-8')}")


@dataclass(frozen=True)
class Workshop:
    """A folder with the app of the tour in a git repository, and the program in it."""

    folder: Path
    server: str
    """URL of httpdyno's own server."""
    environment: dict[str, str]

    @property
    def app(self) -> Path:
        """The folder of the app."""
        return self.folder / "app"

    def words(self, *arguments: str) -> list[str]:
        """The command line of the program."""
        return [sys.executable, "-m", "httpdyno", *arguments]

    def run(self, *arguments: str, ok: Sequence[int] = (0,)) -> str:
        """Run the program to its end; its stdout. `ok`: the exit codes that are no failure."""
        done = subprocess.run(
            self.words(*arguments),
            cwd=self.app,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
        if done.returncode not in ok:
            raise SystemExit(f"`httpdyno {' '.join(arguments)}` ended with {done.returncode}")
        return done.stdout

    @contextmanager
    def running(self, *arguments: str) -> Iterator[Running]:
        """The program, until it ends by itself after the body."""
        said = self.folder / "said.txt"
        with said.open("wb") as out:
            process = subprocess.Popen(
                self.words(*arguments),
                cwd=self.app,
                env=self.environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Running(process, said)
            process.wait(LONGEST_S)
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def workshop(folder: Path, port: int = 0) -> Iterator[Workshop]:
    """A workshop in an empty folder, until the body ends. `port`: of its server; 0: a free one."""
    own = {f"HTTPDYNO_{name}": str(folder / name.lower()) for name in ("STATE", "DATA")}
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {
        **os.environ,
        **own,
        "HTTPDYNO_CONFIG": os.devnull,
        "PATH": programs,
        "PYTHONPATH": str(ROOT / "python"),
    }
    environment.pop("HTTPDYNO_STORE", None)
    _write_app(folder / "app")
    command = [sys.executable, "-m", "httpdyno", "reference", "--listen", f"127.0.0.1:{port}"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            first = server.stdout.readline() if server.stdout is not None else ""
            found = re.search(r"http://[^\s/]+", first)
            if found is None:
                raise SystemExit("the reference server did not start")
            yield Workshop(folder, found[0], environment)
        finally:
            server.terminate()


def usual_port() -> int:
    """The port of the examples in the docs, if it is free; else 0."""
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", USUAL_PORT))
        except OSError:
            return 0
    return USUAL_PORT


def app_of_the_tour() -> str:
    """The app that docs/tour.md shows."""
    text = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise SystemExit("docs/tour.md has no app")
    return found[1]


def _write_app(folder: Path) -> None:
    folder.mkdir(parents=True)
    text = app_of_the_tour()
    (folder / "app.py").write_text(text, encoding="utf-8")
    _git(folder, "init", "--quiet", "--initial-branch", "main")
    _git(folder, "add", "app.py")
    _git(folder, "commit", "--quiet", "--message", "The list of items")
    _git(folder, "checkout", "--quiet", "-b", "my-branch")
    if COPIES[0] not in text:
        raise SystemExit(f"the app of docs/tour.md has no `{COPIES[0]}`")
    changed = f"import copy\n\n{text.replace(*COPIES)}"
    (folder / "app.py").write_text(changed, encoding="utf-8")
    _git(folder, "commit", "--quiet", "--all", "--message", "Copy the list, to be safe")
    _git(folder, "checkout", "--quiet", "main")


def _git(folder: Path, *arguments: str) -> None:
    own = ["-c", "user.name=Tour", "-c", "user.email=tour@example.org"]
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True)
