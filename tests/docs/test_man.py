"""The man pages have every command and flag, and a formatter has nothing to complain about."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from write_man import man_pages
from write_reference import commands

PAGES = man_pages()


def test_every_command_has_a_page_with_its_flags() -> None:
    for path, context in commands():
        page = PAGES[f"{path.replace(' ', '-')}.1"].replace("\\-", "-")
        assert f'.TH "{path.replace(" ", "-").upper()}" "1"' in page
        for parameter in context.command.get_params(context):
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[0] in page, f"{path} {parameter.opts}"


def test_no_line_of_text_is_a_request_to_troff() -> None:
    known = {".TH", ".SH", ".PP", ".TP", ".nf", ".fi", ".B", ".BR"}
    for name, page in PAGES.items():
        for line in page.splitlines():
            if line.startswith((".", "'")):
                assert line.split()[0] in known, (name, line)


@pytest.mark.parametrize("name", ["httpdyno.1", "httpdyno-run.1", "httpdyno-load.1"])
def test_groff_formats_a_page_without_a_warning(name: str, tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    (tmp_path / name).write_text(PAGES[name], encoding="utf-8")
    done = subprocess.run(
        ["groff", "-man", "-Kutf8", "-Tutf8", "-P-cbou", "-ww", str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "NAME" in done.stdout
