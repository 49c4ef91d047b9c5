"""Are two results from the same machine? Its facts say so, as far as facts can."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.errors import UsageError
from httpdyno.output.printable import printable
from httpdyno.result import Fact

SAME = (
    "processor",
    "cores",
    "SMT",
    "frequency governor",
    "turbo",
    "memory",
    "kernel",
    "virtual machine",
    "container",
    "CPU quota",
    "httpdyno",
)
"""Facts that a comparison with earlier numbers needs to be equal: each of them changes results.
httpdyno is one of them, because another version may measure differently."""


def differences(before: Sequence[Fact], now: Sequence[Fact]) -> list[str]:
    """The facts that differ, each in words; a fact that only one of them has differs too."""
    then, here = ({fact.label: fact.value for fact in facts} for facts in (before, now))
    return [
        f"{label}: {printable(then.get(label, 'none'))} then, {here.get(label, 'none')} now"
        for label in SAME
        if then.get(label) != here.get(label)
    ]


def require_same(before: Sequence[Fact], now: Sequence[Fact], source: str) -> None:
    """Raises UsageError with what differs, unless both are facts of the same machine."""
    found = differences(before, now)
    if found:
        lines = "".join(f"\n  {line}" for line in found)
        raise UsageError(
            f"`{source}` is from another machine, or this one has changed:{lines}",
            hint="measure both here, such as two revisions; or add --other-machine, and read the"
            " difference as one of machines and servers together",
        )
