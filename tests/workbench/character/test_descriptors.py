"""Sound vectors: likeness falls with distance, and what is not known says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS, SoundFacts, rhythm_shape, sound_vector


class TestSoundVector:
    def test_unit_length_and_known_size(self) -> None:
        vector = sound_vector(SoundFacts(bpm=100, energy=0.5, contour=np.linspace(0, 1, CONTOUR_PARTS)))
        assert vector.shape == (SOUND_DIMS,)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)
        assert not sound_vector(SoundFacts()).any()

    def test_likeness_falls_with_distance(self) -> None:
        wish = sound_vector(SoundFacts(bpm=120, energy=0.8))
        likeness = [float(wish @ sound_vector(SoundFacts(bpm=bpm, energy=0.8))) for bpm in (120, 110, 90, 60)]
        assert likeness == sorted(likeness, reverse=True)
        assert likeness[0] == pytest.approx(1.0, abs=1e-6)

    def test_what_a_wish_leaves_open_does_not_change_the_order(self) -> None:
        wish = sound_vector(SoundFacts(energy=0.9))
        loud, soft = (sound_vector(SoundFacts(energy=e, bpm=100, drums=0.5)) for e in (0.9, 0.2))
        assert float(wish @ loud) > float(wish @ soft)

    def test_a_rhythm_needs_two_bar_lines(self) -> None:
        assert not rhythm_shape(np.ones(500), 100, np.array([1.0])).any()
        attack = np.zeros(1000)
        attack[np.arange(0, 1000, 200)] = 1.0
        assert rhythm_shape(attack, 100, np.arange(0.0, 10.0, 2.0)).argmax() == 0
