"""The limit of open files of this process and its children."""

from __future__ import annotations

import resource


def raise_descriptor_limit(wanted: int) -> int:
    """Raise the limit towards `wanted`, the hard limit too if permitted; return the result."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, wanted)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
