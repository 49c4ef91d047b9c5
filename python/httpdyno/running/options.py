"""The options of a run of a study, beyond its file."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from httpdyno.output.secrets import masked_line
from httpdyno.running.machines.site import Site
from httpdyno.servers import Server
from httpdyno.verdict import Settings

RESUME = "--resume"
_OF_THE_PAGE = ("--serve", "--stay")
_ADDRESS = "--listen"


@dataclass(frozen=True)
class RunOptions:
    """The files of one run, and whether it begins or resumes."""

    arguments: Sequence[str]
    """The command line, after `httpdyno`."""
    results: Path | None = None
    """Folder of the report and of the servers' logs; None: the run's own, in the data folder."""
    resume: bool = False
    servers: Sequence[Path] = ()
    """`server.toml` files outside the catalogue."""
    made: Sequence[Server] = ()
    """Servers that no file declares as they are, such as those of two revisions."""
    settings: Settings = "keys"
    """The names of settings in hints, as in `judge`."""
    store_url: str | None = None
    """The database of results; None: the user's own."""
    needs_an_arm: bool = False
    """Without any arm that can be measured there is an error instead of a report."""
    site: Site | None = None
    """The machines of the run; None: this one."""
    is_of_action: bool = False
    """action.yml makes the command line, of its inputs."""
    interrupted: Callable[[], bool] = bool
    """True once the user wants the run to end. Asked between trials, because Python drops a
    KeyboardInterrupt that is raised in a destructor."""

    @property
    def command(self) -> str:
        """The command that begins this run, without secrets in its URLs and in its commands."""
        return shlex.join(["httpdyno", *map(masked_line, _lasting(self.arguments))])

    @property
    def resume_command(self) -> str:
        """The command that resumes this run."""
        return f"{self.command} {RESUME}"


def _lasting(words: Sequence[str]) -> Iterator[str]:
    """The words that say what is measured: without `--resume` and the flags of the page."""
    before = ""
    for word in words:
        if _ADDRESS not in (before, word.partition("=")[0]):
            yield from () if word in (RESUME, *_OF_THE_PAGE) else (word,)
        before = word
