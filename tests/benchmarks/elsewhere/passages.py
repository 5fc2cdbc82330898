"""Twenty minutes of speech over music, as the command line renders it: every passage measured, the worst ones drawn.

    python -m tests.benchmarks.elsewhere.passages FOLDER --out OUT [--pictures]

FOLDER is of `data.recipes.material.spoken_videos`, with `recordings FOLDER --role test`. OUT gets videos, plans and
renders, which are not made again where they are there, and with `--pictures` a picture of each of the ten worst.

The same plan is rendered under a silent video too, which gives the music alone; the voice is known, so nothing depends
on what the workbench believes. A passage is a stretch of 6 s at most of what somebody says, with the pause before it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from data.recipes.material.recordings import ElsewhereRecording, recordings
from data.recipes.material.soundtracks import RATE, Ranges, Sound
from data.recipes.material.spoken_videos import SECONDS, SpokenVideo, spoken_videos, write_video
from tests.benchmarks.mix import HZ, Finding, movements, understood
from tests.benchmarks.plans import workbench
from tests.benchmarks.table import Table
from workbench.features.levels import LevelCurve, level_curve, to_lufs
from workbench.media.audio import decode
from workbench.mix.clarity import CLEAR_LU, PASSAGE_SECONDS
from workbench.mix.fades import duck_gain
from workbench.video.speech_ranges import join_utterances

LONGEST = 6.0
"""s of a passage"""
COUNT = 10
_TRACK_SECONDS = (55.0, 125.0)
_SWELL_SECONDS = 2.0  # in which music that comes up is taken back too soon
_AWAY_SECONDS = 2.0
_NO_ESTOI = 2e-5  # what pystoi gives for passages that are too short
_BLOCK_SECONDS = 2.5  # pauses up to which a block of speech goes on, as the music stays down through them
Curve = NDArray[np.float64]


@dataclass(frozen=True)
class Passage:
    """What is measured of a passage."""

    video: str
    scene: str
    start: float
    """video seconds"""
    end: float
    over_lu: float
    """LU of the voice over the music as played"""
    worst_lu: float
    """the same in its worst stretch of 3 s"""
    estoi: float
    """of the voice in what was rendered, against the dry voice; nan where pystoi has no environment"""
    estoi_without: float
    """the same without our music"""
    swell_db: float
    """dB by which the music comes up and is taken back within 2 s, in it or in the pause before it"""
    away_db: float
    """largest attenuation in the pause before it, 2 s and more from speech"""

    @property
    def trouble(self) -> float:
        """By which the worst are chosen."""
        return max(0.0, CLEAR_LU - self.worst_lu) + 0.5 * self.swell_db + self.away_db


@dataclass(frozen=True, eq=False)
class Rendered:
    """A video as it was rendered, beside the truth; levels at the gains of the mix."""

    video: SpokenVideo
    track: str
    plan: dict[str, Any]
    voice: LevelCurve
    """of the dry voice"""
    music: LevelCurve
    """as it is played"""
    curve: Curve
    """attenuation of the music every hundredth of a second, dB"""
    found: Ranges
    """speech ranges of the mix"""
    dry: Sound
    heard: Sound
    """what was rendered, mono"""

    @property
    def mix(self) -> dict[str, Any]:
        """Of the plan."""
        mix: dict[str, Any] = self.plan["mix"]
        return mix


def tracks_for(folder: Path) -> list[ElsewhereRecording]:
    """Recordings to test that a video of two scenes is long enough for, packages in turn."""
    least, most = _TRACK_SECONDS
    fitting = [one for one in recordings(folder, "test") if least <= one.seconds <= most]
    order = np.random.default_rng(16).permutation(len(fitting))
    drawn = [fitting[k] for k in order]
    turns: dict[str, int] = {}
    placed = []
    for one in drawn:
        turns[one.source.package] = turns.get(one.source.package, 0) + 1
        placed.append((turns[one.source.package], one))
    return [one for _, one in sorted(placed, key=lambda pair: pair[0])]


def cover(folder: Path, out: Path) -> list[Rendered]:
    """Make the videos, cover each with a track, render it."""
    out.mkdir(parents=True, exist_ok=True)
    tracks, used, found = [one.path for one in tracks_for(folder)], set[Path](), []
    for number, video in enumerate(spoken_videos(folder), start=1):
        print(f"[passages] {video.name}", file=sys.stderr, flush=True)
        path = write_video(video.sound, out / f"{number}.mkv")
        silent = write_video(np.zeros_like(video.sound), out / f"{number}-silent.mkv")
        track = _plan(path, [one for one in tracks if one not in used])
        used.add(track)
        for what, to in ((path, _mixed_path(path)), (silent, _alone_path(path))):
            if not to.exists():
                workbench(
                    out / "home", "render", path.with_suffix(".json"), "--track", track, "--video", what, "-o", to
                )
        found.append(_rendered(video, track, path))
    return found


def _plan(video: Path, tracks: Sequence[Path]) -> Path:
    """The track of a video's plan: the first that can be looped under it, the same each time."""
    plan, chosen = video.with_suffix(".json"), video.with_suffix(".track")
    if chosen.exists():
        return Path(chosen.read_text())
    for track in tracks:
        plan.write_text(workbench(video.parent / "home", "loop", track, "--video", video, "--auto-mix"))
        if json.loads(plan.read_text())["applicable"]:
            chosen.write_text(str(track))
            return track
        print(f"[passages] refused: {track.stem}", file=sys.stderr, flush=True)
    raise SystemExit(f"no track can be looped under {video}")


def _mixed_path(video: Path) -> Path:
    return video.with_name(f"{video.stem}-music.mp4")


def _alone_path(video: Path) -> Path:
    return video.with_name(f"{video.stem}-music-alone.mp4")


def _decoded(path: Path) -> tuple[NDArray[np.float32], int]:
    recording = decode(path)
    return np.atleast_2d(recording.samples), recording.sample_rate


def _mono(samples: NDArray[np.float32], rate: int, size: int) -> Sound:
    sound = soxr.resample(samples.mean(axis=0), rate, RATE)
    return np.pad(sound, (0, max(0, size - sound.size)))[:size].astype(np.float32)


def _rendered(video: SpokenVideo, track: Path, path: Path) -> Rendered:
    plan = json.loads(path.with_suffix(".json").read_text())
    mix, size = plan["mix"], video.sound.size
    heard, heard_rate = _decoded(_mixed_path(path))
    music, music_rate = _decoded(_alone_path(path))
    raised = np.float32(10 ** ((mix.get("video_gain_db") or 0.0) / 20))
    duck = mix.get("duck") or {"envelope_points": [], "speech_ranges": []}
    times = np.arange(round(size / RATE * HZ)) / HZ
    curve = -20 * np.log10(np.maximum(duck_gain(duck["envelope_points"], times), 1e-9)) + 0.0
    return Rendered(
        video, track.stem, plan, level_curve(video.voice * raised, RATE),
        level_curve(music, music_rate), np.asarray(curve), [(a, b) for a, b in duck["speech_ranges"]],
        video.voice * raised, _mono(heard, heard_rate, size),
    )  # fmt: skip


def measure(one: Rendered) -> list[Passage]:
    """All passages of a video, in time."""
    spoken = join_utterances(tuple(sorted(one.video.speech)), 0.3)
    pieces = []
    for k, (start, end) in enumerate(spoken):
        before = spoken[k - 1][1] if k else 0.0
        pieces += [(a, b, before if a == start else a) for a, b in _cut(start, end, LONGEST) if b - a >= 0.3]
    raised = np.float32(10 ** ((one.mix.get("video_gain_db") or 0.0) / 20))
    without = one.video.sound * raised
    clear, plain = (_estoi(one, sound, [(a, b) for a, b, _ in pieces]) for sound in (one.heard, without))
    out = []
    for (start, end, before), estoi, estoi_without in zip(pieces, clear, plain, strict=True):
        first, stop, pause = round(start * HZ), round(end * HZ), round(before * HZ)
        out.append(
            Passage(
                one.video.name,
                one.video.scenes[int(start // SECONDS)],
                round(start, 2),
                round(end, 2),
                _over(one, start, end),
                min(_over(one, a, b) for a, b in _windows(start, end)),
                estoi,
                estoi_without,
                _swell(one.curve, pause, stop),
                _away(one.curve, pause, first),
            )
        )
    return out


def _estoi(one: Rendered, sound: Sound, pieces: Sequence[tuple[float, float]]) -> list[float]:
    """Of the voice in a sound; nan for passages that are too short for it, and where pystoi has no environment."""
    bits = [slice(round(a * RATE), round(b * RATE)) for a, b in pieces]
    found = understood([(one.dry[bit], sound[bit]) for bit in bits]) or [np.nan] * len(bits)
    return [np.nan if value < _NO_ESTOI else value for value in found]


def _over(one: Rendered, start: float, end: float) -> float:
    """LU of voice over music where the voice sounds; 60 where there is no music."""
    played = one.music.power_between(start, end)
    return min(60.0, one.voice.lufs(start, end) - to_lufs(max(played, 1e-12)))


def _windows(start: float, end: float) -> list[tuple[float, float]]:
    """Stretches of 3 s, every half second; of a shorter passage the whole."""
    steps = max(0, int((end - start - PASSAGE_SECONDS) / 0.5 + 1e-9))
    return [(start + 0.5 * k, min(end, start + 0.5 * k + PASSAGE_SECONDS)) for k in range(steps + 1)]


def _swell(curve: Curve, first: int, stop: int) -> float:
    """dB by which the music comes up and is taken back again within `_SWELL_SECONDS`, the lesser of both, at most."""
    half, largest = round(_SWELL_SECONDS * HZ / 2), 0.0
    for k in range(first, stop):
        before, after = curve[max(0, k - half) : k + 1].max(), curve[k : k + half + 1].max()
        largest = max(largest, float(min(before, after) - curve[k]))
    return largest


def _away(curve: Curve, pause: int, first: int) -> float:
    """Largest attenuation in a pause, `_AWAY_SECONDS` and more from speech."""
    margin = round(_AWAY_SECONDS * HZ)
    return float(curve[pause + (margin if pause else 0) : max(0, first - margin)].max(initial=0.0))


def _cut(start: float, end: float, longest: float) -> list[tuple[float, float]]:
    """A stretch in equal pieces, as a mix cuts utterances."""
    count = max(1, int(np.ceil((end - start) / longest - 1e-9)))
    return list(pairwise(np.linspace(start, end, count + 1).tolist()))


def worst(passages: Sequence[Passage], count: int = COUNT) -> list[Passage]:
    """Those with the most trouble."""
    return sorted(passages, key=lambda one: -one.trouble)[:count]


def table_of(rendered: Sequence[Rendered], passages: Sequence[Passage]) -> Table:
    """What is measured of all passages."""
    finding, moves, needed = Finding(), 0, 0
    for one in rendered:
        for k in range(len(one.video.scenes)):
            first, last = k * SECONDS, (k + 1) * SECONDS
            true = [(a, b) for a, b in join_utterances(tuple(sorted(one.video.speech)), 0.3) if first <= a < last]
            found = [(max(a, first), min(b, last)) for a, b in one.found if b > first and a < last]
            finding.add([(a - first, b - first) for a, b in true], [(a - first, b - first) for a, b in found], SECONDS)
            curve = one.curve[round(first * HZ) : round(last * HZ)]
            moves += movements(curve)
            needed += 2 * len(join_utterances(tuple(true), _BLOCK_SECONDS)) if curve.max() > 1 else 0
    table = Table(
        "Speech over music by others",
        ["passages", "voice over music LU, median", "worst tenth", "ESTOI", "without our music", "speech F1",
         "missed, %", "moves / needed"],
    )  # fmt: skip
    over = np.array([p.over_lu for p in passages])
    table.add(
        len(passages), float(np.median(over)), float(np.quantile(over, 0.1)),
        float(np.nanmean([p.estoi for p in passages])), float(np.nanmean([p.estoi_without for p in passages])),
        finding.f1, 100.0 * finding.missed / max(1, finding.missed + finding.hits), moves / needed,
    )  # fmt: skip
    return table


def draw(one: Rendered, passage: Passage, path: Path) -> None:
    """Spectrogram, levels of voice and music, and the attenuation, 4 s to both sides."""
    from matplotlib.figure import Figure

    first, last = max(0.0, passage.start - 4.0), min(one.curve.size / HZ, passage.end + 4.0)
    bit = slice(round(first * RATE), round(last * RATE))
    figure = Figure(figsize=(11, 9), layout="constrained")
    axes = figure.subplots(4, 1, sharex=True)
    for axis, sound, name in ((axes[0], one.heard, "rendered"), (axes[1], one.dry, "dry voice")):
        axis.specgram(sound[bit] + 1e-9, 512, RATE, noverlap=384, xextent=(first, last), vmin=-140, vmax=-40)
        axis.set(ylim=(0, 6000), ylabel=f"{name}, Hz")
    times = np.arange(round(first * HZ), round(last * HZ)) / HZ
    for curve, name in ((one.voice, "voice"), (one.music, "music as played")):
        power = np.convolve(curve.power, np.ones(40) / 40, mode="same")[round(first * HZ) : round(last * HZ)]
        axes[2].plot(times[: power.size], 10 * np.log10(power + 1e-9) - 0.691, label=name)
    axes[2].set(ylim=(-70, -5), ylabel="LUFS, 400 ms")
    axes[2].legend()
    axes[3].plot(times, -one.curve[round(first * HZ) : round(last * HZ)], color="black")
    axes[3].set(ylabel="music, dB", xlabel="video seconds")
    for axis in axes:
        for start, end in one.video.speech:
            axis.axvspan(start, end, 0.94, 1.0, color="green", alpha=0.6)
        for start, end in one.found:
            axis.axvspan(start, end, 0.0, 0.05, color="orange", alpha=0.8)
        axis.set_xlim(first, last)
    figure.suptitle(
        f"{passage.scene} {passage.start:.1f} to {passage.end:.1f} s over {one.track}: trouble {passage.trouble:.1f}, "
        f"{passage.over_lu:.1f} LU, worst {passage.worst_lu:.1f}, swell {passage.swell_db:.1f}, "
        f"away {passage.away_db:.1f} (green: true speech, orange: found)",
        fontsize=9,
    )
    figure.savefig(path, dpi=70)


def main() -> None:
    """Print the tables; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Measure speech over music by others as it is rendered.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--pictures", action="store_true", help="draw the ten worst")
    given = arguments.parse_args()
    rendered = cover(given.folder, given.out)
    passages = [passage for one in rendered for passage in measure(one)]
    print(table_of(rendered, passages).markdown())
    if given.pictures:
        for number, passage in enumerate(worst(passages), start=1):
            one = next(each for each in rendered if each.video.name == passage.video)
            draw(one, passage, given.out / f"worst-{number:02d}.png")


if __name__ == "__main__":
    main()
