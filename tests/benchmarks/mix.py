"""Measures of a mix, for voices by others: what the workbench detects in a soundtrack, and what ducking leaves."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from data.recipes.material.soundtracks import RATE, Sound
from workbench.features.levels import level_curve
from workbench.features.speech_probability import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.video.bands import BandMeter
from workbench.video.pitch import PitchMeter
from workbench.video.utterances import SoundtrackMeasure
from workbench.video.voice_network import VoiceMeter

HZ = 100
"""frames a second"""
Curve = NDArray[np.float64]
PEERS = Path(__file__).parents[2] / ".venv" / "peers-mix" / "bin" / "python"


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


def movements(curve: Curve) -> int:
    """Falls and rises of more than 1 dB in a curve."""
    turns, direction, extreme = 0, 0, curve[0]
    for value in curve:
        if (direction >= 0 and value > extreme) or (direction <= 0 and value < extreme):
            if abs(value - extreme) > 1.0 and direction == 0:
                direction, turns = (1 if value > extreme else -1), turns + 1
            if direction:
                extreme = value
        elif abs(value - extreme) > 1.0:
            direction, turns, extreme = -direction, turns + 1, value
    return turns


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
