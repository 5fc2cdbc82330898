"""Fit `singing.json`: what tells talk from singing where the detector hears a voice.

    python -m data.recipes.fitting.singing --set SET

Talk and whispers of eSpeak NG over every background and level, and two synthesised singers alone and over bundled
tracks, from seeds that no benchmark uses. To them come the people of `data.recipes.material.elsewhere_voices` that are
for fitting, fetched into `SET/elsewhere`: what they say, in its scenes with talk but the room and the voice under music
(those only show how good it is), and what they said, sung (`mix_voices.sung_words`) alone and over bundled tracks.

The voices of the synthesisers, all singers, and what people say without a background come dry and in a room, drawn with
a reverberation of 0.3 to 1.5 s and a tail 0 to 12 dB under the direct sound; backgrounds stay dry. In a room the
detector is less sure of talk, and pitch is held.

Each utterance that the detector finds, with its edges placed, is one example, weighted by the root of its length; both
kinds weigh the same in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray
from scipy.optimize import minimize

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.material import mix_videos, mix_voices
from data.recipes.material.elsewhere_voices import (
    SCENES,
    VOICES,
    fetch_voices,
    in_a_room,
    read_sentences,
    voice_scenes,
)
from data.recipes.material.mix_videos import RATE, SECONDS, Ranges, Sound, at_level, background
from data.recipes.material.recordings import fetch, sources
from workbench.media.speech import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.mix.bands import BandMeter
from workbench.mix.pitch import PitchMeter
from workbench.mix.singing import CUES, FILE, voice_cues
from workbench.mix.voice import speech_utterances
from workbench.params import VoiceParams

SEEDS = (11, 12, 13, 14)
OVER_MUSIC_DB = (None, None, 12.0, 6.0, 0.0)
PEOPLE_SEEDS = 2
PEOPLE_OVER_MUSIC_DB = (None, 10.0, 0.0)
NOT_FITTED = ("in a room", "10 LU under music", "music alone")
ROOM_SECONDS = (0.3, 1.5)
TAIL_DB = (-12.0, 0.0)
RIDGE = 1e-3  # on the scaled weights

Example = tuple[bool, float, NDArray[np.float64]]
"""whether it is spoken, seconds and cues of an utterance"""


def drawn_room(rng: np.random.Generator, voice: Sound) -> Sound:
    """A dry voice in some room."""
    seconds = float(np.exp(rng.uniform(*np.log(ROOM_SECONDS))))
    return in_a_room(rng, voice, seconds, float(rng.uniform(*TAIL_DB)))


def spoken(seed: int) -> Iterator[tuple[Sound, Ranges]]:
    """Talk and whispers, each dry and in a room, and when they sound."""
    rng = np.random.default_rng((seed, 5))
    for video in mix_videos.spoken_videos(seed, ("synthetic", "whisper")):
        assert video.sound is not None
        assert video.voice is not None
        yield video.sound, video.speech
        yield video.sound - video.voice + drawn_room(rng, video.voice), video.speech


def sung(seed: int) -> Iterator[Sound]:
    """Two singers, twice each, alone and over music, dry and in a room."""
    rng, rooms, size = np.random.default_rng((seed, 77)), np.random.default_rng((seed, 6)), round(SECONDS * RATE)
    for kind in ("formants", "words") * 2:
        for level in OVER_MUSIC_DB:
            bed = None if level is None else background("music", rng)
            if kind == "formants":
                line = mix_voices.singing(rng, size, bed)
            else:
                line = mix_voices.sung_words(rng, size, mix_videos.utterances("synthetic", rng))
            line = at_level(line, -20.0 + (level or 0.0))
            for voice in (line, drawn_room(rooms, line)):
                yield np.float32(0.5) * (voice if bed is None else voice + bed)


def people_speak(folder: Path) -> Iterator[tuple[Sound, Ranges]]:
    """What people say: the scenes, and those without a background twice more, in a room."""
    names = [name for name in SCENES if name not in NOT_FITTED]
    rng = np.random.default_rng(5)
    for _, video in voice_scenes(folder, "fit", PEOPLE_SEEDS, names):
        assert video.sound is not None
        assert video.voice is not None
        yield video.sound, video.speech
        if video.name == "alone":
            for _ in range(2):
                floor = background("room", rng, video.sound.size / RATE)
                yield np.float32(0.5) * (drawn_room(rng, video.voice) + floor), video.speech


def people_sing(folder: Path) -> Iterator[Sound]:
    """What the same people said, sung alone and over music, dry and in a room."""
    rng, size = np.random.default_rng(6), round(SECONDS * RATE)
    for package in VOICES["fit"]:
        said = read_sentences(folder / package)
        for level in PEOPLE_OVER_MUSIC_DB * (2 * PEOPLE_SEEDS):
            chosen = [said[k] for k in rng.permutation(len(said))[:12]]
            line = at_level(mix_voices.sung_words(rng, size, chosen), -20.0 + (level or 0.0))
            bed = np.zeros_like(line) if level is None else background("music", rng)
            for voice in (line, drawn_room(rng, line)):
                yield np.float32(0.4) * (voice + bed)


def examples(sound: Sound, speech: Ranges | None) -> list[Example]:
    """The utterances of a sound; of those with talk only where somebody speaks; without ranges nothing is spoken."""
    heard = soxr.resample(sound, RATE, SAMPLE_RATE).astype(np.float32)
    pitches, bands = PitchMeter(), BandMeter()
    pitches.add(heard)
    bands.add(heard)
    chances = speech_probabilities([heard])
    utterances = speech_utterances(chances, FRAME_SECONDS, bands=bands.powers())
    cues = voice_cues(utterances, chances, FRAME_SECONDS, pitches.pitches())
    found = []
    for (start, end), row in zip(utterances, cues, strict=True):
        if speech is None or any(start < b and end > a for a, b in speech):
            found.append((speech is not None, end - start, row))
    return found


def fitted(rows: list[Example]) -> NDArray[np.float64]:
    """Bias and weights of the logistic regression."""
    talk = np.array([row[0] for row in rows])
    weight = np.sqrt(np.clip([row[1] for row in rows], 0.2, 4.0))
    for kind in (talk, ~talk):
        weight[kind] /= weight[kind].sum()
    cues = np.stack([row[2] for row in rows])
    middle, spread = cues.mean(axis=0), cues.std(axis=0)
    scaled = np.column_stack([np.ones(len(rows)), (cues - middle) / spread])

    def loss(beta: NDArray[np.float64]) -> float:
        margin = np.where(talk, scaled @ beta, -scaled @ beta)
        return float(weight @ np.logaddexp(0, -margin) + RIDGE * np.sum(beta[1:] ** 2))

    beta = minimize(loss, np.zeros(scaled.shape[1])).x
    return np.concatenate([[beta[0] - np.sum(beta[1:] * middle / spread)], beta[1:] / spread])


def main() -> None:
    """Fetch, make, fit, write."""
    folder = parser(__doc__).parse_args().set / "elsewhere"
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources("fit"):
        fetch(folder, source)
    fetch_voices(folder)
    kinds: dict[str, list[Example]] = {
        "synthesised talk": [row for seed in SEEDS for sound, when in spoken(seed) for row in examples(sound, when)],
        "synthesised singing": [row for seed in SEEDS for sound in sung(seed) for row in examples(sound, None)],
        "people who speak": [row for sound, when in people_speak(folder) for row in examples(sound, when)],
        "the same people, sung": [row for sound in people_sing(folder) for row in examples(sound, None)],
    }
    beta = fitted([row for rows in kinds.values() for row in rows])
    write_numbers(FILE, {name: round(float(weight), 2) for name, weight in zip(("bias", *CUES), beta, strict=True)})
    least = VoiceParams().min_spoken_odds
    figures = []
    for name, rows in kinds.items():
        right = sum(length for talk, length, cues in rows if (beta[0] + cues @ beta[1:] >= least) == talk)
        share = 100 * right / sum(row[1] for row in rows)
        figures.append(f"- {name}: {len(rows)} utterances of the fit, {share:.1f} % of their time right")
    write_figures(FILE, figures)
    print(*figures, sep="\n")


if __name__ == "__main__":
    main()
