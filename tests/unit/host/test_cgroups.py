"""The limits of control groups are found in both versions, here and in the groups above."""

from __future__ import annotations

from pathlib import Path

import pytest
from httpdyno.host.cgroups import cpu_quota, memory_limit
from httpdyno.host.machine import Machine

V1 = "4:memory:/batch/job\n3:cpu,cpuacct:/batch/job\n"
GROUPS = "sys/fs/cgroup"


def machine(root: Path, files: dict[str, str]) -> Machine:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return Machine(root)


@pytest.mark.parametrize(
    ("files", "cpus", "memory"),
    [
        ({}, None, None),
        ({f"{GROUPS}/cpu.max": "max 100000"}, None, None),
        ({f"{GROUPS}/cpu.max": "150000 100000"}, 1.5, None),
        (
            {
                "proc/self/cgroup": "0::/user.slice/job.scope\n",
                f"{GROUPS}/user.slice/cpu.max": "50000 100000",
                f"{GROUPS}/user.slice/job.scope/cpu.max": "200000 100000",
                f"{GROUPS}/user.slice/job.scope/memory.max": "1048576",
            },
            0.5,
            1048576,
        ),
        (
            {
                "proc/self/cgroup": V1,
                f"{GROUPS}/cpu/batch/job/cpu.cfs_quota_us": "300000",
                f"{GROUPS}/cpu/batch/job/cpu.cfs_period_us": "100000",
                f"{GROUPS}/memory/batch/memory.limit_in_bytes": "4096",
                f"{GROUPS}/memory/memory.limit_in_bytes": "9223372036854771712",
            },
            3.0,
            4096,
        ),
        (
            {f"{GROUPS}/cpu/cpu.cfs_quota_us": "-1", f"{GROUPS}/cpu/cpu.cfs_period_us": "100000"},
            None,
            None,
        ),
        (
            {"proc/self/cgroup": "\x1b[2J\n0::/../../x\n:::\n", f"{GROUPS}/cpu.max": "a 0"},
            None,
            None,
        ),
    ],
)
def test_the_smallest_limit_counts(
    files: dict[str, str], cpus: float | None, memory: int | None, tmp_path: Path
) -> None:
    found = machine(tmp_path, files)
    assert (cpu_quota(found), memory_limit(found)) == (cpus, memory)
