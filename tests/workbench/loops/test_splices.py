"""Which splices a plan may use."""

from __future__ import annotations

import numpy as np

from workbench.loops.splices import with_room


def test_a_splice_into_the_first_bar_makes_room_for_its_fade() -> None:
    lines = np.array([60.0, 60.0, 60.0, 60.0])
    song_to, song_from, fade = with_room(
        np.array([60.0, 60.0, 60.009, 60.0]), np.array([0.0, 0.004, 0.001, 0.5]), np.array([0.1, 0.02, 0.1, 0.1]), lines
    )
    np.testing.assert_allclose(song_to, [60.008, 60.006, 60.009, 60.0])
    np.testing.assert_allclose(song_from, [0.008, 0.010, 0.001, 0.5])
    np.testing.assert_allclose(fade, [0.016, 0.02, 0.1, 0.1], atol=3e-6)
