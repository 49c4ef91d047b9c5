"""The package imports the packages that it declares, and no others."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "httpdyno"
CATALOGUE = PACKAGE / "servers" / "catalogue"
"""Programs under test, which have environments of their own."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def modules(requirements: list[str]) -> set[str]:
    """The modules of these packages: all have the name of their package."""
    names = (re.match(r"[\w-]+", requirement) for requirement in requirements)
    return {name[0].replace("-", "_") for name in names if name is not None}


def imported() -> set[str]:
    """The modules of other projects that the package imports."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        if not file.is_relative_to(CATALOGUE):
            found.update(_imports(ast.parse(file.read_bytes())))
    return found - sys.stdlib_module_names - {"httpdyno", "_typeshed"}


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_the_package_imports_what_it_declares_and_no_more() -> None:
    dependencies = modules(PROJECT["dependencies"])
    extras = modules([*chain(*PROJECT["optional-dependencies"].values())])
    assert dependencies <= imported() <= dependencies | extras
