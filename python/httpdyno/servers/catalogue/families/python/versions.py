"""Prints the versions of the packages in requirements.in: the framework's, and its servers'."""

import re
from importlib.metadata import version
from pathlib import Path

lines = Path("requirements.in").read_text(encoding="utf-8").splitlines()
names = [match[0] for match in (re.match(r"[a-z][a-z0-9-]*", line) for line in lines) if match]
framework, *others = names
listed = ", ".join(f"{name} {version(name)}" for name in others)
print(f"{version(framework)} ({listed})" if listed else version(framework))
