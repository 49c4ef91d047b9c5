"""The checks of a wheel refuse what does not belong in one."""

from __future__ import annotations

from pathlib import Path

import httpdyno
import pytest
from release.checks import foreign_paths, needed, refuse_libraries, tagged
from release.place import ReleaseError
from release.platforms import PLATFORMS

ENGINE = Path(httpdyno.__file__).with_name("_engine.abi3.so")
GLIBC, MUSL = PLATFORMS[0], PLATFORMS[2]
SHOWN = """
httpdyno-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl is consistent with
the following platform tag: "manylinux_2_28_x86_64".
"""


def test_a_library_that_a_bare_system_lacks_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"needs libssl\.so\.3"):
        refuse_libraries("a.whl", {"libc.so.6", "libssl.so.3"}, GLIBC.libraries)
    refuse_libraries("a.whl", {"libc.so.6"}, GLIBC.libraries)


def test_an_engine_for_glibc_is_refused_in_a_wheel_for_musl() -> None:
    found = needed(ENGINE)
    assert "libc.so.6" in found
    with pytest.raises(ReleaseError, match=r"libc\.so\.6"):
        refuse_libraries("a.whl", found, MUSL.libraries)


def test_a_path_of_this_machine_in_a_compiled_file_is_found() -> None:
    content = b"\0/home/someone/.cargo/registry/src/a.rs\0/cargo/registry/src/b.rs"
    assert foreign_paths(content, [Path("/home/someone")]) == ["/home/someone"]
    assert foreign_paths(content, [Path("/home/some")]) == []


def test_a_tag_that_auditwheel_does_not_confirm_is_refused() -> None:
    tagged(SHOWN, "manylinux_2_28_x86_64")
    with pytest.raises(ReleaseError, match="does not confirm"):
        tagged(SHOWN, "manylinux_2_17_x86_64")


def test_a_platform_is_a_libc_and_a_processor() -> None:
    assert (GLIBC.libc, GLIBC.machine) == ("manylinux_2_28", "x86_64")
    assert {f"{it.libc}_{it.machine}" for it in PLATFORMS} == {it.tag for it in PLATFORMS}


def test_each_platform_accepts_older_wheels_of_its_own_kind_only() -> None:
    for platform in PLATFORMS:
        assert platform.tags[0] == platform.tag
        assert {tag.startswith("musl") for tag in platform.tags} == {"musl" in platform.target}
