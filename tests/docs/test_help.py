"""The help of flags and arguments has one form in all verbs."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpdyno.cli import shared_flags
from write_reference import commands

CLI = Path(shared_flags.__file__).parent
_DEFAULT = re.compile(r"\((?:[^()]*; )?default(?:\)|: | )")
"""`(default 10s)`, `(default: a free one)`, `(PEM; default: …)`, and `auto (default)`."""

MAKERS = {"option", "text", "texts", "switch"}
"""The functions that declare a flag, with its help as their second argument."""
PARTICULAR = {
    "--all": "servers of the catalogue, or runs",
    "--build": "of each revision, or of the one command",
    "--certificates": "of a coordinator, or of a worker or scheduler",
    "--connections": "of a closed load, or at most",
    "--cores": "a number, or a list",
    "--cpus": "one for each thread, or for all",
    "--deployment": "one, or all of them",
    "--dry-run": "a plan, or the commands of an installation",
    "--duration": "of a load, or of each measurement",
    "--format": "several files, or one",
    "--http": "a version, or a file of requests",
    "--json": "a file, or a table in another form",
    "--listen": "of a verb, of its page, or of a worker",
    "--margin": "of each metric, or of all",
    "--origin": "of runs, or of recorded requests",
    "--rate": "a rate, ramps and steps, or one rate",
    "--report": "charts over time, or the table of all rates",
    "--seed": "of random arrivals, or of the shuffle",
    "--study": "a file, or the name of stored runs",
    "--threads": "of the engine, or of a server",
    "--until": "a percentile, or the differences of a study",
}
"""Flags that mean something else in each verb; every other one is declared once."""


def helps() -> Iterator[tuple[str, str, str]]:
    """The path, the help and the line of each flag and argument, but Click's own `--help`."""
    for path, context in commands():
        for parameter in context.command.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None and "--help" not in parameter.opts:
                yield f"{path} {parameter.opts[-1]}", parameter.help or "", record[1]


def declared() -> dict[str, list[tuple[str, str]]]:
    """Each long flag with the files that declare it, and its help there."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted(CLI.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in MAKERS:
                flag, words = call.args[0], ast.unparse(call.args[1])
                if isinstance(flag, ast.Constant):
                    found[str(flag.value).split()[0]].append((file.name, words))
    return found


@pytest.mark.parametrize(("flag", "text", "line"), list(helps()))
def test_a_help_ends_without_a_period_and_has_its_default_in_parentheses(
    flag: str, text: str, line: str
) -> None:
    assert text, f"{flag} has no help"
    assert not text.endswith(".") or ". " in text, f"{flag}: {text}"
    assert text[0].upper() == text[0] or text.startswith(("--", "http", "auto", "generator")), flag
    assert len(_DEFAULT.findall(text)) == text.count("default"), f"{flag}: {text}"
    assert "[default" not in line, f"{flag}: {line}"
    assert "<=" not in line, f"{flag}: {line}"


def test_a_flag_that_means_the_same_in_several_verbs_is_declared_once() -> None:
    several = {flag: places for flag, places in declared().items() if len(places) > 1}
    assert several.keys() == PARTICULAR.keys()
    for flag, places in several.items():
        assert len({words for _, words in places}) == len(places), f"{flag}: {places}"
