"""Writes what the posts' command lines print into docs/guides/httperf-and-ab.md: `make post-lines`.

Runs each line as printed, whole, by the real tool and by httpdyno, one after the other, against the
reference server on the port that the line names. As root, in a network of its own, where a line of
100,000 connections does not run out of ports; otherwise these ports have to be free.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from httpdyno import engine
from post_lines import POSTS, PostLine

__all__ = ["BEGIN", "END", "between", "run", "section"]

BEGIN = "<!-- Outputs: written by `make post-lines`; edits are lost. -->"
END = "<!-- End of the outputs. -->"
LONGEST_S = 60
GRACE_S = 10
PAGES = {"/": b"Hello, world!", "/pong": b"PONG", "/FiringGeometry.png": b"x" * 50_000}


def between(page: str, text: str) -> str:
    """The page with `text` between its marks. Raises ValueError without them."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks the marks `{BEGIN}` and `{END}`")
    return f"{head}{BEGIN}\n{text.strip()}\n{END}{tail}"


def section(post: PostLine, real: str, ours: str) -> Iterator[str]:
    """The two outputs of a line."""
    yield f"### {post.title}"
    yield post.source[0].upper() + post.source[1:] + "."
    if post.note:
        yield post.note
    for line, output in ((post.line, real), (f"httpdyno {post.line}", ours)):
        yield f"```text\n$ {line}\n{output.strip()}\n```"


def outputs(posts: Sequence[PostLine]) -> Iterator[str]:
    """Run the lines; the section of each."""
    pages = [(path, "text/plain", body) for path, body in PAGES.items()]
    with ExitStack() as servers:
        for port in {post.port for post in posts}:
            servers.enter_context(engine.reference(f"127.0.0.1:{port}", pages=pages))
        for post in posts:
            tool, *arguments = post.words
            print(f"{post.name}: {tool}", file=sys.stderr)
            real = run([_installed(tool), *arguments])
            print(f"{post.name}: httpdyno {tool}", file=sys.stderr)
            ours = run([sys.executable, "-m", "httpdyno", tool, *arguments])
            yield from section(post, real, ours)


def run(words: Sequence[str], longest_s: float = LONGEST_S, grace_s: float = GRACE_S) -> str:
    """The output of a tool. One that does not end in `longest_s` is asked to by Ctrl-C, and killed
    after `grace_s` more; a line at the end of the output tells."""
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        told = ""
        for end, patience_s in (("Ctrl-C", longest_s), ("kill -9", grace_s), ("", None)):
            try:
                output, errors = running.communicate(timeout=patience_s)
                break
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT if end == "Ctrl-C" else signal.SIGKILL)
                told = f"\n(did not end in {longest_s:g} s: ended by {end})"
    if running.returncode != 0 and not told:
        raise subprocess.CalledProcessError(running.returncode, words, output, errors)
    return output.strip() + told


def _installed(tool: str) -> str:
    found = shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        print(f"error: `{tool}` is not installed", file=sys.stderr)
        print("hint: apt-get install httperf apache2-utils", file=sys.stderr)
        raise SystemExit(4)
    return found


def main(page: str) -> None:
    """Write the outputs into the page."""
    from peers.runs.network import own_network  # of benches/

    print(f"network: {own_network()}", file=sys.stderr)
    path = Path(page)
    text = between(path.read_text(encoding="utf-8"), "\n\n".join(outputs(POSTS)))
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
