"""What a soundtrack by others is, and whether it is a voice-over: singing, rap, streets, animals, crowds, speech.

    python -m tests.benchmarks.elsewhere.soundtracks FOLDER

`soundtracks.csv` lists the clips: files below FOLDER, several of them one after the other, from a second on, and what
is mixed under them as loud. FOLDER holds checkouts under the names of their repositories, and Debian packages unpacked
in folders of their names (`recordings.fetch_package`); what is not there is counted as missing. The constants of
`workbench.video.singing` were chosen on the role `choose`, whose sources are others than those of `test`.

Singing: basic-pitch (vocadito, CC BY 4.0), Amphion, whisper-vits-svc and TCSinger (MIT), Step-Audio and SoulX-Singer
(Apache 2.0, synthesised in part), diff-svc (AGPL 3), V2S_Samples (read sentences that a program made to sing), lab3,
mirdata and essentia-audio (excerpts of research data), songs of UltraStar-Deluxe (Creative Commons), spleeter (MIT),
music_source_separation (Apache 2.0), audio of Tonejs (Berklee, CC BY 3.0). Places: sonyc-dataviz (New York streets,
SONYC-UST, CC BY 4.0; those whose labels name people are `passers-by`, which no total counts), audio, Dirt-Samples,
scikit-maad (BSD), opensoundscape (MIT), megaglest-data, scratch. Speech: higgs-audio, Step-Audio and Step-Audio-EditX
(Apache 2.0), Amphion and OpenVoice (MIT), V2S_Samples (LibriSpeech, CC BY 4.0), hedgewars-data (GPL 2), and whispers
of lab3, Fourier_Signals_and_Systems, hrtf-simulation and sounds_in_python_lecture.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from data.recipes.material.soundtracks import RATE, Sound
from tests.benchmarks.mix import measured
from tests.benchmarks.table import Table, measure_folder
from workbench.media.audio import decode
from workbench.params import VoiceParams
from workbench.video.speech_ranges import speech_seconds
from workbench.video.utterances import classify, utterances_in

LIST = Path(__file__).with_suffix(".csv")
SECONDS = 30.0
_PAUSE_SECONDS = 0.5
_NOT_COUNTED = "passers-by"


@dataclass(frozen=True, slots=True)
class Clip:
    """A row of the list."""

    kind: str
    truth: str
    files: str
    start: float
    bed: str

    def sound(self, folder: Path) -> Sound:
        """Mono at `RATE`, empty where the files are missing."""
        voice = _joined(folder, self.files)[round(self.start * RATE) :][: round(SECONDS * RATE)]
        if self.bed and voice.size:
            bed = np.resize(_joined(folder, self.bed), voice.size)
            voice = voice + bed * np.float32(np.sqrt(np.mean(voice**2) / np.mean(bed**2)))
        return voice * np.float32(min(1.0, 0.9 / max(1e-9, float(np.abs(voice).max(initial=0.0)))))


def _joined(folder: Path, files: str) -> Sound:
    pause, parts = np.zeros(round(_PAUSE_SECONDS * RATE), dtype=np.float32), [np.zeros(0, dtype=np.float32)]
    for path in sorted(folder.glob(files)):
        if path.suffix in (".wav", ".ogg", ".mp3", ".flac"):
            recording = decode(path)
            mono = np.atleast_2d(recording.samples).mean(axis=0)
            parts += [np.asarray(soxr.resample(mono, recording.sample_rate, RATE), dtype=np.float32), pause]
    return np.concatenate(parts[:-1] if len(parts) > 1 else parts)


def clips() -> Iterator[Clip]:
    """Those to test."""
    with LIST.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["role"] == "test":
                yield Clip(row["kind"], row["truth"], row["files"], float(row["start"]), row["bed"])


def tables(folder: Path) -> list[Table]:
    """By kind: clips, those whose class is right, and those whose voice-over is."""
    counts, missing, least = dict[str, list[int]](), 0, VoiceParams().min_speech_seconds
    for clip in clips():
        sound = clip.sound(folder)
        if not sound.size:
            missing += 1
            continue
        soundtrack = measured(sound)
        found = utterances_in(soundtrack, sound.size / RATE)
        classification, seconds = classify(soundtrack, found), speech_seconds(found)
        right = classification == clip.truth, (seconds >= least) == (clip.truth == "voice")
        for name in (clip.kind, *(() if clip.kind == _NOT_COUNTED else ("all",))):
            row = counts.setdefault(name, [0, 0, 0])
            for k, one in enumerate((True, *right)):
                row[k] += one
    result = Table("Soundtracks by others", ["kind", "clips", "class right", "voice-over right"])
    for name, row in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])):
        result.add(name, *row)
    result.notes.append(f"Missing: {missing}. A voice-over has {least} s of speech; `{_NOT_COUNTED}` are in no total.")
    return [result]


if __name__ == "__main__":
    measure_folder(__doc__, tables)
