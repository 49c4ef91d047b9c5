"""All that is wrong with a command line, told at once."""

from __future__ import annotations

from httpdyno.errors import UsageError

__all__ = ["Faults"]


class Faults:
    """Collects one sentence a fault, and raises them together."""

    def __init__(self, help_command: str) -> None:
        self._help_command = help_command
        self._sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """One fault: its subject in backticks, what was given, what was expected."""
        self._sentences.append(sentence)

    def raise_any(self) -> None:
        """Raise UsageError with every fault; do nothing when there is none."""
        if not self._sentences:
            return
        if len(self._sentences) == 1:
            message = self._sentences[0]
        else:
            lines = "".join(f"\n  {sentence}" for sentence in self._sentences)
            message = f"{len(self._sentences)} flags cannot be used as given:{lines}"
        raise UsageError(message, hint=self._help_command)
