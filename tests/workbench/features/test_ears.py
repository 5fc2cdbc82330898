from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from workbench.analysis.character import analysis_name, measure_track
from workbench.analysis.workspace import Workspace
from workbench.features.ears import RATE, cheerfulness, tag_chances
from workbench.features.spectrum import resampled
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio
from workbench.params import CatalogParams
from workbench.recording import FloatArray
from workbench.store.home import Home

pytest.importorskip("onnxruntime", reason="onnxruntime, of the extra ears, is not installed")
NAMES = ("blue_corner", "iron_procession")


@pytest.fixture(scope="module")
def sounds() -> Mapping[str, FloatArray]:
    """Twelve seconds of a swing tune and of a grim march."""
    found = {}
    for name in NAMES:
        recording = decode(bundled_path("data", "bundled", "music", f"{name}.ogg"))
        found[name] = resampled(recording.samples, recording.sample_rate, RATE)[20 * RATE : 32 * RATE]
    return found


def test_a_swing_tune_is_more_cheerful_than_a_march(sounds: Mapping[str, FloatArray]) -> None:
    swing, march = (cheerfulness(tag_chances(sounds[name])) for name in NAMES)
    assert swing is not None
    assert march is not None
    assert 1.0 >= swing > march >= 0.0
    assert cheerfulness(tag_chances(sounds["blue_corner"].copy())) == swing


@pytest.mark.parametrize("samples", [np.zeros(0), np.zeros(10 * RATE), np.full(RATE, 0.1)])
def test_silence_and_a_short_sound_say_nothing(samples: FloatArray) -> None:
    assert cheerfulness(tag_chances(samples.astype(np.float32))) is None


def test_a_track_is_measured_with_ears_only_where_a_parameter_asks(
    sounds: Mapping[str, FloatArray], tmp_path: Path
) -> None:
    track = tmp_path / "swing.wav"
    write_audio(track, [sounds["blue_corner"][np.newaxis]], RATE, 1)
    plain = Workspace(Home(tmp_path / "home"))
    asked = plain.with_params(plain.params.model_copy(update={"catalog": CatalogParams(ears="on")}))
    before, after = measure_track(plain, track), measure_track(asked, track)
    assert analysis_name(plain.params) == before.analysis != after.analysis
    assert "tagged_valence" not in before.facts
    assert {name: value for name, value in after.facts.items() if name != "tagged_valence"} == before.facts
    assert after.facts["tagged_valence"] == pytest.approx(cheerfulness(tag_chances(sounds["blue_corner"])), abs=0.01)
