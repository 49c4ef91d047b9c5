"""The allowance of a level's interval for trials that are alike because they follow each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
_MOST = 0.6
"""The largest correlation that is allowed for: it makes an interval twice as wide."""


def allowance(values: Values) -> Values:
    """The factor of an interval's width for values in the order of time: 1 to 2.

    With a correlation r of successive values, a mean varies √((1 + r) ÷ (1 - r)) times as much as
    that of independent ones. The estimate of r is corrected for its bias, -(1 + 3r) ÷ n: M. G.
    Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41 (1954). A negative
    one makes no interval narrower.
    """
    n = values.shape[-1]
    away = values - values.mean(axis=-1, keepdims=True)
    squares = (away**2).sum(axis=-1)
    products = (away[..., 1:] * away[..., :-1]).sum(axis=-1)
    found = products / np.where(squares > 0, squares, 1)
    r = np.clip((n * found + 1) / max(n - 3, 1), 0, _MOST)
    factor: Values = np.sqrt((1 + r) / (1 - r))
    return factor
