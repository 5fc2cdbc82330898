"""Pictures of seams: they can be read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

from workbench.plots.seams import SeamView, seam_figure
from workbench.recording import Recording
from workbench.seams.profile import SEAM_PARTS

Check = Callable[[Figure], None]


def test_a_seam(check_legible: Check) -> None:
    noise = Recording.from_samples(0.1 * np.random.default_rng(0).standard_normal((2, 8 * 22_050)), 22_050)
    parts = np.linspace(0.3, 1.0, len(SEAM_PARTS))
    beats = np.array([[0.5 * k, k % 4 == 0] for k in range(-7, 8)], dtype=float)
    view = SeamView(
        12, 3721.0, 95.0, 31.0, noise, noise, noise, 4.0, 0.05, beats, 0.87, parts, 0.3,
        np.random.default_rng(1).uniform(0.3, 1.0, (len(SEAM_PARTS), 30)),
    )  # fmt: skip
    check_legible(seam_figure(view))
