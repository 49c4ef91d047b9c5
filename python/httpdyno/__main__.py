"""The program: `httpdyno`, or `python -m httpdyno`."""

from __future__ import annotations

import sys

from httpdyno.cli import signals


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    signals.leave_at_once()  # first: the rest takes a tenth of a second to load
    from httpdyno.cli import streams  # noqa: PLC0415
    from httpdyno.cli.main import run  # noqa: PLC0415

    stdout = streams.install()
    code = run(sys.argv[1:])
    sys.exit(streams.finish(stdout, code))


if __name__ == "__main__":
    main()
