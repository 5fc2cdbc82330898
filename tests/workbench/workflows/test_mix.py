"""A plan balanced with a soundtrack: measured once a video, and the music as it will be played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.videos import grey, write_video
from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.plans.plan import LoopPlan
from workbench.store.home import Home
from workbench.workflows.mix import measure_soundtrack, mix_under

RATE = 44_100


def video_with(path: Path, samples: NDArray[np.float32]) -> Path:
    """A grey picture for as long as the sound."""
    pictures = [grey(128)] * round(5 * samples.size / RATE)
    return write_video(path, pictures, 5, sound=samples[np.newaxis, :], sample_rate=RATE)


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """Eight seconds of soft noise."""
    noise = 0.02 * np.random.default_rng(1).standard_normal(8 * RATE)
    return video_with(tmp_path / "noise.mp4", noise.astype(np.float32))


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """Eight seconds of the bundled narration, from its first word on."""
    voice = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    mono = resample(voice.mono(), voice.sample_rate, RATE)
    first = int(np.argmax(np.abs(mono) > 0.01))
    return video_with(tmp_path / "spoken.mp4", np.array(mono[first : first + 8 * RATE], dtype=np.float32))


@pytest.fixture
def plan() -> LoopPlan:
    return make_plan([(0.0, 5.0, 0.0, 0.0), (1.0, 4.0, 0.0, 0.0)], [0.02], [1.0], song_duration=6.0)


def tone(path: Path, level: float) -> Path:
    """Six seconds of a tone."""
    soundfile.write(path, level * np.sin(2 * np.pi * 440 * np.arange(6 * RATE) / RATE), RATE, subtype="FLOAT")
    return path


def test_a_soundtrack_is_measured_once(noisy: Path, tmp_path: Path) -> None:
    home, told = Home(tmp_path / "home"), list[str]()
    first = measure_soundtrack(Workspace(home), noisy)
    again = measure_soundtrack(Workspace(home, progress=lambda stage, share: told.append(stage)), noisy)
    assert told == []
    assert first.levels is not None
    assert again.levels is not None
    np.testing.assert_array_equal(first.levels.power, again.levels.power)


def test_under_noise_there_is_nothing_to_duck_for(noisy: Path, plan: LoopPlan, tmp_path: Path) -> None:
    mix = mix_under(Workspace(Home(tmp_path / "home")), plan, tone(tmp_path / "tone.wav", 0.1), noisy)
    assert (mix.voiceover, mix.classification) == (False, "ambient")
    assert (mix.duck, mix.music_gain_db) == (None, None)


def test_louder_music_is_turned_down_by_as_much_more_under_a_voice(
    spoken: Path, plan: LoopPlan, tmp_path: Path
) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    soft, loud = (mix_under(workspace, plan, tone(tmp_path / f"{level}.wav", level), spoken) for level in (0.05, 0.5))
    assert soft.voiceover
    assert soft.duck is not None
    assert soft.music_gain_db is not None
    assert loud.music_gain_db is not None
    assert soft.music_gain_db - loud.music_gain_db == pytest.approx(20.0, abs=0.2)
