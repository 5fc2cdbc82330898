"""The mix, measured: who is found to speak and when, and what ducking does to music and voice, beside other ways.

Finding: `classification` and `voiceover` on videos with and without speech, and the speech ranges against the truth of
the dry voice. Ducking: the same music under the same videos, not ducked, pulled down by a fixed 12 dB in the ranges
that were found, compressed by FFmpeg's `sidechaincompress` with the soundtrack as its key, and as a mix says.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from data.recipes.material import mix_videos
from data.recipes.material.mix_videos import RATE, Sound, Video
from tests.benchmarks.table import Table
from workbench.media.speech import FRAME_SECONDS, SAMPLE_RATE, speech_probabilities
from workbench.mix.balance import CLASSIFICATIONS, Mix, SoundtrackMeasure, plan_mix
from workbench.mix.bands import BandMeter
from workbench.mix.fades import duck_gain
from workbench.mix.levels import level_curve
from workbench.mix.pitch import PitchMeter
from workbench.mix.voice_network import VoiceMeter
from workbench.params import DUCK_PRESETS, DuckParams

SEED = 3  # the parameters were chosen on seed 1
HZ = 100
Curve = NDArray[np.float64]
PEERS = Path(__file__).parents[2] / ".venv" / "peers-mix" / "bin" / "python"


def videos(seed: int) -> list[Video]:
    """All videos of a seed."""
    whispers = [video for video in mix_videos.spoken_videos(seed, ("whisper",)) if video.level_db in (None, 10.0)]
    return [
        *mix_videos.spoken_videos(seed), *whispers, mix_videos.whispered_aside(seed), *mix_videos.other_videos(seed)
    ]  # fmt: skip


def music_for(number: int) -> Sound:
    """What is put under a video: another track each time."""
    return mix_videos.track(mix_videos.MUSIC[(5 * number + 3) % len(mix_videos.MUSIC)], 40.0, 8.0)


def measured(video: Video) -> SoundtrackMeasure:
    """What the workbench hears of a video."""
    if video.sound is None:
        return SoundtrackMeasure.without_sound()
    heard = soxr.resample(video.sound, RATE, SAMPLE_RATE).astype(np.float32)
    bands, pitches, odds = BandMeter(), PitchMeter(), VoiceMeter()
    for meter in (bands, pitches, odds):
        meter.add(heard)
    return SoundtrackMeasure(
        level_curve(video.sound, RATE),
        speech_probabilities([heard]),
        FRAME_SECONDS,
        bands.powers(),
        pitches.pitches(),
        odds.log_odds(),
    )


def mixed(video: Video, soundtrack: SoundtrackMeasure, music: Sound, duck: DuckParams | None = None) -> Mix:
    """What it makes of a video and music under it."""
    seconds = mix_videos.SECONDS if video.sound is None else video.sound.size / RATE
    return plan_mix(soundtrack, level_curve(music[: round(seconds * RATE)], RATE), seconds, duck=duck)


# --- who speaks, and when -----------------------------------------------------------------------------------------


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


def ranges_table(found: list[tuple[Video, Mix]]) -> Table:
    """Speech ranges against the truth, by background and level."""
    table = Table(
        "Mix: speech ranges",
        ["videos", "n", "frame F1", "worst video", "edge error ms, median", "starts > 20 ms late, %",
         "ends > 100 ms early, %", "utterances missed, %"],
    )  # fmt: skip
    groups: dict[str, Finding] = {}
    for video, mix in found:
        if video.sound is None or not video.speech:
            continue
        level = "" if video.level_db is None else f" {video.level_db:+.0f} LU"
        kind = "whispers" if video.voice_kind == "whisper" else video.voice_kind
        fair = video.voice_kind != "whisper" and (video.level_db is None or video.level_db >= 0)
        for name in (f"over {video.background}{level}" if kind != "whispers" else kind, kind, "at 0 LU or more")[
            : 3 if fair else 1
        ]:
            ranges = mix.duck.speech_ranges if mix.duck else ()
            groups.setdefault(name, Finding()).add(video.speech, ranges, video.sound.size / RATE)
    for name, group in sorted(groups.items(), key=lambda item: item[0]):
        edges = [abs(e) * 1000 for e in (*group.starts, *group.ends)]
        table.add(
            name, len(group.per_video), group.f1, min(group.per_video), float(np.median(edges)) if edges else None,
            _percent(np.array(group.late) > 0.0205), _percent(np.array(group.early) > 0.1),
            100.0 - 100.0 * len([1 for late in group.late if late < 0.2]) / len(group.late),
        )  # fmt: skip
    table.notes.append(
        "Truth: sound within 30 dB of the dry voice's level, pauses up to 0.3 s closed; K-weighted levels, voice over "
        "background. Rows `synthetic`, `recorded` and `at 0 LU or more` hold what is not whispered and lies at 0 LU or "
        "more over its background. An utterance is missed where its first 200 ms are."
    )
    return table


def confusion_table(found: list[tuple[Video, Mix]]) -> Table:
    """Classes: what the videos hold in rows."""
    counts = Counter((_holds(video), mix.classification) for video, mix in found)
    voiced = Counter((_holds(video), mix.voiceover == video.voiceover) for video, mix in found)
    table = Table(
        "Mix: what a soundtrack is",
        ["what it holds", "truth", *(f"found {c}" for c in CLASSIFICATIONS), "voiceover right"],
    )
    for truth in CLASSIFICATIONS:
        for kind in sorted({_holds(video) for video, _ in found if video.classification == truth}):
            right, total = voiced[kind, True], voiced[kind, True] + voiced[kind, False]
            table.add(kind, truth, *(counts[kind, c] for c in CLASSIFICATIONS), f"{right} of {total}")
    wrong = [
        video.name
        for video, mix in found
        if (mix.classification, mix.voiceover) != (video.classification, video.voiceover)
    ]
    table.notes.append(f"Wrong: {', '.join(wrong) or 'none'}. A voice 10 LU under its background counts as a voice.")
    return table


def _holds(video: Video) -> str:
    if video.speech:
        quiet = video.level_db is not None and video.level_db < 0
        return "a whisper" if video.voice_kind == "whisper" else "talk 10 LU under it" if quiet else "talk"
    for start, kind in (("singing alone", "singing"), ("singing over", "singing over music"), ("track", "music")):
        if video.name.startswith(start):
            return kind
    return video.name if video.classification != "ambient" else "laughter, animals, places"


# --- the ducking --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ducked:
    """Music under a video after one way of ducking."""

    video: Video
    voice: Sound
    """as loud as in the mix, without what else the video sounds"""
    soundtrack: Sound
    music: Sound
    """before the ducking"""
    heard: Sound
    """after"""
    curve: Curve
    """attenuation, dB, every 10 ms"""


def by_points(video: Video, mix: Mix, music: Sound, points: Sequence[tuple[float, float]]) -> Ducked:
    """Ducked by a curve of points; none: not ducked."""
    assert video.sound is not None
    assert video.voice is not None
    time = np.arange(video.sound.size) / RATE
    gain = duck_gain(points, time) if len(points) else np.ones(time.size)
    raised, music_gain = 10 ** ((mix.video_gain_db or 0) / 20), 10 ** ((mix.music_gain_db or 0) / 20)
    under = (music * music_gain).astype(np.float32)
    curve = -20 * np.log10(np.maximum(gain[:: RATE // HZ], 1e-9)) + 0.0
    return Ducked(video, video.voice * raised, video.sound * raised, under, (under * gain).astype(np.float32), curve)


def by_sidechain(video: Video, mix: Mix, music: Sound) -> Ducked:
    """FFmpeg's compressor with the soundtrack as its key: 8 to 1 over -34 dBFS, 20 ms down, 500 ms up."""
    plain = by_points(video, mix, music, ())
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("music.wav", "key.wav", "out.wav")]
        for path, sound in zip(paths, (plain.music, plain.soundtrack), strict=False):
            soundfile.write(path, sound, RATE, "FLOAT")
        graph = "[0][1]sidechaincompress=threshold=0.02:ratio=8:attack=20:release=500"
        music_path, key_path, out_path = map(str, paths)
        command = ["ffmpeg", "-v", "error", "-i", music_path, "-i", key_path, "-filter_complex", graph]
        subprocess.run([*command, "-c:a", "pcm_f32le", out_path], check=True)
        heard = soundfile.read(paths[2], dtype="float32")[0]
    heard = np.pad(heard, (0, max(0, plain.music.size - heard.size)))[: plain.music.size]
    before, after = (level_curve(sound, RATE).power + 1e-12 for sound in (plain.music, heard))
    curve = np.convolve(np.pad(10 * np.log10(before / after), 2, mode="edge"), np.ones(5) / 5, mode="valid")
    return Ducked(video, plain.voice, plain.soundtrack, plain.music, heard, curve)


def fixed(mix: Mix, seconds: float) -> list[tuple[float, float]]:
    """12 dB wherever speech was found, 50 ms down and 200 ms up."""
    time = np.arange(round(seconds * HZ)) / HZ
    curve = np.zeros(time.size)
    for start, end in mix.duck.speech_ranges if mix.duck else ():
        curve = np.maximum(curve, np.interp(time, [start - 0.05, start, end, end + 0.2], [0, 12, 12, 0]))
    return [(float(t), float(c)) for t, c in zip(time, curve, strict=True)]


@dataclass
class Heard:
    """What is measured of one way of ducking."""

    bridge_seconds: float = 2.0
    """pauses up to which a block of speech goes on"""
    under: list[float] = field(default_factory=list)
    """LU of the voice over the music, utterance by utterance"""
    outside: list[float] = field(default_factory=list)
    """dB of attenuation farther than two seconds from speech, the largest of each video"""
    error: list[float] = field(default_factory=list)
    """dB that the music is off its level there, mean of each video"""
    missing: list[float] = field(default_factory=list)
    """dB that the curve lacks at the first sound of an utterance, of what it reaches in the second after"""
    moves: int = 0
    needed: int = 0
    short: int = 0
    steepest: list[float] = field(default_factory=list)
    points: list[float] = field(default_factory=list)
    """points a second"""
    pairs: list[tuple[Sound, Sound]] = field(default_factory=list)

    def add(self, ducked: Ducked) -> None:
        """Measure one video."""
        voice, music = level_curve(ducked.voice, RATE), level_curve(ducked.heard, RATE)
        speech, curve = ducked.video.speech, ducked.curve
        time = np.arange(curve.size) / HZ
        for start, end in speech:
            if end - start >= 0.3 and music.power_between(start, end) > 1e-9:
                self.under.append(voice.lufs(start, end) - music.lufs(start, end))
            first = round(start * HZ)
            self.missing.append(
                float(curve[first : first + round(min(1.0, end - start) * HZ)].max(initial=0) - curve[first])
            )
        away = np.min([np.maximum(np.maximum(a - time, time - b), 0) for a, b in speech], axis=0) > 2.0
        if away.any():
            self.outside.append(float(np.abs(curve[away]).max()))
            self.error.append(float(np.abs(curve[away]).mean()))
        moves, short = movements(curve)
        self.moves, self.short = self.moves + moves, self.short + short
        blocks = [speech[0]]
        for start, end in speech[1:]:
            blocks[-1:] = (
                [(blocks[-1][0], end)] if start - blocks[-1][1] <= self.bridge_seconds else [blocks[-1], (start, end)]
            )
        self.needed += 2 * len(blocks) if curve.max() > 1 else 0
        self.steepest.append(float(np.abs(np.diff(curve)).max() * HZ))
        inside = np.concatenate([np.arange(round(a * RATE), round(b * RATE)) for a, b in speech])
        inside = inside[inside < ducked.voice.size]
        self.pairs.append((ducked.voice[inside], (ducked.soundtrack + ducked.heard)[inside]))


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


def ducking_table(found: list[tuple[Video, Mix]]) -> Table:
    """Every way of ducking on the videos in which a voice-over is spoken and found."""
    table = Table(
        "Mix: ducking",
        ["way", "videos", "voice over music LU, median", "worst tenth", "ESTOI", "outside dB, max", "outside dB, mean",
         "full depth late, % of utterances", "moves / needed", "ducks < 0.3 s", "steepest dB/s", "points/s"],
    )  # fmt: skip
    chosen = [(k, video, mix) for k, (video, mix) in enumerate(found) if video.speech and mix.voiceover]
    ways: dict[str, Callable[[Video, Mix, Sound], Ducked]] = {
        "as the mix says": lambda video, mix, music: by_points(video, mix, music, _points(mix)),
        "not ducked": lambda video, mix, music: by_points(video, mix, music, ()),
        "fixed 12 dB": lambda video, mix, music: by_points(video, mix, music, fixed(mix, music.size / RATE)),
        "FFmpeg sidechaincompress": by_sidechain,
    }  # fmt: skip
    for way, duck in ways.items():
        heard = Heard()
        for k, video, mix in chosen:
            assert video.sound is not None
            heard.add(duck(video, mix, music_for(k)[: video.sound.size]))
            if way == "as the mix says" and mix.duck:
                heard.points.append(len(mix.duck.envelope_points) / (video.sound.size / RATE))
        estoi = understood(heard.pairs)
        table.add(
            way, len(chosen), float(np.median(heard.under)), float(np.quantile(heard.under, 0.1)),
            None if estoi is None else float(np.mean(estoi)), max(heard.outside, default=0.0),
            float(np.mean(heard.error)) if heard.error else 0.0, _percent(np.array(heard.missing) > 0.2),
            heard.moves / heard.needed if heard.needed else None, heard.short, max(heard.steepest),
            max(heard.points) if heard.points else None,
        )  # fmt: skip
    table.notes.append(
        "Music and voice are brought to the same levels in every row. Outside: farther than 2 s from any speech. Full "
        "depth is late where the curve lacks more than 0.2 dB at an utterance's first sound of what it reaches within "
        "a second. Moves are falls and rises over 1 dB; needed are two for each block of speech (pauses up to 2 s "
        "belong to it). ESTOI is of soundtrack and music together against the dry voice, inside speech."
    )
    return table


def presets_table(found: list[tuple[Video, SoundtrackMeasure]]) -> Table:
    """What each preset makes of the same videos and music, where the voice is no whisper and at 0 LU or more."""
    table = Table(
        "Mix: ducking presets",
        ["preset", "videos", "voice over music LU, median", "worst tenth", "outside dB, max", "moves / needed",
         "ducks < 0.3 s", "steepest dB/s", "points/s"],
    )  # fmt: skip
    for name in DUCK_PRESETS:
        duck = DuckParams.model_validate({"preset": name})
        heard, count = Heard(duck.bridge_seconds), 0
        for k, (video, soundtrack) in enumerate(found):
            if _holds(video) != "talk" or video.sound is None:
                continue
            music = music_for(k)[: video.sound.size]
            mix = mixed(video, soundtrack, music, duck)
            heard.add(by_points(video, mix, music, _points(mix)))
            heard.points.append(len(_points(mix)) / (video.sound.size / RATE))
            count += 1
        table.add(
            name, count, float(np.median(heard.under)), float(np.quantile(heard.under, 0.1)), max(heard.outside),
            heard.moves / heard.needed, heard.short, max(heard.steepest), max(heard.points),
        )  # fmt: skip
    table.notes.append(
        "Needed are two moves for each block of speech; shorter pauses than the preset bridges join blocks."
    )
    return table


def _points(mix: Mix) -> Sequence[tuple[float, float]]:
    return mix.duck.envelope_points if mix.duck else ()


def _percent(where: NDArray[np.bool_]) -> float:
    return float(100 * np.mean(where)) if where.size else 0.0


def run() -> list[Table]:
    """All tables."""
    heard = [(video, measured(video)) for video in videos(SEED)]
    found = [(video, mixed(video, soundtrack, music_for(k))) for k, (video, soundtrack) in enumerate(heard)]
    return [confusion_table(found), ranges_table(found), ducking_table(found), presets_table(heard)]
