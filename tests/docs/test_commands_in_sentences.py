"""Every command and flag in the program's own sentences is one that the program accepts."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import httpdyno
import pytest
from httpdyno.cli.compat.raw import RawCommand
from httpdyno.cli.frame.commands import command
from httpdyno.cli.frame.verbs import VERBS

SOURCES = Path(httpdyno.__file__).parent

VALUES = {
    "chart": "chart.png",
    "_WIDE": "1GiB",
    "alike[0].run": "3",
    "edited.id": "3",
    "file": "mine.toml",
    "flag": "--ulimit rtprio=1",
    "flags.http": "1.0",
    "found.id": "3",
    "run_id": "3",
    "given": "@headers.txt",
    "host": "127.0.0.1",
    "name": "http://127.0.0.1:9/",
    "number": "3",
    "longer": "10s",
    "most": "60s",
    "threads": "2",
    "nearest[0]": "doctor",
    "options.command": "httpdyno run demo",
    "port": "8080",
    "printable(threshold.text)": "'p99>20ms'",
    "printable(url)": "http://127.0.0.1:9/",
    "ready.arm.server": "nginx",
    "server": "localhost",
    "absent[0].name": "a",
    "quoted_path(hosts.file)": "hosts.toml",
    "quoted_path(hosts.file) if hosts else ''": "hosts.toml",
    "joining.listen": "10.0.1.2",
    "joining.name": "a",
    "machine.name": "a",
    "on": "hosts.toml",
    "scheduler": "tls://10.0.1.1:8786",
    "self.hosts.file if self.hosts else self.scheduler": "hosts.toml",
    "self.place.scheduler": "tls://10.0.1.1:8786",
    "shown": "10.0.1.1",
    "sessions.calls": "5",
    "sessions.count": "10",
    "sessions.think_s": "1",
    "run.id": "3",
    "studies": ".",
    "run.command": "httpdyno run demo",
    "command": "httpdyno run demo",
    "RESUME": "--resume",
    "shlex.quote(f'{host}:{target.port}')": "127.0.0.1:8080",
    "shlex.quote(name)": "http://127.0.0.1:9/",
    "quoted_path(source)": "results",
    "shlex.quote(str(file))": "mine.toml",
    "shlex.quote(_url(text))": "http://127.0.0.1:9/",
    "shlex.quote(command)": "./server",
    "shlex.quote(url.path)": "/hello",
    "quoted_path(file)": "mine.toml",
    "path": "/hello",
    "restarts": "10",
    "source": "127.0.0.2",
    "step_s": "5",
    "stored[0].id": "3",
    "sources[0]": "127.0.0.2",
    "text": "0",
    "url": "http://127.0.0.1:9/",
}
"""A value for each expression in the braces of a sentence. A new expression needs one here."""

WORDS = {
    "URL": "http://127.0.0.1:9/",
    "STUDY": "demo",
    "FILE": "mine.toml",
    "RATE": "10",
    "FOLDER": "certificates/a",
}
"""Placeholders for a reader."""

SHELL = {"apt-get", "cpupower", "docker", "echo", "ss", "sysctl", "top", "ulimit"}
"""Programs and built-ins that sentences propose besides our own."""


def literal(node: ast.AST) -> str | None:
    """The text of a string; of an f-string, with its expressions in ⟦⟧."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = [
        f"⟦{ast.unparse(part.value)}⟧" if isinstance(part, ast.FormattedValue) else literal(part)
        for part in node.values
    ]
    return "".join(part or "" for part in parts)


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every string of a module that is no docstring, with its line."""
    inside: set[int] = set()
    for node in ast.walk(tree):  # a node before those inside it
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in inside:
            text = literal(node)
            if text is not None:
                yield node.lineno, text


def sentences() -> Iterator[Any]:
    """Each command in a string of the package: in backticks, or the whole string."""
    for file in sorted(SOURCES.rglob("*.py")):
        place = file.relative_to(SOURCES)
        if "catalogue" in place.parts:
            continue
        for line, text in literals(ast.parse(file.read_text(encoding="utf-8"))):
            shown = re.findall(r"`([^`\n]+)`", text)
            verb = re.match(rf"httpdyno (--|({'|'.join(VERBS)})( |$))", text)
            if verb and "\n" not in text:
                shown.append(text)
            for words in shown:
                first = words.split()[0] if words.split() else ""
                # `--⟦name⟧`: an option that the reader typed.
                if re.match("--(?!⟦)", first) or first in {"httpdyno", *SHELL}:
                    yield pytest.param(place, filled(words), id=f"{place}:{line}: {words}")


def filled(words: str) -> str:
    words = re.sub(r"⟦(.*?)⟧", lambda found: VALUES.get(found[1], f"⟦{found[1]}⟧"), words)
    return re.sub(r"\b[A-Z]{3,}\b", lambda found: WORDS.get(found[0], found[0]), words)


def parsed(words: list[str]) -> None:
    """Let the command line read these words, as if they were typed. Raises its error."""
    context = click.Context(command(), info_name="httpdyno")
    group: Any = context.command
    while hasattr(group, "list_commands") and words and not words[0].startswith("-"):
        group = group.get_command(context, words[0])
        words = words[1:]
    if not {"--help", "--version"} & set(words):
        group.make_context(group.name, list(words))


def verbs(place: Path) -> list[str]:
    """The verbs whose users read the sentences of a module."""
    rooms = {
        "ci": ["ci"],
        "sources": ["init"],
        "comparison": ["compare"],
        "scale": ["load", "worker", "scheduler"],
    } | {"web": ["run", "serve"]}
    if place.parts[0] in rooms:
        return rooms[place.parts[0]]
    if place.parts[:2] == ("cli", "compat"):
        return [Path(*place.parts[2:]).parts[0].removesuffix(".py")]
    if place.parts[:2] == ("cli", "hosts"):
        return {"worker.py": ["worker", "scheduler"]}.get(place.name, [place.stem])
    if place.parts[0] == "cli":
        folders = ("load", "run", "runs", "history", "compare", "capacity", "init")
        exporting = ["load", "sweep", "run", "compare", "report"]
        others = ["capacity", "compare", "init"] if place.name == "neighbours.py" else []
        known = {name: [name] for name in folders} | {
            "exports.py": exporting,
            "github.py": ["load", "sweep"],
            "own_server.py": ["capacity", "init"],
            "own_workload.py": ["capacity", "compare", "init"],
        }
        return (
            known
            | {"report": ["report", "publish"], "serve": ["run", "serve"]}
            | {"sweep": ["sweep", "load", "httperf"]}
            | {"servers": ["servers", "run"], "frame": ["load", *others]}
        ).get(place.name if place.name in known else place.parts[1], [place.stem])
    if place.parts[0] == "compat":
        return [place.parts[1]] if len(place.parts) > 2 else ["httperf", "load"]
    return ["load", "run", "capacity", "servers", "report"]


def flags(verb: str) -> set[str]:
    """The flags of a verb, or of all verbs below it."""
    context = click.Context(command(), info_name="httpdyno")
    found: Any = command().get_command(context, verb)
    below = [found.get_command(context, name) for name in getattr(found, "commands", {})] or [found]
    if isinstance(found, RawCommand):  # its help lists them
        return set(re.findall(r"--[a-z][a-z-]+", found.help or ""))
    return {flag for one in below for parameter in one.params for flag in parameter.opts}


COMMANDS = {
    "init": ["init"],
    "ci": ["ci"],
    "compare": ["compare", "main", "my-branch"],
    "load": ["load", "http://127.0.0.1:9/"],
    "run": ["run", "demo"],
    "sweep": ["sweep", "load", "http://127.0.0.1:9/"],
    "capacity": ["capacity", "reference", "--limit", "p99<20ms"],
    "servers": ["servers", "start", "nginx"],
    "report": ["report", "demo"],
    "publish": ["publish", "site"],
    "serve": ["serve"],
    "runs": ["runs", "list"],
    "history": ["history"],
    "httperf": ["httperf"],
    "ab": ["ab", "http://127.0.0.1:9/"],
    "worker": ["worker", "tls://10.0.1.1:8786"],
    "scheduler": ["scheduler"],
}


@pytest.mark.parametrize(("place", "words"), list(sentences()))
def test_each_is_accepted(place: Path, words: str) -> None:
    assert "⟦" not in words, f"give this expression a value in VALUES: {words}"
    first, *more = shlex.split(words)
    if first == "httpdyno":
        parsed(more)
    elif first.startswith("--"):
        shown = {word.partition("=")[0] for word in (first, *more) if word.startswith("--")}
        readers = [verb for verb in verbs(place) if shown <= flags(verb)]
        assert readers
        for verb in readers if more else ():
            parsed([*COMMANDS[verb], first, *more])
    else:
        checked = subprocess.run(["bash", "-n", "-c", words], capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr


def test_the_settings_of_the_kernel_in_sentences_are_settings_of_the_kernel() -> None:
    named = [
        word.partition("=")[0]
        for parameter in sentences()
        for word in shlex.split(parameter.values[1])[1:]
        if parameter.values[1].startswith("sysctl")
    ]
    assert len(named) >= 3
    for name in named:
        assert Path("/proc/sys", *name.split(".")).exists(), name
