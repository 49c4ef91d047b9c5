"""A verb that reads its words itself, because their grammar is another program's."""

from __future__ import annotations

import click

from httpdyno.cli.command import Command

__all__ = ["RawCommand"]


class RawCommand(Command):
    """A verb whose words arrive in `context.args` as typed; only `--help` is read here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words as they are."""
        if args[:1] == ["--help"]:
            return super().parse_args(ctx, args)
        ctx.args = list(args)
        return args

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write no table of options: the text of the help lists them."""
