"""The program: `httpdyno`, or `python -m httpdyno`."""

from __future__ import annotations

from httpdyno.cli import signals


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    signals.leave_at_once()
    from httpdyno.cli.main import main as command_line  # noqa: PLC0415 - takes a tenth of a second

    command_line()


if __name__ == "__main__":
    main()
