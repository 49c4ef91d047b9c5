"""A verb that reads its words itself, because their grammar is another program's."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

__all__ = ["RawCommand"]


class RawCommand(TyperCommand):
    """A verb whose words arrive in `context.args` as typed; only `--help` is read here."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the words as they are."""
        if args[:1] == ["--help"]:
            return super().parse_args(ctx, args)
        ctx.args = list(args)
        return args

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write no table of options: the text of the help lists them."""
