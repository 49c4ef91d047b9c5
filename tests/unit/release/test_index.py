"""The package index that stands in for PyPI."""

from __future__ import annotations

from release.index import pages


def test_each_project_has_a_page_with_its_files_and_their_hashes() -> None:
    names = [
        "pydantic_core-2.0-cp311-cp311-manylinux_2_17_x86_64.whl",
        "rich-14.0-py3-none-any.whl",
    ]
    written = pages(names, dict.fromkeys(names, "ab12"))
    assert set(written) == {"index.html", "pydantic-core/index.html", "rich/index.html"}
    assert f'href="../../files/{names[0]}#sha256=ab12"' in written["pydantic-core/index.html"]
    assert 'href="rich/"' in written["index.html"]
