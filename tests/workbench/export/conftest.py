"""A short track, a short video and plans on them, under names that no careless writer survives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.videos import grey, write_video
from tests.workbench.played import make_plan
from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.export.envelope import TOLERANCE_DB
from workbench.media.audio import decode
from workbench.media.probe import probe
from workbench.mix.fades import duck_gain
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray, Recording
from workbench.render.playback import render
from workbench.render.schedule import Music, PlacedTrack, place_track
from workbench.results.mix import DuckBody, MixBody
from workbench.store.home import Home
from workbench.workflows.export import export_plan

RATE = 44_100
TRACK_SECONDS = 12.0
VIDEO_RATE = Fraction(30000, 1001)


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that track and video lie in."""
    return tmp_path_factory.mktemp("größte Filme & 'Töne'")


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """What plans are exported in."""
    with Workspace(Home(tmp_path_factory.mktemp("home"))) as workspace:
        yield workspace


@pytest.fixture(scope="session")
def track(media: Path) -> Path:
    """Twelve seconds of stereo noise whose every stretch is unlike every other, in 24 bits."""
    path = media / 'Ärger & "Lärm" it\'s #1 100%; a b.wav'
    noise = 0.2 * np.random.default_rng(5).standard_normal((round(TRACK_SECONDS * RATE), 2))
    soundfile.write(path, np.clip(noise, -0.9, 0.9), RATE, subtype="PCM_24")
    return path


@pytest.fixture(scope="session")
def exported(workspace: Workspace, track: Path) -> Callable[..., Path]:
    """`exported(format, plan, video=…, mix=…)` exports beside the track, under one name for all."""

    def export(name: str, plan: Music, **given: Any) -> Path:
        out = track.parent / f"edit{extensions.find(extensions.EXPORT_FORMATS, name).suffix or track.suffix}"
        return export_plan(workspace, plan, name, out, track=track, **given)

    return export


@pytest.fixture(scope="session")
def recording(track: Path) -> Recording:
    """The track, decoded."""
    return decode(track)


@pytest.fixture(scope="session")
def video(media: Path) -> Path:
    """Seventeen seconds and a bit at 30000/1001 pictures a second, with sound at 48 kHz."""
    path = media / "Der Film <1> & Co.mp4"
    frames, rate = 510, 48_000
    sound = (0.1 * np.random.default_rng(6).standard_normal((2, round(frames / VIDEO_RATE * rate)))).astype(np.float32)
    shades = (grey(40 + k % 150, 64, 36) for k in range(frames))
    return write_video(path, shades, VIDEO_RATE, sound=sound, sample_rate=rate)


@pytest.fixture(scope="session")
def plan() -> LoopPlan:
    """Four segments, 17 s: crossfades of three lengths and exponents, levels that glide, a long fade at the end."""
    return make_plan(
        [(0.31, 5.123457, 0.0, 0.0), (2.0, 6.25, -1.5, 2.0), (2.0, 6.0, 1.0, -3.0), (1.2345, 5.183543, 0.0, 0.5)],
        [0.05, 0.2, 0.012],
        [1.0, 0.5, 0.73],
        song_duration=TRACK_SECONDS,
        glide=1.5,
        end_fade=1.75,
        start_fade=0.25,
    )


@pytest.fixture(scope="session")
def late_plan() -> LoopPlan:
    """Two segments that start late and end on the track's last sound."""
    return make_plan(
        [(0.0, 6.0, 0.0, 0.0), (4.0, 11.5, 0.0, 0.0)],
        [0.1],
        [1.0],
        song_duration=TRACK_SECONDS,
        music_in=0.777,
        tail=0.4,
        end_fade=0.4,
        ends_with_track=True,
    )


@pytest.fixture(params=[3.25, -2.5, 8.0], ids=["whole", "without its head", "cut off"])
def placed(request: pytest.FixtureRequest, video: Path) -> PlacedTrack:
    """The track, laid straight under the video at three places."""
    return place_track(request.param, TRACK_SECONDS, probe(video).duration)


@pytest.fixture(scope="session")
def mix() -> MixBody:
    """The music 4 dB down, and 14 dB further under two utterances; the soundtrack 2 dB up."""
    points = [[1.0, 0.0], [1.4, 14.0], [3.2, 14.0], [4.4, 0.0], [9.1, 0.0], [9.3, 9.5], [10.0, 9.5], [11.0, 0.0]]
    duck = DuckBody(
        envelope_points=points, envelope_hz=100, speech_ranges=[[1.4, 3.1], [9.3, 9.9]], depth_db=14.0,
        attack_ms=400, release_ms=1200,
    )  # fmt: skip
    return MixBody(voiceover=True, classification="voice", music_gain_db=-4.0, video_gain_db=2.0, duck=duck)


@pytest.fixture(params=[False, True], ids=["bare", "mixed"])
def any_mix(request: pytest.FixtureRequest, mix: MixBody) -> MixBody | None:
    """No mix, then the mix: what is read back must be played like either."""
    return mix if request.param else None


@pytest.fixture(scope="session")
def envelope_db() -> float:
    """Level of what is left between two sounds that differ by what an envelope may leave its curve by: -30.7 dB."""
    return float(20 * np.log10(10 ** (TOLERANCE_DB / 20) - 1))


@pytest.fixture(scope="session")
def residue_db(recording: Recording) -> Callable[..., float]:
    """How far what an edit plays is from what the renderer plays, a plan with a mix or without.

    Takes the sound, shape (channels, n), plan and mix; `padded` where an edit may end with its last sound; what is not
    compared: `skip` samples at the beginning, what follows sample `until`, and `beside_seams` s to both sides of every
    crossfade. `matched` takes out the level that an envelope is off by, which leaves what is played at a wrong place.
    Returns the level of the difference over its loudest 10 ms against that of the renderer's sound, dB RMS.
    """

    @cache
    def rendered(plan: Music) -> FloatArray:
        return render(plan, recording).samples.astype(np.float64)

    def compare(
        made: FloatArray,
        plan: Music,
        mix: MixBody | None = None,
        *,
        padded: bool = False,
        skip: int = 0,
        until: int | None = None,
        beside_seams: float = 0.0,
        matched: bool = False,
    ) -> float:
        meant = _mixed(rendered(plan), recording.sample_rate, mix)
        if padded:
            made = np.pad(made, ((0, 0), (0, max(0, meant.shape[1] - made.shape[1]))))
        assert abs(made.shape[1] - meant.shape[1]) <= 1
        n, block = min(made.shape[1], meant.shape[1], until or meant.shape[1]), 441
        played = _at_level(made[:, :n], meant[:, :n], block // 21) if matched else made[:, :n]
        residue = played - meant[:, :n]
        if beside_seams and isinstance(plan, LoopPlan):
            for time, fade in zip(plan.seam_times, plan.seam_fades, strict=True):
                reach = fade / 2 + beside_seams
                residue[:, round((time - reach) * RATE) : round((time + reach) * RATE)] = 0.0
        residue = residue[:, skip : skip + (n - skip) // block * block]
        worst = float(np.sqrt(np.mean(residue.reshape(made.shape[0], -1, block) ** 2, axis=(0, 2)).max()))
        return float(20 * np.log10(max(worst, 1e-12) / np.sqrt(np.mean(meant[:, skip:] ** 2))))

    return compare


def _at_level(made: FloatArray, meant: FloatArray, block: int) -> FloatArray:
    """What an edit plays, each stretch of `block` samples at the level that is meant."""
    whole = made.shape[1] // block * block
    matched = made.copy()
    ours = made[:, :whole].reshape(made.shape[0], -1, block)
    theirs = meant[:, :whole].reshape(made.shape[0], -1, block)
    gain = np.sum(ours * theirs, axis=(0, 2)) / np.maximum(np.sum(ours**2, axis=(0, 2)), 1e-12)
    matched[:, :whole] = (ours * gain[:, None]).reshape(made.shape[0], -1)
    return matched


def _mixed(sound: FloatArray, rate: int, mix: MixBody | None) -> FloatArray:
    """The music at its level and out of the way of the voice."""
    if mix is None or mix.duck is None or mix.music_gain_db is None:
        return sound
    times = np.arange(sound.shape[1]) / rate
    return np.asarray(sound * duck_gain(mix.duck.envelope_points, times) * 10 ** (mix.music_gain_db / 20))
