"""Without the extra `grpc`, the error says how to install it."""

from __future__ import annotations

import pytest
from httpdyno.errors import EnvironmentFault
from httpdyno.extras import install_command
from httpdyno.grpc.packages import package


def test_a_package_that_is_absent_is_named_with_the_command_that_installs_all() -> None:
    with pytest.raises(
        EnvironmentFault, match=r"needs the extra `grpc`.* `no_such_package` is"
    ) as e:
        package("no_such_package.part")
    assert e.value.hint == install_command("grpc")
