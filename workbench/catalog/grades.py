"""What the grades of the reference sets are worth, so that scores of match and of underscore mean the same."""

from __future__ import annotations

import numpy as np

TAKEN = np.array([0.0, 0.2, 0.7, 1.0])
"""how surely an editor takes a track of each grade, 0 to 3"""
