"""`httpdyno completion SHELL`: the script that completes commands in a shell."""

from __future__ import annotations

from typing import Annotated

import typer

from httpdyno.cli.flags import option
from httpdyno.cli.help import VerbCommand

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Print the script that completes commands in a shell: verbs, flags and names.",
)

BASH = r"""_httpdyno() {
  local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} word=${COMP_WORDS[COMP_CWORD]} before
  COMPREPLY=($(httpdyno completion candidates --line "$line" 2>/dev/null))
  if [[ $COMPREPLY == :files ]]; then
    COMPREPLY=()
    compopt -o default
    return
  fi
  # Bash replaces what follows the last `=`, `:` or `@` only.
  [[ $word == [=:@] ]] && word=
  before=${line##*[[:space:]]}
  [[ $before == *"$word" ]] && COMPREPLY=("${COMPREPLY[@]#"${before%"$word"}"}")
  [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *[=/] ]] && compopt -o nospace
}
complete -F _httpdyno httpdyno
"""
ZSH = r"""#compdef httpdyno
_httpdyno() {
  local -a given found open
  given=("${(@Q)words[2,CURRENT]}")
  found=(${(f)"$(httpdyno completion candidates --quoted -- "$given[@]" 2>/dev/null)"})
  if [[ $found[1] == :files ]]; then
    [[ $words[CURRENT] == --*=* ]] && compset -P '*='
    _files
    return
  fi
  open=(${(M)found:#*[=/]})
  compadd -Q -- ${found:|open}
  compadd -Q -S '' -- $open
}
if [[ $funcstack[1] == _httpdyno ]]; then _httpdyno "$@"; else compdef _httpdyno httpdyno; fi
"""
FISH = r"""function __httpdyno_candidates
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l found (httpdyno completion candidates -- $words[2..-1] "$word" 2>/dev/null)
    if test "$found" = :files
        set -l flag (string match -r -- '^--[^=]*=' "$word")
        for file in (__fish_complete_path (string replace -- "$flag" '' "$word"))
            echo "$flag$file"
        end
    else
        string join \n -- $found
    end
end
complete -c httpdyno -f -a '(__httpdyno_candidates)'
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
        list[str] | None, typer.Argument(metavar="WORD", help="The words after the program's name")
    ] = None,
    line: Annotated[
        str | None, option("--line", "Instead: the line before the cursor, of bash")
    ] = None,
    quotes: Annotated[
        bool, option("--quoted", "Escape what a shell would not read as it is")
    ] = False,
) -> None:
    """Print what the last word may become, one candidate per line; the scripts call this."""
    from httpdyno.cli.completion.candidates import candidates_for, quoted, words_of

    given = (words or [""]) if line is None else words_of(line)
    for candidate in candidates_for(given):
        typer.echo(candidate if line is None and not quotes else quoted(candidate))
