"""Balance a plan with a clip's own sound: measure the footage, play the plan to a meter, and let `mix.balance` decide.

The footage is measured once a clip and kept in the store: its loudness curve and the probability of speech, both on the
video's clock. The music is measured as it will be played, seams and gains included.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.media.audio import decode, decode_blocks
from workbench.media.containers import hash_file
from workbench.media.probe import probe
from workbench.mix.balance import Footage, Mix, plan_mix
from workbench.mix.levels import LevelCurve, level_curve_of_blocks
from workbench.params import WorkbenchParams
from workbench.recording import FloatArray, VideoSeconds
from workbench.render.playback import render_blocks
from workbench.store.fingerprint import StageKey
from workbench.workflows.analyze import store_of
from workbench.workflows.progress import Progress, silent

FOOTAGE_VERSION = 1
"""Raise it when the code that measures footage changes its results."""


def mix_under(
    plan: LoopPlan,
    song: Path,
    video: Path,
    home: Home | None = None,
    params: WorkbenchParams | None = None,
    progress: Progress = silent,
) -> Mix:
    """Levels and ducking for a plan under a clip.

    Parameters
    ----------
    plan : of the song, for the clip
    song, video : their files
    home : whose store is used; None: the one that settings choose
    params : those of voice and duck matter
    progress : told what is being done

    Raises
    ------
    MediaError : the song or the clip cannot be read
    """
    params = params or WorkbenchParams()
    footage = measure_footage(video, home, progress)
    recording = decode(song)
    played = level_curve_of_blocks(render_blocks(plan, recording, params.render), recording.sample_rate)
    return plan_mix(footage, played, plan.window_end, params.voice, params.duck)


def measure_footage(video: Path, home: Home | None = None, progress: Progress = silent) -> Footage:
    """What a clip's own sound is like, from the store or measured now.

    Raises
    ------
    MediaError : the clip cannot be read
    """
    info = probe(video)
    if not info.has_audio:
        return Footage.without_sound()

    def compute() -> dict[str, NDArray[Any]]:
        from workbench.media.speech import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities

        stage = f"listening for speech in {video.name}"
        progress(stage, 0.0)
        rate = info.sample_rate or SAMPLE_RATE
        levels = level_curve_of_blocks((block.samples for block in decode_blocks(video, sample_rate=rate)), rate)
        speech = speech_probabilities(_mono_for_speech(video, info.duration, stage, progress))
        progress(stage, 1.0)
        return {
            "footage_power": levels.power,
            "footage_peak": np.array(levels.peak, dtype=np.float64),
            "speech": np.asarray(speech, dtype=np.float32),
            "speech_frame_seconds": np.array(FRAME_SECONDS, dtype=np.float64),
        }

    arrays = store_of(home).load_or_compute(StageKey.of(hash_file(video), "footage", FOOTAGE_VERSION), compute)
    levels = LevelCurve(arrays["footage_power"], float(arrays["footage_peak"]))
    return Footage(levels, arrays["speech"], float(arrays["speech_frame_seconds"]))


def _mono_for_speech(video: Path, seconds: VideoSeconds, stage: str, progress: Progress) -> Iterator[FloatArray]:
    """The sound as the speech detector wants it, told as it passes."""
    from workbench.media.speech import SAMPLE_RATE

    for block in decode_blocks(video, sample_rate=SAMPLE_RATE):
        yield block.samples.mean(axis=0, dtype=np.float32)
        progress(stage, min(1.0, (block.start + block.samples.shape[1] / SAMPLE_RATE) / max(seconds, 1.0)))
