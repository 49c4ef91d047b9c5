"""How many files this process and what it starts may have open."""

from __future__ import annotations

import resource


def raise_descriptor_limit(wanted: int) -> int:
    """Towards `wanted`, the hard limit too where this user may; the limit that holds then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, wanted)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
