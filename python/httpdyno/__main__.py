"""The program: `httpdyno`, or `python -m httpdyno`; and those that start with a verb."""

from __future__ import annotations

import sys

from httpdyno.cli import signals


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    _leave(sys.argv[1:])


def ab() -> None:
    """Run `httpdyno ab`, for scripts that start ab by one name."""
    _leave(["ab", *sys.argv[1:]])


def httperf() -> None:
    """Run `httpdyno httperf`, for scripts that start httperf by one name."""
    _leave(["httperf", *sys.argv[1:]])


def _leave(words: list[str]) -> None:
    signals.leave_at_once()  # first: the rest takes a tenth of a second to load
    from httpdyno.cli import streams  # noqa: PLC0415
    from httpdyno.cli.main import run  # noqa: PLC0415

    stdout = streams.install()
    code = run(words)
    sys.exit(streams.finish(stdout, code))


if __name__ == "__main__":
    main()
