"""The documentation is current and complete, and its links and commands work."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import httpdyno
import pytest
from httpdyno.cli.frame.commands import command
from httpdyno.cli.frame.verbs import VERBS
from httpdyno.errors import ExitCode
from httpdyno.servers import load_catalogue
from write_reference import commands, pages

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
COMMAND_LINE = REFERENCE / "cli.md"


def _tracked(pattern: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


PAGES = _tracked("*.md")


@pytest.mark.parametrize("name", pages())
def test_each_reference_page_matches_the_program(name: str) -> None:
    written = (REFERENCE / name).read_text(encoding="utf-8")
    assert written == pages()[name], "run `make reference-docs`"


def test_every_verb_and_every_flag_is_documented() -> None:
    text = COMMAND_LINE.read_text(encoding="utf-8")
    for path, context in commands():
        assert f"## {path}\n" in text
        for parameter in context.command.get_params(context):
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[0] in text, f"{path} {parameter.opts}"


def test_every_option_that_takes_a_value_names_it() -> None:
    for path, context in commands():
        for parameter in context.command.get_params(context):
            if parameter.param_type_name == "option" and not (parameter.is_flag or parameter.count):
                assert parameter.hidden or parameter.metavar, f"{path} {parameter.opts}"


def test_the_table_of_verbs_agrees_with_the_help_of_each_verb() -> None:
    summaries = {path: context.command.help or "" for path, context in commands()}
    for name, verb in VERBS.items():
        of_itself = re.findall(r"\w+", summaries[f"httpdyno {name}"])
        assert of_itself[:2] == re.findall(r"\w+", verb.summary)[:2]


def test_every_exit_code_is_documented_once() -> None:
    text = (REFERENCE / "exit-codes.md").read_text(encoding="utf-8")
    for code in ExitCode:
        assert text.count(f"| {code.value} | `{code.name}` |") == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_project_lead_to_a_page_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = (page.parent / name) if name else page
        assert linked.exists(), f"{target} does not exist"
        if anchor and linked.suffix == ".md":
            assert anchor in _anchors(linked), f"{target}: the page has no such heading"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_counts_the_servers_as_the_catalogue_does() -> None:
    servers = list(load_catalogue())
    unavailable = [server for server in servers if server.unavailable is not None]
    own = [server for server in servers if server.install.needs]
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    counted = f"{len(servers) - len(unavailable)} that can be measured ({len(own)} of them from"
    assert counted in text
    assert f"and {len(unavailable)} that are unavailable" in text


def _shown_commands() -> Iterator[Any]:
    for page in PAGES:
        blocks = re.findall(r"```(?:bash|sh|console)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        for line in "\n".join(blocks).replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words and words[0] in {"httpdyno", ".venv/bin/httpdyno"}:
                place = f"{page.relative_to(ROOT)}: {' '.join(words)}"
                yield pytest.param(words[1:], id=place)


def _examples_in_help() -> Iterator[Any]:
    for path, context in commands():
        for line in (context.command.help or "").splitlines():
            shown = re.match(r"\s*(httpdyno .*?)(?:\s{3,}.*)?$", line)
            if shown and "VERB" not in line:
                yield pytest.param(shlex.split(shown[1])[1:], id=f"{path} --help: {shown[1]}")


@pytest.mark.parametrize("words", [*_shown_commands(), *_examples_in_help()])
def test_the_program_accepts_each_command_that_a_page_shows(words: list[str]) -> None:
    context = click.Context(command(), info_name="httpdyno")
    group: Any = context.command
    while hasattr(group, "list_commands") and words and not words[0].startswith("-"):
        group = group.get_command(context, words[0])
        assert group is not None, f"`{words[0]}` is not a command"
        words = words[1:]
    if words not in ([], ["--help"], ["--version"]):
        group.make_context(group.name, list(words))


def _modules() -> list[str]:
    found = pkgutil.walk_packages(httpdyno.__path__, "httpdyno.")
    skipped = ("httpdyno.servers.catalogue.", "httpdyno.__main__", "httpdyno._engine")
    return [module.name for module in found if not module.name.startswith(skipped)]


@pytest.mark.parametrize("name", _modules())
def test_exported_names_are_sorted_and_exist(name: str) -> None:
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", [])
    assert len(set(exported)) == len(exported)
    assert all(hasattr(module, each) for each in exported)
    assert list(exported) == sorted(exported, key=_isort_style)


def _isort_style(name: str) -> tuple[int, str]:
    """A key that sorts constants first, then classes, then the rest, as ruff sorts `__all__`."""
    kind = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return kind, name
