"""Files for delivery: measured as written, under a video with a voice and without one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.videos import grey, write_video
from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.params import DELIVERY_TARGETS
from workbench.recording import Recording
from workbench.render.schedule import PlacedTrack, place_track
from workbench.render.video import Playback
from workbench.results.mix import MixBody
from workbench.workflows.render import Delivery, render_measured, speech_ranges

SECONDS, RATE = 30, 48_000


@pytest.fixture(scope="module")
def music() -> Recording:
    return decode(bundled_path("data", "bundled", "music", "harbour_lights.ogg"))


@pytest.fixture
def placed(music: Recording) -> PlacedTrack:
    return place_track(0.0, music.duration, float(SECONDS))


@pytest.fixture(scope="module")
def spoken_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty seconds of grey under the bundled narration."""
    narration = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    voice = resample(narration.mono(), narration.sample_rate, RATE)[: SECONDS * RATE]
    return draw(tmp_path_factory.mktemp("video") / "spoken.mp4", np.tile(voice, (2, 1)))


@pytest.fixture(scope="module")
def noisy_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty seconds of grey under soft noise."""
    noise = np.random.default_rng(1).normal(0, 0.003, (2, SECONDS * RATE))
    return draw(tmp_path_factory.mktemp("video") / "noisy.mp4", noise)


def draw(path: Path, sound: np.ndarray) -> Path:
    pictures = (grey(k % 250) for k in range(10 * SECONDS))
    return write_video(path, pictures, 10, sound=sound.astype(np.float32), sample_rate=RATE)


@pytest.mark.parametrize("suffix", [".wav", ".mp3"])
def test_music_alone_is_delivered(
    workspace: Workspace, placed: PlacedTrack, music: Recording, tmp_path: Path, suffix: str
) -> None:
    """A lossy file keeps the ceiling too."""
    rendered = render_measured(
        workspace, Playback(placed, music), tmp_path / f"music{suffix}", delivery=Delivery("podcast")
    )
    assert rendered.levels.loudness_lufs == pytest.approx(-16.0, abs=0.3)
    assert rendered.levels.true_peak_dbtp <= -1.0 + 0.02
    assert rendered.shortfalls == ()
    assert rendered.speech is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["web", "ebu-r128", "dialogue"])
def test_a_video_with_a_voice_is_delivered(
    workspace: Workspace, placed: PlacedTrack, music: Recording, spoken_video: Path, tmp_path: Path, name: str
) -> None:
    """Without a mix the voice is found in the soundtrack."""
    target = DELIVERY_TARGETS[name]
    rendered = render_measured(
        workspace, Playback(placed, music), tmp_path / "out.mp4", spoken_video, delivery=Delivery(name)
    )
    levels = rendered.levels
    measured = levels.dialogue_lufs if name == "dialogue" else levels.loudness_lufs
    assert measured == pytest.approx(target.loudness_lufs, abs=0.2)
    assert levels.true_peak_dbtp <= target.ceiling_dbtp
    assert levels.dialogue_share > 0.15
    assert rendered.speech
    assert rendered.shortfalls == ()


def test_a_video_without_a_voice_says_so(
    workspace: Workspace, placed: PlacedTrack, music: Recording, noisy_video: Path, tmp_path: Path
) -> None:
    rendered = render_measured(
        workspace, Playback(placed, music), tmp_path / "out.mp4", noisy_video, delivery=Delivery("dialogue")
    )
    assert rendered.speech == ()
    assert rendered.levels.dialogue_lufs is None
    assert rendered.levels.loudness_lufs == pytest.approx(-24.0, abs=0.2)
    assert rendered.shortfalls == ("dialogue: no speech was found, so the whole is brought to -24 LUFS instead",)


def test_without_a_target_nobody_looks_for_speech(
    workspace: Workspace, placed: PlacedTrack, music: Recording, spoken_video: Path, tmp_path: Path
) -> None:
    rendered = render_measured(workspace, Playback(placed, music), tmp_path / "out.mp4", spoken_video)
    assert (rendered.speech, rendered.gain, rendered.levels.dialogue_lufs) == (None, None, None)


def test_the_speech_of_a_mix_is_taken_as_it_is(workspace: Workspace, tmp_path: Path) -> None:
    """No file is read for it."""
    duck = {"envelope_points": [[1.0, 0.0], [2.0, 9.0]], "envelope_hz": 100, "speech_ranges": [[2.0, 3.5]],
            "depth_db": 9.0, "attack_ms": 1, "release_ms": 1}  # fmt: skip
    mix = MixBody.model_validate(
        {"voiceover": True, "classification": "voice", "music_gain_db": 0, "video_gain_db": 0, "duck": duck}
    )
    assert speech_ranges(workspace, tmp_path / "absent.mp4", mix) == ((2.0, 3.5),)


def test_an_unknown_target_is_refused_with_those_there_are(
    workspace: Workspace, placed: PlacedTrack, music: Recording, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match="no target loud; there are web, podcast, ebu-r128"):
        render_measured(workspace, Playback(placed, music), tmp_path / "music.wav", delivery=Delivery("loud"))
