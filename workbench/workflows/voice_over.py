"""Music under a spoken recording, without a video: measure both once, then mix them with any ducking parameters.

The same as `mix_under` for a plan under a video, but for two sound files, so that ducking can be tried in
seconds.

Classes: `VoiceOver`, the measured sounds; `VoiceOverMix`. Functions: `load_voice_over`, `mix_voice_over`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.features.levels import level_curve
from workbench.features.speech_probability import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.media.audio import decode, resample
from workbench.mix.balance import Mix, plan_mix
from workbench.mix.fades import duck_gain
from workbench.params import DuckParams, WorkbenchParams
from workbench.recording import MonoMixer, Recording
from workbench.render.video import gains_of
from workbench.video.bands import BandMeter
from workbench.video.pitch import PitchMeter
from workbench.video.utterances import SoundtrackMeasure
from workbench.video.voice_network import VoiceMeter


@dataclass(frozen=True, slots=True, eq=False)
class VoiceOver:
    """A voice and the music under it, both mono and at one sample rate, with the measures of the voice."""

    voice: Recording
    music: Recording
    measured: SoundtrackMeasure


@dataclass(frozen=True, slots=True, eq=False)
class VoiceOverMix:
    """A mix and its sound."""

    mix: Mix  # its `duck` is None without speech in the foreground
    both: Recording  # voice and music together, turned down where they would exceed full scale
    music: Recording  # the music alone, as it is in `both`

    @property
    def envelope(self) -> tuple[tuple[float, float], ...]:
        """Time in seconds and attenuation of the music in dB, positive; empty without ducking."""
        return gains_of(self.mix).duck_points

    @property
    def speech_ranges(self) -> tuple[tuple[float, float], ...]:
        """Seconds from and to of each speech range that the music is ducked under; empty without ducking."""
        return gains_of(self.mix).speech_ranges


def load_voice_over(voice: Path, music: Path, seconds: float) -> VoiceOver:
    """Decode the first seconds of a voice and as much of the music under it, and measure the voice."""
    spoken = _mono(decode(voice), None, seconds)
    sound = resample(spoken.samples[0], spoken.sample_rate, SAMPLE_RATE)
    bands, pitches, odds = BandMeter(), PitchMeter(), VoiceMeter()
    for meter in (bands, pitches, odds):
        meter.add(sound)
    levels = level_curve(spoken.samples, spoken.sample_rate)
    measured = SoundtrackMeasure(
        levels, speech_probabilities([sound]), FRAME_SECONDS, bands.powers(), pitches.pitches(), odds.log_odds(), voice
    )
    return VoiceOver(spoken, _mono(decode(music), spoken.sample_rate, spoken.duration), measured)


def mix_voice_over(sounds: VoiceOver, params: DuckParams | None = None) -> VoiceOverMix:
    """Balance voice and music, and duck the music under the voice; the result is as long as the voice."""
    voice, music = sounds.voice, sounds.music
    rate, levels = music.sample_rate, level_curve(music.samples, music.sample_rate)
    mix = plan_mix(sounds.measured, levels, voice.duration, WorkbenchParams(duck=params or DuckParams()))
    gains = gains_of(mix)
    under = music.samples * 10 ** (gains.music_db / 20)
    if mix.duck is not None:
        under = under * duck_gain(gains.duck_points, np.arange(under.shape[1]) / rate)
    both = voice.samples * 10 ** (gains.soundtrack_db / 20)
    both[:, : under.shape[1]] += under[:, : both.shape[1]]
    level = 1 / max(1.0, float(np.abs(both).max(initial=0.0)))
    return VoiceOverMix(mix, _scaled(both, level, rate), _scaled(under, level, rate))


def _mono(recording: Recording, rate: int | None, seconds: float) -> Recording:
    rate = rate or recording.sample_rate
    samples = MonoMixer().mix(resample(recording.samples, recording.sample_rate, rate))
    return Recording.from_samples(samples[: round(seconds * rate)], rate)


def _scaled(samples: np.ndarray, level: float, rate: int) -> Recording:
    return Recording.from_samples((samples * level).astype(np.float32), rate)
