"""Values, flags and verbs that are empty, too long or half typed: one sentence that says what was
expected, and a hint that works."""

from __future__ import annotations

import pytest

from .conftest import CLOSED_AT, Program

CLOSED = f"http://{CLOSED_AT}/"

CASES = {
    "a command without a closing quotation": (
        ["compare", "cmd:'", "nginx", "--dry-run"],
        "`cmd` is `'`: no closing quotation: expected a command",
        "close each quotation mark",
    ),
    "a placeholder that there is not": (
        ["compare", "cmd:echo {x} {port}", "nginx", "--dry-run"],
        "`cmd:echo {x} {port}`: `{x}` is not a placeholder: expected {python}",
        "",
    ),
    "a source with a scope": (
        ["load", CLOSED, "--source", "::1%lo"],
        "`--source ::1%lo`: expected an address of this machine without a scope",
        "--help",
    ),
    "machines of a file that is not there": (
        ["load", CLOSED, "--on", "/nosuch"],
        "`/nosuch` cannot be read: No such file or directory",
        "httpdyno hosts init",
    ),
    "machines of no file": (
        ["load", CLOSED, "--on", ""],
        "`--on` is empty: expected a hosts.toml, or the address of a scheduler",
        "httpdyno hosts init",
    ),
    "an empty socket": (
        ["load", CLOSED, "--unix", ""],
        "`--unix `: expected the path of a socket, of 1 to 107 bytes",
        "--help",
    ),
    "a socket with a long path": (
        ["load", CLOSED, "--unix", "x" * 300],
        "expected the path of a socket, of 1 to 107 bytes",
        "--help",
    ),
    "a body of no file": (
        ["load", CLOSED, "--body", "@"],
        "`--body @`: expected the name of a file",
        "--help",
    ),
    "URLs of no file": (
        ["load", "--urls", ""],
        "`--urls `: expected the name of a file",
        "--help",
    ),
    "the beginning of a flag": (
        ["load", CLOSED, "--du", "1s"],
        "`--du` is not a flag of `httpdyno load`: did you mean `--duration`?",
        "--help",
    ),
    "the beginning of several flags": (
        ["load", CLOSED, "--c", "1s"],
        "`--c` is not a flag of `httpdyno load`",
        "--help",
    ),
    "a value of a switch": (
        ["load", CLOSED, "--quiet=1"],
        "option '--quiet' does not take a value",
        "hint: httpdyno load --help",
    ),
    "a value of the help": (
        ["servers", "list", "--help=x"],
        "option '--help' does not take a value",
        "hint: httpdyno servers list --help",
    ),
    "an unknown verb of the servers": (
        ["servers", "lst"],
        "`lst` is not a verb of `httpdyno servers`: expected `list` or",
        "hint: did you mean `list`? `httpdyno servers --help` shows them",
    ),
    "an unknown verb of the machines": (
        ["hosts", "a"],
        "`a` is not a verb of `httpdyno hosts`: expected `init` or",
        "hint: httpdyno hosts --help",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_a_usage_error_with_what_was_expected(case: str, called: Program) -> None:
    arguments, sentence, hint = CASES[case]
    answer = called(*arguments)
    assert (answer.returncode, answer.stdout) == (2, ""), answer.stderr
    assert sentence in answer.stderr.splitlines()[0]
    assert hint in answer.stderr


def test_no_terminal_is_too_wide(called: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "99999999999")
    answer = called("servers", "show", "nginx")
    assert (answer.returncode, answer.stderr) == (0, "")
