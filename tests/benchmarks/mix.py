"""Measures of a mix, for voices by others: what the workbench detects in a soundtrack, and what ducking leaves.

Classes: `Finding` compares speech ranges with the truth of the dry voice, `Heard` measures the ducked music. Functions:
`measured`, `mixed`, `by_points`, `frames`, `movements`, `understood`, `music_for`.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from data.recipes.material.soundtracks import RATE, Sound, Video, at_level
from tests.benchmarks.tracks import BUNDLED
from workbench.media.speech import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.mix.balance import Mix, SoundtrackMeasure, plan_mix
from workbench.mix.bands import BandMeter
from workbench.mix.fades import duck_gain
from workbench.mix.levels import level_curve
from workbench.mix.pitch import PitchMeter
from workbench.mix.voice_network import VoiceMeter
from workbench.params import DuckParams

HZ = 100
"""frames a second"""
MUSIC = ("blue_corner", "first_snow", "glass_circuit", "harbour_lights", "long_way_up", "paper_lanterns", "tidewater",
         "rooftop_relay", "slow_ember", "undertow", "hill_road", "iron_procession", "slow_tide",
         "corner_store")  # fmt: skip
"""the bundled tracks that are put under voices"""
_MUSIC_FROM, _MUSIC_SECONDS = 8.0, 40.0
_BRIDGE_SECONDS = 2.0
"""pauses up to which a block of speech goes on"""
Curve = NDArray[np.float64]
PEERS = Path(__file__).parents[2] / ".venv" / "peers-mix" / "bin" / "python"


def music_for(number: int) -> Sound:
    """What is put under a video, at -20 LUFS: another bundled track each time."""
    with soundfile.SoundFile(BUNDLED / "music" / f"{MUSIC[(5 * number + 3) % len(MUSIC)]}.ogg") as file:
        file.seek(round(_MUSIC_FROM * file.samplerate))
        samples = file.read(round(_MUSIC_SECONDS * file.samplerate), dtype="float32", always_2d=True).mean(axis=1)
        sound = soxr.resample(samples, file.samplerate, RATE)
    size = round(_MUSIC_SECONDS * RATE)
    return at_level(np.pad(sound, (0, max(0, size - sound.size)))[:size], -20.0)


def measured(sound: Sound) -> SoundtrackMeasure:
    """What ingest measures of a soundtrack."""
    heard = soxr.resample(sound, RATE, SAMPLE_RATE).astype(np.float32)
    bands, pitches, odds = BandMeter(), PitchMeter(), VoiceMeter()
    for meter in (bands, pitches, odds):
        meter.add(heard)
    return SoundtrackMeasure(
        level_curve(sound, RATE),
        speech_probabilities([heard]),
        FRAME_SECONDS,
        bands.powers(),
        pitches.pitches(),
        odds.log_odds(),
    )


def mixed(video: Video, soundtrack: SoundtrackMeasure, music: Sound, duck: DuckParams | None = None) -> Mix:
    """What it makes of a video and music under it."""
    seconds = video.sound.size / RATE
    return plan_mix(soundtrack, level_curve(music[: round(seconds * RATE)], RATE), seconds, duck=duck)


@dataclass
class Finding:
    """What was found in some videos, counted."""

    hits: int = 0
    false: int = 0
    missed: int = 0
    starts: list[float] = field(default_factory=list)
    """found minus true, s, of edges that were found"""
    ends: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """s of each utterance that pass before it is covered; its whole length where it is missed"""
    early: list[float] = field(default_factory=list)
    """s of each utterance that are uncovered at its end"""
    per_video: list[float] = field(default_factory=list)

    @property
    def f1(self) -> float:
        """Of frames."""
        return 2 * self.hits / max(1, 2 * self.hits + self.false + self.missed)

    def add(self, true: Sequence[tuple[float, float]], found: Sequence[tuple[float, float]], seconds: float) -> None:
        """Count one video."""
        said, heard = frames(true, seconds), frames(found, seconds)
        hits, false, missed = int((said & heard).sum()), int((heard & ~said).sum()), int((said & ~heard).sum())
        self.hits, self.false, self.missed = self.hits + hits, self.false + false, self.missed + missed
        self.per_video.append(2 * hits / max(1, 2 * hits + false + missed))
        for k, (start, end) in enumerate(true):
            over = [(a, b) for a, b in found if b > start and a < end]
            self.late.append(over[0][0] - start if over else end - start)
            self.early.append(end - over[-1][1] if over else end - start)
            before = true[k - 1][1] if k else -np.inf
            after = true[k + 1][0] if k + 1 < len(true) else np.inf
            if over and over[0][0] >= before:
                self.starts.append(over[0][0] - start)
            if over and over[-1][1] <= after:
                self.ends.append(over[-1][1] - end)


def frames(ranges: Sequence[tuple[float, float]], seconds: float) -> NDArray[np.bool_]:
    """Whether each hundredth of a second lies in one of some ranges, shape (n_frames,)."""
    out = np.zeros(round(seconds * HZ), dtype=bool)
    for start, end in ranges:
        out[round(start * HZ) : round(end * HZ)] = True
    return out


@dataclass(frozen=True, eq=False)
class Ducked:
    """Music under a video after ducking."""

    video: Video
    voice: Sound
    """as loud as in the mix, without what else the video sounds"""
    heard: Sound
    """the music, after"""
    curve: Curve
    """attenuation, dB, every 10 ms"""


def by_points(video: Video, mix: Mix, music: Sound, points: Sequence[tuple[float, float]]) -> Ducked:
    """Ducked by a curve of points; none: not ducked."""
    time = np.arange(video.sound.size) / RATE
    gain = duck_gain(points, time) if len(points) else np.ones(time.size)
    raised, music_gain = 10 ** ((mix.video_gain_db or 0) / 20), 10 ** ((mix.music_gain_db or 0) / 20)
    under = (music * music_gain).astype(np.float32)
    curve = -20 * np.log10(np.maximum(gain[:: RATE // HZ], 1e-9)) + 0.0
    return Ducked(video, video.voice * raised, (under * gain).astype(np.float32), curve)


@dataclass
class Heard:
    """What is measured of ducked music."""

    under: list[float] = field(default_factory=list)
    """LU of the voice over the music, utterance by utterance"""
    moves: int = 0
    needed: int = 0
    """two moves for each block of speech"""
    short: int = 0
    steepest: list[float] = field(default_factory=list)
    """dB/s, of each video"""

    def add(self, ducked: Ducked) -> None:
        """Measure one video."""
        voice, music = level_curve(ducked.voice, RATE), level_curve(ducked.heard, RATE)
        speech, curve = ducked.video.speech, ducked.curve
        for start, end in speech:
            if end - start >= 0.3 and music.power_between(start, end) > 1e-9:
                self.under.append(voice.lufs(start, end) - music.lufs(start, end))
        moves, short = movements(curve)
        self.moves, self.short = self.moves + moves, self.short + short
        blocks = [speech[0]]
        for start, end in speech[1:]:
            blocks[-1:] = (
                [(blocks[-1][0], end)] if start - blocks[-1][1] <= _BRIDGE_SECONDS else [blocks[-1], (start, end)]
            )
        self.needed += 2 * len(blocks) if curve.max() > 1 else 0
        self.steepest.append(float(np.abs(np.diff(curve)).max() * HZ))


def movements(curve: Curve) -> tuple[int, int]:
    """Falls and rises of more than 1 dB in a curve, and ducks of more than 1 dB shorter than 0.3 s."""
    turns, direction, extreme = 0, 0, curve[0]
    for value in curve:
        if (direction >= 0 and value > extreme) or (direction <= 0 and value < extreme):
            if abs(value - extreme) > 1.0 and direction == 0:
                direction, turns = (1 if value > extreme else -1), turns + 1
            if direction:
                extreme = value
        elif abs(value - extreme) > 1.0:
            direction, turns, extreme = -direction, turns + 1, value
    down = np.flatnonzero(np.diff(np.concatenate([[False], curve > 1.0, [False]])))
    return turns, int(np.sum((down[1::2] - down[::2]) < 0.3 * HZ))


def understood(pairs: list[tuple[Sound, Sound]]) -> list[float] | None:
    """ESTOI of each pair; None where pystoi has no environment."""
    if not PEERS.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.npz"
        named: dict[str, Any] = {
            f"{name}_{k}": pair[i] for k, pair in enumerate(pairs) for i, name in enumerate(("clean", "heard"))
        }
        np.savez(path, rate=np.array(RATE), **named)
        done = subprocess.run([PEERS, Path(__file__).parent / "peer_stoi.py", path], check=True, stdout=subprocess.PIPE)
    return [float(value) for value in json.loads(done.stdout)]
