"""Samples a machine at most twice a second while a trial is measured, and its own cost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from time import thread_time

from httpdyno.host.activity import Activity
from httpdyno.host.use import sample_between
from httpdyno.outcome import MachineSample

EVERY_S = 0.5
MOST_SAMPLES = 600
"""A longer trial is sampled less often: every second sample is dropped, and the pauses double."""


class Sampler:
    """A thread that reads the counters; `stop` gives the readings of the window."""

    def __init__(self, read: Callable[[], Activity], every_s: float = EVERY_S) -> None:
        self._read = read
        self._every_s = every_s
        self._ended = threading.Event()
        self._cost_s = 0.0
        self._readings = [read()]
        self._thread = threading.Thread(target=self._run, name="machine sampler", daemon=True)
        self._thread.start()

    def stop(self) -> tuple[Activity, Activity, list[MachineSample], float]:
        """Ends it: the first and the last reading, the samples, and their CPU time in seconds."""
        self._ended.set()
        self._thread.join()
        readings = [*self._readings, self._read()]
        first = readings[0]
        pairs = pairwise(readings)
        samples = [sample_between(first, before, after) for before, after in pairs]
        return first, readings[-1], samples, self._cost_s

    def _run(self) -> None:
        while not self._ended.wait(self._every_s):
            self._readings.append(self._read())
            if len(self._readings) > MOST_SAMPLES:
                self._readings = self._readings[::2]
                self._every_s *= 2
            self._cost_s = thread_time()
