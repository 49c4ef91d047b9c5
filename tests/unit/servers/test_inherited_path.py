"""Which programs the commands of servers find first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = (
    "import os\nfrom httpdyno.servers.environment import inherited_environment\n"
    "print(inherited_environment()['PATH'])"
)
PACKAGE = str(Path(__file__).parents[3] / "python")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The Python of a virtual environment, as `uvx` makes one."""
    folder = tmp_path / "tool"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def path_within(program: Path, **variables: str) -> list[str]:
    """PATH as servers get it, of a program whose folder is the first on PATH."""
    environment = {
        "PATH": f"{program.parent}:/usr/bin:/bin",
        "PYTHONPATH": PACKAGE,
        **variables,
    }
    shown = subprocess.run(
        [program, "-c", SHOW], env=environment, capture_output=True, text=True, check=True
    )
    return shown.stdout.strip().split(os.pathsep)


def test_uvx_does_not_put_httpdyno_s_own_python_before_the_user_s(program: Path) -> None:
    assert path_within(program, UV="/usr/bin/uv") == ["/usr/bin", "/bin"]


def test_an_environment_of_the_user_s_stays_first(program: Path, tmp_path: Path) -> None:
    first = str(program.parent)
    activated = str(tmp_path / "tool")
    assert path_within(program)[0] == first
    assert path_within(program, UV="/usr/bin/uv", VIRTUAL_ENV=activated)[0] == first
