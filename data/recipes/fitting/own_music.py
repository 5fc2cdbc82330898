"""Fit `own_music.json`: what tells a soundtrack that is music from one that is not.

    python -m data.recipes.fitting.own_music --set SET

Scenes of `data.recipes.material.own_music_scenes` from the sources for fitting, fetched into `SET/elsewhere`. Every
third second that lies wholly inside the music or wholly outside it is one example; both kinds weigh the same in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import soxr
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material.elsewhere_voices import fetch_voices
from data.recipes.material.own_music_scenes import OwnMusicScene, fetch_places, own_music_scenes
from data.recipes.material.recordings import fetch, sources
from data.recipes.material.soundtracks import RATE
from workbench.features.speech_probability import SAMPLE_RATE
from workbench.recording import BoolArray, FloatArray
from workbench.video.bands import BandMeter
from workbench.video.own_music import CUES, FILE, WINDOW_SECONDS, music_cues
from workbench.video.pitch import PitchMeter

RIDGE = 1e-2  # on the scaled weights
EVERY = 3  # seconds; neighbours tell the same


@dataclass(frozen=True, eq=False)
class MeasuredScene:
    """A scene as ingest measures it."""

    scene: OwnMusicScene
    bands: FloatArray
    pitches: FloatArray


def measured(scene: OwnMusicScene) -> MeasuredScene:
    """Measure a scene as the ingest of a video does."""
    sound = soxr.resample(scene.sound, RATE, SAMPLE_RATE).astype(np.float32)
    bands, pitches = BandMeter(), PitchMeter()
    bands.add(sound)
    pitches.add(sound)
    return MeasuredScene(scene, bands.powers(), pitches.pitches())


def examples(scene: MeasuredScene) -> tuple[BoolArray, FloatArray]:
    """Whether there is music, and the cues, for seconds whose window has no border of the music inside."""
    cues = music_cues(scene.bands, scene.pitches)
    middles = np.arange(len(cues)) + 0.5
    first, last = scene.scene.music or (1e9, 1e9)
    half = WINDOW_SECONDS / 2
    inside = (middles >= first + half) & (middles <= last - half)
    outside = (middles <= first - half) | (middles >= last + half)
    taken = np.flatnonzero(inside | outside)[::EVERY]
    return inside[taken], cues[taken]


def fitted(music: BoolArray, cues: FloatArray) -> FloatArray:
    """Bias and weights of the logistic regression, shape (1 + n_cues,)."""
    weight = np.where(music, 1.0 / np.sum(music), 1.0 / np.sum(~music))
    middle, spread = cues.mean(axis=0), cues.std(axis=0)
    scaled = np.column_stack([np.ones(len(cues)), (cues - middle) / spread])

    def loss(beta: FloatArray) -> float:
        margin = np.where(music, scaled @ beta, -scaled @ beta)
        return float(weight @ np.logaddexp(0, -margin) + RIDGE * np.sum(beta[1:] ** 2))

    beta = minimize(loss, np.zeros(scaled.shape[1])).x
    return np.concatenate([[beta[0] - np.sum(beta[1:] * middle / spread)], beta[1:] / spread])


def stacked(scenes: Sequence[MeasuredScene]) -> tuple[BoolArray, FloatArray]:
    """The examples of many scenes."""
    found = [examples(scene) for scene in scenes]
    return np.concatenate([music for music, _ in found]), np.concatenate([cues for _, cues in found])


def main() -> None:
    """Fetch, make, fit, write."""
    folder = parser(__doc__).parse_args().set / "elsewhere"
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources("fit"):
        fetch(folder, source)
    fetch_voices(folder)
    fetch_places(folder)
    scenes = [measured(scene) for scene in own_music_scenes(folder, "fit")]
    music, cues = stacked(scenes)
    beta = fitted(music, cues)
    write_numbers(FILE, {name: round(float(weight), 3) for name, weight in zip(("bias", *CUES), beta, strict=True)})
    says = beta[0] + cues @ beta[1:] > 0
    figures = [
        f"- {int(np.sum(music == kind))} seconds of {name} in {len(scenes)} scenes: "
        f"{100 * float(np.mean(says[music == kind] == kind)):.1f} % right on what it was fitted to"
        for kind, name in ((True, "music"), (False, "everything else"))
    ]
    write_figures(FILE, figures)
    print(*figures, sep="\n")


if __name__ == "__main__":
    main()
