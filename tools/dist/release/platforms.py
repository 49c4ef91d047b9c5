"""The kinds of Linux that get a wheel, and the Pythons that are tried."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PLATFORMS", "PYTHONS", "Platform"]

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Those of Debian 12, Ubuntu 24.04, Debian 13 and Ubuntu 26.04."""


@dataclass(frozen=True)
class Platform:
    """A processor and a libc: as Rust names them, and as wheels do."""

    target: str
    tag: str

    @property
    def machine(self) -> str:
        """The processor."""
        return self.target.partition("-")[0]

    @property
    def libc(self) -> str:
        """The tag without the processor, such as `manylinux_2_28`."""
        return self.tag.removesuffix(f"_{self.machine}")

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of wheels that run where this one runs."""
        machine = self.machine
        if "musl" in self.target:
            return (self.tag, f"musllinux_1_1_{machine}")
        old = ("2_27", "2_26", "2_24", "2_17", "2_12", "2_5")
        return (self.tag, *(f"manylinux_{it}_{machine}" for it in old), f"manylinux2014_{machine}")

    @property
    def libraries(self) -> frozenset[str]:
        """The shared libraries that its wheel may need: those of its libc."""
        if "musl" in self.target:
            return frozenset({"libc.so", "libgcc_s.so.1"})
        loader = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
        names = {"libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0"}
        return frozenset(names | {loader[self.machine]})


PLATFORMS = (
    Platform("x86_64-unknown-linux-gnu", "manylinux_2_28_x86_64"),
    Platform("aarch64-unknown-linux-gnu", "manylinux_2_28_aarch64"),
    Platform("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64"),
    Platform("aarch64-unknown-linux-musl", "musllinux_1_2_aarch64"),
)
