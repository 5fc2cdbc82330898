"""Fit `singing.json`: what tells talk from singing where the detector hears a voice.

    python -m data.recipes.fitting.singing

Talk and whispers of eSpeak NG over every background and level, and two synthesised singers alone and over bundled
tracks, from seeds that no benchmark uses. Each utterance that the detector finds is one example, weighted by the root
of its length; both kinds weigh the same in all.
"""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material import mix_videos, mix_voices
from data.recipes.material.mix_videos import RATE, SECONDS, Sound, Video
from workbench.media.speech import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.mix.pitch import PitchMeter
from workbench.mix.singing import CUES, FILE, voice_cues
from workbench.mix.voice import speech_utterances

SEEDS = (11, 12, 13, 14)
OVER_MUSIC_DB = (None, None, 12.0, 6.0, 0.0)
RIDGE = 1e-3  # on the scaled weights


def sung_videos(seed: int) -> list[Sound]:
    """Two singers, twice each, alone and over music."""
    rng, size, sounds = np.random.default_rng((seed, 77)), round(SECONDS * RATE), []
    for kind in ("formants", "words") * 2:
        for level in OVER_MUSIC_DB:
            bed = None if level is None else mix_videos.background("music", rng)
            if kind == "formants":
                line = mix_voices.singing(rng, size, bed)
            else:
                line = mix_voices.sung_words(rng, size, mix_videos.utterances("synthetic", rng))
            line = mix_videos.at_level(line, -20.0 + (level or 0.0))
            sounds.append(np.float32(0.5) * (line if bed is None else line + bed))
    return sounds


def examples(sound: Sound, video: Video | None) -> list[tuple[bool, float, NDArray[np.float64]]]:
    """Whether it is spoken, seconds and cues of each utterance; without a video nothing is spoken."""
    heard = soxr.resample(sound, RATE, SAMPLE_RATE).astype(np.float32)
    meter = PitchMeter()
    meter.add(heard)
    chances = speech_probabilities([heard])
    utterances = speech_utterances(chances, FRAME_SECONDS)
    cues = voice_cues(utterances, chances, FRAME_SECONDS, meter.pitches())
    found = []
    for (start, end), row in zip(utterances, cues, strict=True):
        spoken = video is not None and any(start < b and end > a for a, b in video.speech)
        if spoken or video is None:
            found.append((spoken, end - start, row))
    return found


def fitted(rows: list[tuple[bool, float, NDArray[np.float64]]]) -> NDArray[np.float64]:
    """Bias and weights of the logistic regression."""
    spoken = np.array([row[0] for row in rows])
    weight = np.sqrt(np.clip([row[1] for row in rows], 0.2, 4.0))
    for kind in (spoken, ~spoken):
        weight[kind] /= weight[kind].sum()
    cues = np.stack([row[2] for row in rows])
    middle, spread = cues.mean(axis=0), cues.std(axis=0)
    scaled = np.column_stack([np.ones(len(rows)), (cues - middle) / spread])

    def loss(beta: NDArray[np.float64]) -> float:
        margin = np.where(spoken, scaled @ beta, -scaled @ beta)
        return float(weight @ np.logaddexp(0, -margin) + RIDGE * np.sum(beta[1:] ** 2))

    beta = minimize(loss, np.zeros(scaled.shape[1])).x
    return np.concatenate([[beta[0] - np.sum(beta[1:] * middle / spread)], beta[1:] / spread])


def main() -> None:
    """Make, fit, write."""
    parser(__doc__).parse_args()
    rows = []
    for seed in SEEDS:
        for video in mix_videos.spoken_videos(seed, ("synthetic", "whisper")):
            assert video.sound is not None
            rows += examples(video.sound, video)
        for sound in sung_videos(seed):
            rows += examples(sound, None)
    beta = fitted(rows)
    write_numbers(FILE, {name: round(float(weight), 2) for name, weight in zip(("bias", *CUES), beta, strict=True)})
    figures = []
    for spoken, name in ((True, "talk"), (False, "singing")):
        of_kind = [row for row in rows if row[0] == spoken]
        right = sum(length for _, length, cues in of_kind if (beta[0] + cues @ beta[1:] > 0) == spoken)
        share = 100 * right / sum(row[1] for row in of_kind)
        figures.append(f"- {name}: {len(of_kind)} utterances of the fit, {share:.1f} % of their time right")
    write_figures(FILE, figures)
    print(*figures, sep="\n")


if __name__ == "__main__":
    main()
