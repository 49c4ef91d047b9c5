"""The verbs of `httpdyno`: their modules, and their summaries for the help."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["VERBS", "Verb"]


class Verb(NamedTuple):
    """The module and name of a verb (a function or a command of Click), and its summary."""

    module: str
    attribute: str
    summary: str


VERBS = {
    "load": Verb("load.verb", "load", "Put one URL under load and report what it did."),
    "sweep": Verb(
        "sweep.verb", "command", "Measure a server at several rates: where does it stop keeping up?"
    ),
    "run": Verb(
        "run.verb", "run", "Run a study of servers, workloads and loads, and write a report."
    ),
    "capacity": Verb(
        "capacity.verb", "capacity", "Find the highest rate at which servers hold limits."
    ),
    "compare": Verb(
        "compare.verb", "compare", "Compare two builds of a server: is B slower, and how sure?"
    ),
    "ci": Verb("ci", "ci", "Compare a pull request with its target, in a job of CI."),
    "init": Verb("init.verb", "init", "Write a study to begin with, or of your own server."),
    "servers": Verb("servers.verb", "app", "List, install, check and start servers."),
    "serve": Verb("serve.verb", "serve", "Show stored runs and those under way on a page."),
    "report": Verb("report.verb", "report", "Write the report of a study again, in any format."),
    "publish": Verb("report.publish", "publish", "Write a static site of several studies."),
    "runs": Verb("runs.verb", "app", "List, show, export, import and delete stored runs."),
    "history": Verb(
        "history.verb",
        "history",
        "Show how the numbers of stored runs changed, and what changed with them.",
    ),
    "httperf": Verb(
        "compat.httperf.verb", "command", "Load a server as httperf does: its options, its output."
    ),
    "ab": Verb(
        "compat.ab.verb", "command", "Benchmark one URL as ab does: its options, its output."
    ),
    "hosts": Verb("hosts.verb", "app", "Use several machines: certificates, check, start and end."),
    "worker": Verb(
        "hosts.worker", "worker", "Join a scheduler, and send load for its coordinators."
    ),
    "scheduler": Verb(
        "hosts.scheduler", "scheduler", "Start a scheduler, where machines and coordinators meet."
    ),
    "reference": Verb("reference", "reference", "Start the reference server."),
    "doctor": Verb(
        "doctor", "doctor", "Show what this machine allows, and what that means for results."
    ),
    "completion": Verb(
        "completion.verb", "app", "Print the script that completes commands in a shell."
    ),
}
