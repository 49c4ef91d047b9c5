"""For tests that run a study by the real program."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from study_place import Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    if made.lock is not None:
        made.lock.close()
    for pid in made.living():
        os.kill(pid, signal.SIGKILL)
