"""A load shape answers for itself, so that a new one is a file of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpdyno
import pytest
import sample
from httpdyno.errors import UsageError
from httpdyno.report import result_json
from httpdyno.study import LOADS
from httpdyno.study.model import QuickLoad

SOURCES = Path(httpdyno.__file__).parent


def test_a_result_with_an_unknown_kind_of_load_is_refused_with_its_place() -> None:
    raw = sample.replay(5).model_dump(mode="json")
    raw["loads"][1]["kind"] = "unheard-of"
    place = rf"`x` is not a complete result: loads\.1\.kind: expected {', '.join(LOADS)}"
    with pytest.raises(UsageError, match=place):
        result_json.parse(json.dumps(raw), "x")


@pytest.mark.parametrize("kind", LOADS)
def test_quick_changes_only_keys_that_the_load_can_have(kind: str) -> None:
    shape = LOADS[kind]
    assert shape.quick_keys <= set(QuickLoad.model_fields)
    assert shape.quick_keys - {"skip"} <= set(shape.model_fields)


@pytest.mark.parametrize("kind", LOADS)
def test_the_keys_that_a_shape_names_are_its_own(kind: str) -> None:
    shape = LOADS[kind]
    named = {*shape.incidental_keys, shape.count_key, shape.schedule_key} - {None}
    assert named <= set(shape.model_fields)


SWITCH = re.compile(
    r"isinstance\([^\n]*\b(?:Closed|Requests|Sessions)Load\b"
    r'|\.load(?:\.kind)? (?:==|!=|in|not in) [^\n]*"(?:closed|requests|sessions)"'
)
"""Code that asks for the kind of a load, instead of asking the load."""
OWN_LOADS = ("comparison/", "cli/sweep/", "measurement/", "running/live/records.py")
"""`compare` chooses between the loads that it makes, a sweep has rates; a measurement and the
record of a plan have only the kind, and answer for it."""


def test_no_other_file_switches_on_the_kind_of_a_load() -> None:
    files = {str(file.relative_to(SOURCES)): file for file in SOURCES.rglob("*.py")}
    found = [name for name, file in files.items() if SWITCH.search(file.read_text("utf-8"))]
    assert found
    assert [name for name in found if not name.startswith(OWN_LOADS)] == []


def test_the_engine_switches_on_the_shape_of_a_load_in_two_files_only() -> None:
    engine = Path(__file__).resolve().parents[3] / "crates/engine/src"
    code = {
        file.relative_to(engine).as_posix(): file.read_text("utf-8").partition("#[cfg(test)]")[0]
        for file in engine.rglob("*.rs")
        if "tests" not in file.stem
    }
    switch = re.compile(r"\bLoad::(Closed|Requests|Sessions)\b")
    assert [name for name, text in code.items() if switch.search(text)] == ["load.rs"]
    assert "pub enum Load {" in code["plan/load.rs"]
