"""Runs the steps of action.yml as a GitHub runner does, in a clone.

Steps with `uses` are stand-ins of the test, because only GitHub has those actions. Of expressions,
what action.yml has is understood: contexts, text, `==`, `!=`, `&&`, `||` and `!cancelled()`.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
StandIn = Callable[[Mapping[str, str]], None]
_OUTPUT = re.compile(r"^([\w-]+)<<(.+)\n((?:.*\n)*?)\2$", re.MULTILINE)


@dataclass
class Job:
    """A job of one step, which is the action: its folders, its inputs, and its end."""

    clone: Path
    home: Path
    variables: Mapping[str, str]
    stand_ins: Mapping[str, StandIn]
    token: str = ""
    log: str = ""
    code: int = 0
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        file = self.home / "summary.md"
        return file.read_text() if file.exists() else ""

    def run(self, **given: str) -> None:
        """Runs the action with these inputs, `_` for `-`, as the first step of a job."""
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        named = {name.replace("_", "-"): value for name, value in given.items()}
        assert named.keys() <= action["inputs"].keys()
        defaults = {name: one.get("default", "") for name, one in action["inputs"].items()}
        self.inputs = defaults | named
        self.code, self.steps = 0, {}
        for step in action["runs"]["steps"]:
            condition = step.get("if", "success()")
            if self._value(condition.removeprefix("${{").removesuffix("}}")):
                self._step(step)
        self.outputs = {name: self._text(one["value"]) for name, one in action["outputs"].items()}

    def _step(self, step: Mapping[str, Any]) -> None:
        if "uses" in step:
            named = {name: self._text(value) for name, value in step.get("with", {}).items()}
            self.stand_ins[step["uses"].partition("@")[0]](named)
            return
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a command is run as a command"
        file = self.home / "output"
        file.unlink(missing_ok=True)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.clone,
            env={**os.environ, **self._own(file)}
            | {name: self._text(value) for name, value in step.get("env", {}).items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.log += done.stdout
        self.code = self.code or done.returncode
        text = file.read_text() if file.exists() else ""
        found = {name: value.removesuffix("\n") for name, _, value in _OUTPUT.findall(text)}
        self.steps[step["id"]] = found

    def _own(self, output: Path) -> dict[str, str]:
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary.md"),
            "RUNNER_TEMP": str(self.home),
            **self.variables,
        }

    def _text(self, text: str) -> str:
        """A text with its expressions replaced."""
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self._value(found[1])), text)

    def _value(self, expression: str) -> Any:
        words = re.findall(r"'[^']*'|==|!=|&&|\|\||![\w]+\(\)|[\w.-]+(?:\(\))?", expression)
        known = {"==": "==", "!=": "!=", "&&": " and ", "||": " or "}
        known |= {"success()": str(self.code == 0), "!cancelled()": "True"}
        made = "".join(known.get(one) or one for one in map(self._looked_up, words))
        return eval(made, {"__builtins__": {}})

    def _looked_up(self, word: str) -> str:
        """A word of an expression; the value of one with a dot, as a text in Python."""
        context, dot, name = word.partition(".")
        if not dot or word.startswith("'"):
            return word
        step, _, output = name.partition(".outputs.")
        contexts: dict[str, Mapping[str, str]] = {
            "inputs": self.inputs,
            "github": {"token": self.token},
            "runner": {"temp": str(self.home)},
            "steps": {name: self.steps.get(step, {}).get(output, "")},
        }
        return repr(contexts[context][name])
