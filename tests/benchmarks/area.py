"""Area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def auc(good: NDArray[np.floating] | Sequence[float], bad: NDArray[np.floating] | Sequence[float]) -> float:
    """How often one of the good scores above one of the bad, ties counting half; neither may be empty."""
    a, b = np.asarray(good)[:, None], np.asarray(bad)[None, :]
    return float(np.mean((a > b) + 0.5 * (a == b)))
