"""A real git repository with a small server on branches: a fast one, a slow one, and no change."""

from __future__ import annotations

import subprocess
from pathlib import Path

APP = """\
import asyncio, sys, time

BURN_S = 0.0


class Answer(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.waiting = transport, b""

    def data_received(self, data):
        self.waiting += data
        while b"\\r\\n\\r\\n" in self.waiting:
            _, _, self.waiting = self.waiting.partition(b"\\r\\n\\r\\n")
            until = time.perf_counter() + BURN_S
            while time.perf_counter() < until:
                pass
            self.transport.write(
                b"HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nHello"
            )


async def main():
    server = await asyncio.get_running_loop().create_server(Answer, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
"""
SLOW = APP.replace("BURN_S = 0.0", "BURN_S = 0.0001")
"""Takes 0.1 ms of processor time more for each request."""


class Repository:
    """A repository in `folder`, and git run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        """The output of git."""
        who = ["-c", "user.name=A Developer", "-c", "user.email=dev@example.org"]
        done = subprocess.run(
            ["git", *who, "-c", "commit.gpgsign=false", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, message: str, **files: str) -> str:
        """Write files (`app_py` is `app.py`), commit them; the commit."""
        for name, content in files.items():
            file = self.folder / name.replace("_", ".", 1)
            file.write_text(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str, start: str = "main") -> None:
        """Create a branch and check it out."""
        self.git("checkout", "--quiet", "-b", name, start)


def with_branches(folder: Path) -> Repository:
    """`main` and `same` are fast, `slow` is slow; `main` is checked out."""
    repository = Repository(folder)
    repository.commit("A server", app_py=APP)
    repository.branch("slow")
    repository.commit("Do more work", app_py=SLOW)
    repository.branch("same")
    repository.commit("Explain it", README_md="It says hello.\n")
    repository.git("checkout", "--quiet", "main")
    return repository
