"""The guide shows, for each line of the posts, two outputs of the same shape."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from post_lines import POSTS, PostLine
from write_posts import BEGIN, END, between

from .compare import shape_differences
from .test_ab import BANNER, DOUBTS

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "httperf-and-ab.md"


def outputs(post: PostLine) -> dict[str, list[str]]:
    """Command → its output, in the section of a line."""
    text = GUIDE.read_text(encoding="utf-8")
    section = text[text.index(f"\n### {post.title}\n") :].split("\n### ", 2)[1]
    blocks = re.findall(r"```text\n\$ (.*)\n((?:.*\n)*?)```", section)
    return {command: output.splitlines() for command, output in blocks}


@pytest.mark.parametrize("post", POSTS, ids=lambda post: post.name)
def test_the_guide_shows_both_outputs_of_each_line_of_the_posts(post: PostLine) -> None:
    shown = outputs(post)
    assert list(shown) == [post.line, f"httpdyno {post.line}"]
    real, ours = shown.values()
    assert len(real) > 20
    assert shape_differences(real, ours, BANNER, DOUBTS) == []


def test_new_outputs_replace_what_is_between_the_marks_and_nothing_else() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert between(page, "new\n") == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    with pytest.raises(ValueError, match="lacks the marks"):
        between("no marks", "new")
