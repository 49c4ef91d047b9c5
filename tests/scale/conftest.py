"""The extra `scale`, a cluster that several tests share, and a server to load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpdyno import engine
from httpdyno.cli.reference import served_pages
from machines import Machines
from study_place import Place

if TYPE_CHECKING:
    from httpdyno import _engine


@pytest.fixture
def server() -> Iterator[_engine.Reference]:
    """The reference server on a free port."""
    with engine.reference(pages=served_pages()) as running:
        yield running


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Two machines that have joined a scheduler."""
    for module in ("distributed", "cryptography"):
        pytest.importorskip(module, reason=f"`{module}` of the extra `scale` is not installed")
    with Machines(tmp_path_factory.mktemp("machines")) as cluster:
        yield cluster.start_all()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Folders of a machine's own, for studies."""
    return Place(tmp_path)
