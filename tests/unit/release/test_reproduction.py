"""A second build must have the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from release.place import ReleaseError
from release.reproduction import refuse_difference


def test_a_build_with_other_bytes_is_refused_and_one_with_the_same_is_not(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("one\ntwo\n", encoding="utf-8")
    second.write_text("one\nthree\n", encoding="utf-8")
    with pytest.raises(ReleaseError, match="`first` has other bytes"):
        refuse_difference(first, second)
    refuse_difference(first, first)
