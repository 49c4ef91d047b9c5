"""Fixtures of the tests on several machines."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
