"""Help that is easy to scan: a verb's flags under headings, its examples as they are typed."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

__all__ = ["VerbCommand"]


class VerbCommand(TyperCommand):
    """A verb whose `--help` shows its flags under the headings they were declared with."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage line, with arguments named as the help names them: `URL`, not `{URL}`."""
        return [re.sub("[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the flags by heading, in the order of their declaration."""
        headings: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                heading = getattr(parameter, "rich_help_panel", None) or _default_heading(parameter)
                name = re.sub(" <[^ ]+>$", "", record[0])  # the help text says what it may be
                headings.setdefault(heading, []).append((name, record[1]))
        for heading, records in headings.items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=32)


def _default_heading(parameter: Any) -> str:
    return "Arguments" if parameter.param_type_name == "argument" else "Options"
