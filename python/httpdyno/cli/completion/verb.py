"""`httpdyno completion SHELL`: the script that completes commands in a shell."""

from __future__ import annotations

from typing import Annotated

import typer

from httpdyno.cli.help import VerbCommand

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Print the script that completes commands in a shell: verbs, flags and names.",
)

BASH = r"""_httpdyno() {
  local IFS=$'\n'
  COMPREPLY=($(httpdyno completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _httpdyno httpdyno
"""
ZSH = r"""#compdef httpdyno
_httpdyno() {
  local -a found
  found=(${(f)"$(httpdyno completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
if [[ $funcstack[1] == _httpdyno ]]; then _httpdyno "$@"; else compdef _httpdyno httpdyno; fi
"""
FISH = r"""function __httpdyno_candidates
    set -l words (commandline -opc) (commandline -ct)
    httpdyno completion candidates -- $words[2..-1] 2>/dev/null
end
complete -c httpdyno -a '(__httpdyno_candidates)'
"""


@app.command(cls=VerbCommand)
def bash() -> None:
    """Print the script for bash.

    For good, write it to ~/.local/share/bash-completion/completions/httpdyno.

    \b
    Example:
      source <(httpdyno completion bash)
    """
    typer.echo(BASH, nl=False)


@app.command(cls=VerbCommand)
def zsh() -> None:
    """Print the script for zsh.

    For good, write it to the file _httpdyno of a folder that is in fpath before compinit runs.

    \b
    Example:
      source <(httpdyno completion zsh)
    """
    typer.echo(ZSH, nl=False)


@app.command(cls=VerbCommand)
def fish() -> None:
    """Print the script for fish.

    For good, write it to ~/.config/fish/completions/httpdyno.fish.

    \b
    Example:
      source (httpdyno completion fish | psub)
    """
    typer.echo(FISH, nl=False)


@app.command(cls=VerbCommand, hidden=True)
def candidates(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="The words after the program's name.")
    ] = None,
) -> None:
    """Print what the last word may become, one candidate per line; the scripts call this."""
    from httpdyno.cli.completion.candidates import candidates_for

    for candidate in candidates_for(words or [""]):
        typer.echo(candidate)
