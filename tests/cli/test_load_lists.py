"""Lists and ranges of processors and ports, as `load` takes them."""

from __future__ import annotations

import pytest
from httpdyno.cli.values import cpu_list, port_range


def test_processors_and_ports_are_lists_and_ranges() -> None:
    assert cpu_list("0,2-4") == [0, 2, 3, 4]
    assert port_range("1024-65535") == (1024, 65535)


@pytest.mark.parametrize("text", ["", "a", "3-1"])
def test_an_empty_processor_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        cpu_list(text)


@pytest.mark.parametrize("text", ["5", "9-5", "0-5", "1-70000"])
def test_what_is_no_port_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        port_range(text)
