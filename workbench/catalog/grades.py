"""The worth of each grade of the reference sets: scores of match and of underscore are fitted to the same scale."""

from __future__ import annotations

import numpy as np

TAKEN = np.array([0.0, 0.2, 0.7, 1.0])
"""probability that an editor takes a track of each grade, 0 to 3"""
