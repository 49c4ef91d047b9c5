"""The study of a comparison: its arms, one workload, its loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from httpdyno.comparison.loads import Loads
from httpdyno.comparison.words import begin_sentence
from httpdyno.output.slugs import slug
from httpdyno.run import study_of_values
from httpdyno.servers import Catalogue
from httpdyno.study import Study
from httpdyno.study.own.workload import OwnWorkload

Keys = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """The requests to the servers: the name of their workload, and the keys of a study."""

    name: str
    keys: Mapping[str, Any]

    @property
    def calls(self) -> int | None:
        """The calls of a session; None: the workload is none."""
        table = self._table
        if not table.get("session"):
            return None
        return sum(int(one.get("weight", 1)) for one in table["requests"])

    @property
    def has_several(self) -> bool:
        """True if it has several requests, which may be several endpoints."""
        return len(self._table.get("requests", ())) > 1

    @property
    def without_pauses(self) -> Work:
        """The same requests without think times: a user who pauses keeps no server busy, so at full
        speed they would hide how fast it is."""
        if self.calls is None:
            return self
        requests = [
            {key: value for key, value in one.items() if key != "think"}
            for one in self._table["requests"]
        ]
        table = {**self._table, "requests": requests}
        return Work(self.name, {**self.keys, "workloads": {self.name: table}})

    @property
    def pauses(self) -> list[float]:
        """The think times (s) behind the requests of its session; empty: it names none."""
        table = self._table
        return OwnWorkload.model_validate(table).pauses if table else []

    @property
    def _table(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.keys.get("workloads", {}).get(self.name, {})
        return found


def get_path(path: str, *, any_body: bool) -> Work:
    """A GET of this path. Every reply must have the body of the server's first one."""
    name, expect = f"GET {path}"[:80], {} if any_body else {"same": True}
    table = {"requests": [{"path": path, "expect": expect}]}
    return Work(name, {"workload": name, "workloads": {name: table}})


def comparison_keys(
    arms: Sequence[Keys],
    names: tuple[str, str],
    work: Work,
    loads: Loads,
    *,
    blocks: int,
    seed: int,
    warm_up: float,
) -> Keys:
    """The keys of the study. `names`: of the baseline and of the changed arm."""
    baseline, changed = names
    return {
        "title": begin_sentence(f"{changed} compared with {baseline}"),
        "question": f"Is {changed} slower than {baseline}?",
        "blocks": blocks,
        "seed": seed,
        "warm_up": warm_up,
        **work.keys,
        "arms": list(arms),
        "loads": {
            name: load.model_dump(mode="json", exclude_unset=True) for name, load in loads.items()
        },
    }


def comparison_study(keys: Keys, names: tuple[str, str], catalogue: Catalogue) -> Study:
    """The study with these keys. Raises UsageError with every fault."""
    baseline, changed = names
    return study_of_values(keys, slug("compare", changed, "with", baseline), catalogue)
