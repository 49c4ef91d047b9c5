"""`httpdyno completion SHELL`: the script that completes commands in a shell."""

from __future__ import annotations

from typing import Annotated

from httpdyno.cli.command import Group
from httpdyno.cli.flags import argument, option
from httpdyno.output.echo import echo

__all__ = ["app"]

app = Group("Print the script that completes commands in a shell: verbs, flags and names.")

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


@app.verb()
def bash() -> None:
    """Print the script for bash.

    For good, write it to ~/.local/share/bash-completion/completions/httpdyno.

    \b
    Example:
      source <(httpdyno completion bash)
    """
    echo(BASH, nl=False)


@app.verb()
def zsh() -> None:
    """Print the script for zsh.

    For good, write it to the file _httpdyno of a folder that is in fpath before compinit runs.

    \b
    Example:
      source <(httpdyno completion zsh)
    """
    echo(ZSH, nl=False)


@app.verb()
def fish() -> None:
    """Print the script for fish.

    For good, write it to ~/.config/fish/completions/httpdyno.fish.

    \b
    Example:
      source (httpdyno completion fish | psub)
    """
    echo(FISH, nl=False)


@app.verb(hidden=True)
def candidates(
    words: Annotated[
        list[str] | None, argument("WORD", "The words after the program's name")
    ] = None,
    line: Annotated[
        str | None, option("--line LINE", "Instead: the line before the cursor, of bash")
    ] = None,
    quotes: Annotated[
        bool, option("--quoted", "Escape what a shell would not read as it is")
    ] = False,
) -> None:
    """Print what the last word may become, one candidate per line; the scripts call this."""
    from httpdyno.cli.completion.candidates import candidates_for, quote_word, words_of

    given = (words or [""]) if line is None else words_of(line)
    for candidate in candidates_for(given):
        echo(candidate if line is None and not quotes else quote_word(candidate))
