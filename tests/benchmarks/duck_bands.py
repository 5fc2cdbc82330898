"""Ducking in bands beside ducking all of the music: voices by others over music by others.

    WORKBENCH_BENCH_ELSEWHERE=FOLDER python -m tests.benchmarks.run duck-bands

ESTOI weighs all third octaves from 150 Hz to 4 kHz alike; the speech intelligibility index weighs them as words need
them, and counts what bass masks above itself. The music's loss is what it loses of its loudness under speech.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from data.recipes.material.elsewhere_voices import SECONDS, music_bed, voice_scenes
from data.recipes.material.recordings import recordings
from data.recipes.material.soundtracks import RATE, Sound, Video
from tests.benchmarks.mix import measured, understood
from tests.benchmarks.run import ELSEWHERE_FOLDER
from tests.benchmarks.table import Table
from workbench.features.levels import level_curve
from workbench.mix.balance import Mix, plan_mix
from workbench.mix.speech_band import DuckedBands, duck_bands, duck_blocks, outside_levels
from workbench.params import RenderParams

SEEDS = 6
SPEECH_DB_SPL = 62.35  # normal vocal effort (ANSI S3.5-1997, table 3)
# Third octaves of ANSI S3.5-1997, table 3: centre in Hz, importance, internal noise in dB. The bands under 160 Hz are
# added: they carry no words, but mask those above them.
CENTRES = np.array(
    [50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000,
     6300, 8000]
)  # fmt: skip
IMPORTANCE = np.array(
    [0, 0, 0, 0, 0, 0.0083, 0.0095, 0.0150, 0.0289, 0.0440, 0.0578, 0.0653, 0.0711, 0.0818, 0.0844, 0.0882, 0.0898,
     0.0868, 0.0844, 0.0771, 0.0527, 0.0364, 0.0185]
)  # fmt: skip
INTERNAL_DB = np.array(
    [0.6, 0.6, 0.6, 0.6, 0.6, 0.6, -1.7, -3.9, -6.1, -8.2, -9.7, -10.8, -11.9, -12.5, -13.5, -15.4, -17.7, -21.2,
     -24.2, -25.9, -23.6, -15.8, -7.1]
)  # fmt: skip


def _spectra(sound: Sound) -> np.ndarray:
    """Spectrum levels of each eighth of a second in third octaves, power per Hz, shape (n, bands)."""
    hop = RATE // 8
    window = np.hanning(hop)
    frames = sound[: sound.size // hop * hop].reshape(-1, hop) * window
    power = 2 * np.abs(np.fft.rfft(frames, axis=1)) ** 2 / (np.sum(window**2) * RATE)
    hertz = np.fft.rfftfreq(hop, 1 / RATE)
    inside = [np.flatnonzero((hertz >= f * 2 ** (-1 / 6)) & (hertz < f * 2 ** (1 / 6))) for f in CENTRES]
    rows = [lines if lines.size else [np.abs(hertz - f).argmin()] for lines, f in zip(inside, CENTRES, strict=True)]
    return np.stack([power[:, lines].mean(axis=1) for lines in rows], axis=1)


def intelligibility(voice: Sound, music: Sound, inside: np.ndarray) -> float:
    """Speech intelligibility index where somebody speaks, mean over eighths of a second, 0 to 1.

    ANSI S3.5-1997, with the music of each eighth of a second against the long-term spectrum of the voice, as K. S.
    Rhebergen and N. J. Versfeld (JASA 117, 2005) use it for noise that changes.
    """
    hop = RATE // 8
    spoken = inside[: inside.size // hop * hop].reshape(-1, hop).mean(axis=1) > 0.5
    raised = SPEECH_DB_SPL - 10 * np.log10(np.mean(voice[inside] ** 2))
    speech = 10 * np.log10(_spectra(voice)[spoken].mean(axis=0) + 1e-20) + raised
    noise = 10 * np.log10(_spectra(music)[spoken] + 1e-20) + raised
    masks = np.maximum(speech - 24.0, noise)
    slopes = -80.0 + 0.6 * (masks + 10 * np.log10(CENTRES) - 6.353)
    heard = 10 ** (noise / 10)
    for i in range(1, CENTRES.size):
        reach = 3.32 * slopes[:, :i] * np.log10(0.89 * CENTRES[i] / CENTRES[:i])
        heard[:, i] += np.sum(10 ** ((masks[:, :i] + reach) / 10), axis=1)
    covered = np.maximum(10 * np.log10(heard), INTERNAL_DB)
    audible = np.clip((speech - covered + 15.0) / 30.0, 0.0, 1.0)
    return float(np.mean(audible @ IMPORTANCE))


@dataclass(frozen=True, eq=False)
class Scene:
    """A voice alone, and the music under it with its gain."""

    video: Video
    mix: Mix
    music: Sound
    inside: np.ndarray
    """which samples are speech"""


def scenes(folder: Path) -> list[Scene]:
    """Voices by others, each over stretches of music by others."""
    music, found = recordings(folder, "test"), []
    for number, (_, video) in enumerate(voice_scenes(folder, "test", SEEDS, ("alone",))):
        bed = music_bed(np.random.default_rng((number, 77)), music)
        seconds = video.sound.size / RATE
        mix = plan_mix(measured(video.sound), level_curve(bed[: round(seconds * RATE)], RATE), seconds)
        if mix.duck is None:
            continue
        inside = np.zeros(round(SECONDS * RATE), dtype=bool)
        for start, end in video.speech:
            inside[round(start * RATE) : round(end * RATE)] = True
        found.append(Scene(video, mix, bed * np.float32(10 ** ((mix.music_gain_db or 0.0) / 20)), inside))
    return found


@dataclass
class Measured:
    """What one way of ducking makes of all scenes."""

    index: list[float] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    """LU of the music's loudness under speech"""
    outside: list[float] = field(default_factory=list)
    """the same of what lies outside the band of speech"""
    estoi: list[float] | None = None


def measure(found: Sequence[Scene], way: Callable[[Mix], DuckedBands]) -> Measured:
    """Duck the music of every scene, and measure it."""
    out, pairs = Measured(), []
    for scene in found:
        ducked = way(scene.mix)
        heard = np.concatenate([block[0] for block in duck_blocks([scene.music[None]], RATE, ducked)])
        raised, speech = np.float32(10 ** ((scene.mix.video_gain_db or 0.0) / 20)), scene.video.speech
        voice, sound = scene.video.voice * raised, scene.video.sound * raised + heard
        pairs.append((voice[scene.inside], sound[scene.inside]))
        out.index.append(intelligibility(voice, heard, scene.inside))
        before, after = level_curve(scene.music, RATE).lufs_within(speech), level_curve(heard, RATE).lufs_within(speech)
        out.loss.append(before - after)
        out.outside.append(
            outside_levels([scene.music[None]], RATE).lufs_within(speech)
            - outside_levels([heard[None]], RATE).lufs_within(speech)
        )
    out.estoi = understood(pairs)
    return out


def everything(share: float) -> Callable[[Mix], DuckedBands]:
    """All of the music, by a share of the envelope."""

    def way(mix: Mix) -> DuckedBands:
        assert mix.duck is not None
        return duck_bands([(time, share * depth) for time, depth in mix.duck.envelope_points], ())

    return way


def in_bands(mix: Mix) -> DuckedBands:
    """As `RenderParams.ducking` does with `bands`."""
    assert mix.duck is not None
    return duck_bands(mix.duck.envelope_points, mix.duck.speech_ranges, RenderParams(ducking="bands"))


WAYS = {"not ducked": everything(0.0), "all of the music": everything(1.0), "in bands": in_bands}


def run() -> list[Table]:
    """A row a way."""
    found = scenes(Path(os.environ[ELSEWHERE_FOLDER]))
    table = Table(
        f"Ducking in bands: {len(found)} scenes of voices and music by others",
        ["way", "ESTOI", "SII", "music loses LU", "outside the band LU"],
    )
    for name, way in WAYS.items():
        one = measure(found, way)
        estoi = None if one.estoi is None else float(np.mean(one.estoi))
        table.add(name, estoi, float(np.mean(one.index)), float(np.mean(one.loss)), float(np.mean(one.outside)))
    table.notes.append(
        "The voices have 8 kHz, so nothing of them lies over 4 kHz. Losses are under speech, K-weighted."
    )
    return [table]
