from __future__ import annotations

import numpy as np
import pytest

from workbench.demo.scenes.sounds import BEDS, RATE, SOUNDS, Bed, Cue, ambience
from workbench.demo.video import SHOTS
from workbench.features.loudness import integrated_lufs


@pytest.mark.parametrize("kind", ["night", "rain", "train"])
def test_a_bed_is_as_loud_as_asked(kind: str) -> None:
    sound = ambience([(0.0, Bed(kind, -34))], [], 11.0)
    assert sound.shape == (2, 11 * RATE)
    assert integrated_lufs(sound, RATE) == pytest.approx(-34, abs=0.7)


def test_beds_follow_each_other_without_a_gap_or_a_click() -> None:
    sound = ambience([(0.0, Bed("wind", -30)), (2.0, Bed("hall", -30))], [], 4.0)
    near = sound[:, int(1.96 * RATE) : int(2.04 * RATE)]
    assert np.sqrt(np.mean(near**2)) > 0.003
    assert np.abs(np.diff(near)).max() < 0.05


def test_silence_is_silent_and_a_cue_sounds_where_it_should() -> None:
    sound = ambience([(0.0, None)], [Cue(1.5, "hit"), Cue(9.0, "hit")], 3.0)
    assert np.abs(sound[:, : int(1.5 * RATE)]).max() == 0
    assert np.abs(sound[:, int(1.5 * RATE) : int(1.6 * RATE)]).max() > 0.1


def test_every_sound_that_the_video_asks_for_exists() -> None:
    assert {shot.bed.kind for shot in SHOTS if shot.bed} <= set(BEDS)
    assert {cue.kind for shot in SHOTS for cue in shot.cues} <= set(SOUNDS)
