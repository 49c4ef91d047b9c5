"""The pages that the program names are pages of the documentation's web site."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = [one for kind in ("py", "toml") for one in (ROOT / "python/httpdyno").rglob(f"*.{kind}")]


def test_every_page_that_the_program_names_exists() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    site = re.search(r"^site_url: (\S+)$", text, re.MULTILINE)
    assert site is not None
    named = {
        page
        for file in SOURCES
        for page in re.findall(rf"{site[1]}([a-z/-]+)/", file.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert [one for one in named if not (ROOT / "docs" / f"{one}.md").is_file()] == []
