"""Seam scores on splices with known answers, ours beside PyMusicLooper's own.

Splices nobody should hear: inside exact repeats of the truth, from the second bar of one to the same bar of the other
(the notes are the same, the performance may differ), and natural near-repeats, from a bar of a section to the same bar
of another section of that name, length and chords, played again by other fingers or with another melody; and the edges
of both, where sections of one name begin or end, so that only what comes or only what was heard agrees. Splices anybody
should hear: the same ones entered a beat or half a bar too late or too early, splices into a section of another name,
and into another key: sections of the same name that the track itself moves up, and a copy of the track's middle moved
by one to six semitones, as loud as the original.

Scores come from the true grid, so that what is judged is the score and not the tracker. PyMusicLooper is given the same
file and the same two instants.

What the tracker does to loops is measured apart: every track is looped on the grid that onset strengths give and on the
one that the network gives, and the seams of both plans are judged on the rendered sound against the true beats.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from tests.benchmarks.judge import Splice, Verdict, judge
from tests.benchmarks.peer_answers import kept
from tests.benchmarks.table import Table
from tests.benchmarks.tracks import BUNDLED, Track, bundled
from workbench.beats.grid import BeatGrid
from workbench.beats.track import track_beats
from workbench.loops.bodies import loop_profile
from workbench.loops.cover import plan_loop
from workbench.loops.plan import LoopPlan
from workbench.loops.seams import SeamEvidence, score_splices, seam_evidence
from workbench.params import BeatParams, SeamParams
from workbench.recording import Recording
from workbench.render.playback import render_blocks

ROOT = Path(__file__).parents[2]
PEER = ROOT / ".venv" / "peers" / "bin" / "python"
PROGRAM = Path(__file__).with_name("peer_seams.py")
EACH = 24
"""splices of a kind taken from a track at most"""
SAME_CHORDS = 0.6
"""correlation of librosa's chroma over which two sections of one name count as playing the same chords"""
KEY_BARS = 24
"""bars copied into another key"""
EXTRA_SECONDS = 90.0
"""by which the video is longer than the track, as in `plans`"""
NEAR_SECONDS = 0.07
"""s from a true downbeat within which a found one is right, as in mir_eval"""
GOOD = ("exact repeat", "near repeat", "edge of a repeat")
BAD = ("a beat off", "half a bar off", "another section", "another key")


@dataclass(frozen=True)
class Truth:
    """What is known of a track."""

    name: str
    batch: int
    sound: NDArray[np.float32]
    rate: int
    grid: BeatGrid
    sections: tuple[tuple[int, int, str], ...]
    """first bar, one past the last bar, name"""
    repeats: tuple[tuple[int, int, int], ...]
    """bars of the first, of the second, how many"""


@dataclass(frozen=True)
class Case:
    """A splice with a known answer; beats of the (lengthened) recording."""

    kind: str
    leave: int
    enter: int


def truth_of(name: str, batch: int, sound: NDArray[np.float32], rate: int, path: Path) -> Truth | None:
    """Read a truth file; None where there is no pulse to splice on."""
    body = json.loads(path.read_text())
    found = {one["namespace"]: one["data"] for one in body["annotations"]}
    beats = found.get("beat_position", [])
    if len(beats) < 32:
        return None
    times = np.array([row["time"] for row in beats])
    places = np.array([row["value"]["position"] for row in beats])
    per_bar = int(np.median([row["value"]["num_beats"] for row in beats]))
    grid = BeatGrid(times, places, per_bar, 1.0)
    bars = grid.downbeats
    sections = []
    for row in found.get("segment_open", []):
        first = int(np.argmin(np.abs(bars - row["time"])))
        last = int(np.searchsorted(bars, row["time"] + row["duration"] - 0.05))
        sections.append((first, last, str(row["value"])))
    repeats = [
        (row["first_bar"] - 1, row["second_bar"] - 1, row["bars"])
        for row in body["sandbox"].get("exact_repeats", [])
        if row["same_length"]
    ]
    return Truth(name, batch, sound, rate, grid, tuple(sections), tuple(repeats))


def in_another_key(truth: Truth, semitones: int) -> tuple[Recording, BeatGrid, int]:
    """The track, followed by a copy of its middle bars in another key; and the first bar copied."""
    import librosa

    bars = truth.grid.downbeats
    first = max(0, min(len(bars) - KEY_BARS - 1, len(bars) // 2 - KEY_BARS // 2))
    last = min(first + KEY_BARS, len(bars) - 1)
    begin, end = round(bars[first] * truth.rate), round(bars[last] * truth.rate)
    copy = np.stack([librosa.effects.pitch_shift(c[begin:end], sr=truth.rate, n_steps=semitones) for c in truth.sound])
    beats, places = truth.grid.beats, truth.grid.positions
    copied = (beats >= bars[first] - 1e-6) & (beats < bars[last] - 1e-6)
    copy *= np.sqrt(np.mean(np.square(truth.sound[:, begin:end])) / max(float(np.mean(np.square(copy))), 1e-12))
    # The copy opens a bar where the track's last bar would have ended, or at the end of the file.
    gap = truth.sound.shape[1] / truth.rate
    times = np.concatenate((beats, beats[copied] - begin / truth.rate + gap))
    grid = BeatGrid(times, np.concatenate((places, places[copied])), truth.grid.beats_per_bar, 1.0)
    return Recording.from_samples(np.concatenate((truth.sound, copy), axis=1), truth.rate), grid, first


def cases_of(truth: Truth, first_copied: int, n_copied: int, rng: np.random.Generator) -> list[Case]:
    """Splices of every kind that the track offers, at most EACH of one kind."""
    lines = truth.grid.downbeat_indices
    n_bars, n_beats = lines.size, truth.grid.beats.size
    lengths = np.diff(truth.grid.beats)

    def in_time(leave: int, enter: int) -> bool:
        return abs(float(lengths[lines[leave] - 1] - lengths[lines[enter]])) < 0.01

    found: dict[str, set[tuple[int, int]]] = {kind: set() for kind in (*GOOD, *BAD)}
    exact = {(a + k, b + k) for a, b, count in truth.repeats for k in range(1, count - 1) if max(a, b) + count < n_bars}
    for a, b in exact:
        found["exact repeat"] |= {(b, a), (a, b)}
    chords = Chords(truth)
    name = {bar: label for first, last, label in truth.sections for bar in range(first, last)}
    for at, (first, last, label) in enumerate(truth.sections):
        for other_first, other_last, other in truth.sections[:at]:
            if other != label or other_last - other_first != last - first:
                continue
            semitones, agreement = chords.compare(first, other_first, last - first)
            if agreement < SAME_CHORDS:
                continue
            kind = "another key" if semitones else "near repeat"
            if not semitones:
                edges = [(first, other_first), (last, other_last)]
                found["edge of a repeat"] |= {
                    pair
                    for a, b in edges
                    for pair in ((a, b), (b, a))
                    if min(pair) >= 2 and max(pair) + 2 < n_bars and in_time(*pair)
                }
            for k in range(1, last - first - 2):
                pair = (first + k, other_first + k)
                if pair not in exact and pair[::-1] not in exact and first + k + 2 < n_bars:
                    found[kind] |= {pair, pair[::-1]}
    good = [(int(lines[a]), int(lines[b])) for kind in GOOD for a, b in sorted(found[kind])]
    bars = [(a, b) for a in range(2, n_bars - 2) for b in range(2, n_bars - 2)]
    found["another section"] = {
        (a, b)
        for a, b in bars
        if name.get(a, "") != name.get(b, "") and name.get(a - 1) == name.get(a) and name.get(b - 1) == name.get(b)
    }
    result: list[Case] = []
    for kind in (*GOOD, "another section", "another key"):
        pairs = sorted(found[kind])
        some = [pairs[k] for k in rng.permutation(len(pairs))[:EACH]]
        result.extend(Case(kind, int(lines[leave]), int(lines[enter])) for leave, enter in some)
    half = truth.grid.beats_per_bar // 2
    for kind, steps in (("a beat off", (-1, 1)), ("half a bar off", (half, -half))):
        if kind == "half a bar off" and (truth.grid.beats_per_bar % 2 or half < 2):
            continue
        for k in rng.permutation(len(good))[:EACH]:
            leave, enter = good[k][0], good[k][1] + steps[int(rng.integers(2))]
            if 0 <= enter < n_beats and enter != leave:
                result.append(Case(kind, leave, enter))
    copies = np.arange(2, n_copied - 2)
    for k in rng.permutation(copies.size)[: EACH - sum(case.kind == "another key" for case in result)]:
        bar = int(copies[k])
        result.append(
            Case(
                "another key",
                int(lines[first_copied + bar]),
                n_beats + int(lines[first_copied + bar] - lines[first_copied]),
            )
        )
    return result


class Chords:
    """librosa's chroma through the bars of a track: an opinion on chords that owes nothing to ours."""

    def __init__(self, truth: Truth) -> None:
        """Sample the chroma four times a bar."""
        import librosa

        chroma = librosa.feature.chroma_cqt(y=truth.sound.mean(axis=0), sr=truth.rate, hop_length=2048)
        times = librosa.times_like(chroma, sr=truth.rate, hop_length=2048)
        bars = np.append(truth.grid.downbeats, truth.sound.shape[1] / truth.rate)
        at = np.interp(np.arange(4 * truth.grid.downbeats.size) / 4, range(len(bars)), bars) + 0.1
        sampled = np.stack([np.interp(at, times, row) for row in chroma])
        self.chroma = sampled - sampled.mean(axis=0)

    def compare(self, first: int, other: int, n_bars: int) -> tuple[int, float]:
        """Semitones from the bars of one section to those of another, and the correlation of their chords there."""
        a, b = (self.chroma[:, 4 * bar : 4 * (bar + n_bars)] for bar in (first, other))
        scale = float(np.linalg.norm(a) * np.linalg.norm(b))
        agreement = [float(np.vdot(np.roll(a, k, axis=0), b)) / max(scale, 1e-9) for k in range(12)]
        return int(np.argmax(agreement)), max(agreement)


def our_scores(evidence: SeamEvidence, cases: Sequence[Case], params: SeamParams) -> NDArray[np.float64]:
    """`score_seam` of every case, at once."""
    leaves, enters = np.array([c.leave for c in cases]), np.array([c.enter for c in cases])
    return np.array(
        [score_splices(evidence, leaves[k : k + 1], enters[k : k + 1], params)[1][0, 0] for k in range(len(cases))]
    )


def peer_scores(recording: Recording, grid: BeatGrid, cases: Sequence[Case]) -> NDArray[np.float64] | None:
    """PyMusicLooper's score of every case, or None where it is not installed."""
    if not PEER.exists():
        return None
    places = [[float(grid.beats[c.leave]), float(grid.beats[c.enter])] for c in cases]
    asked = json.dumps([recording.content_hash, grid.tempo_bpm, places])
    return np.array(kept(PROGRAM, asked, lambda: ask_peer(recording, grid.tempo_bpm, places)))


def ask_peer(recording: Recording, bpm: float, places: list[list[float]]) -> list[float]:
    """PyMusicLooper's score of splices at the places, seconds, in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "track.wav"
        soundfile.write(file, recording.samples.T, recording.sample_rate, subtype="PCM_16")
        done = subprocess.run(
            [str(PEER), str(PROGRAM), str(file), str(bpm)],
            input=json.dumps(places), capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"PyMusicLooper failed: {done.stderr[-2000:]}")
    scores: list[float] = json.loads(done.stdout.splitlines()[-1])
    return scores


def auc(good: NDArray[np.float64], bad: NDArray[np.float64]) -> float | None:
    """Area under the ROC curve: how often a good splice scores above a bad one, ties counting half."""
    if not good.size or not bad.size:
        return None
    above = (good[:, None] > bad[None, :]).mean() + 0.5 * (good[:, None] == bad[None, :]).mean()
    return float(above)


def truths() -> list[Truth]:
    """Every bundled track with a pulse."""
    return [t for track in bundled() if (t := bundled_truth(track)) is not None]


def bundled_truth(track: Track) -> Truth | None:
    """The truth of a bundled track."""
    samples, rate = track.samples()
    return truth_of(track.name, track.batch, samples, rate, BUNDLED / "truth" / f"{track.name}.jams")


def measure(tracks: Sequence[Truth], params: SeamParams | None = None) -> list[dict[str, object]]:
    """One row a splice: track, batch, kind, our score, ours without knowledge of the metre, the peer's."""
    params = params or SeamParams()
    deaf = params.model_copy(update={"bar_phase_penalty": 0.0})
    rows: list[dict[str, object]] = []
    for number, truth in enumerate(tracks):
        recording, grid, first = in_another_key(truth, (1, 2, 3, 5, 6, -1, -2, -4)[number % 8])
        n_copied = int(grid.downbeats.size - truth.grid.downbeats.size)
        cases = cases_of(truth, first, n_copied, np.random.default_rng(number))
        evidence = seam_evidence(recording, grid, params)
        scores, plain = our_scores(evidence, cases, params), our_scores(evidence, cases, deaf)
        peers = peer_scores(recording, grid, cases)
        for k, case in enumerate(cases):
            rows.append(
                {"track": truth.name, "batch": truth.batch, "kind": case.kind, "ours": scores[k], "deaf": plain[k],
                 "peer": None if peers is None else peers[k]}
            )  # fmt: skip
    return rows


def table_of(title: str, rows: Sequence[dict[str, object]]) -> Table:
    """Areas under the curve of each kind of bad splice against all good ones, and medians of the scores."""
    table = Table(
        title, ["splices", "n", "median seam_score", "AUC seam_score", "AUC without metre", "AUC PyMusicLooper"]
    )
    good = {
        who: np.array([r[who] for r in rows if r["kind"] in GOOD and r[who] is not None], float)
        for who in ("ours", "deaf", "peer")
    }
    for kind in (*GOOD, *BAD):
        of_kind = {
            who: np.array([r[who] for r in rows if r["kind"] == kind and r[who] is not None], float) for who in good
        }
        if not of_kind["ours"].size:
            continue
        areas = [auc(good[who], of_kind[who]) if kind in BAD else None for who in good]
        table.add(kind, of_kind["ours"].size, float(np.median(of_kind["ours"])), *areas)
    bad = {who: np.array([r[who] for r in rows if r["kind"] in BAD and r[who] is not None], float) for who in good}
    table.add(
        "all bad ones", bad["ours"].size, float(np.median(bad["ours"])), *(auc(good[who], bad[who]) for who in good)
    )
    return table


@dataclass(frozen=True)
class Loop:
    """What came of looping a track on a grid that was found; no verdicts where it was refused."""

    batch: int
    offered: float | None
    """share of the good splices both of whose ends are found downbeats; None where the track has none, as below"""
    mistaken: float | None
    """the same of splices a beat or half a bar off: a looper that keeps to bar lines would take them for good"""
    on_bar_lines: list[bool]
    """for each seam of the plan, whether it leaves and enters at true downbeats"""
    verdicts: list[Verdict]


def loop_on(track: Track, truth: Truth, cases: Sequence[Case], activation: str) -> Loop:
    """Find the beats, plan a loop on them, render it and judge its seams by the true ones."""
    recording = Recording.from_samples(truth.sound, truth.rate)
    grid = track_beats(recording, params=BeatParams.model_validate({"activation": activation}))

    def near(lines: NDArray[np.floating], times: Sequence[float]) -> bool:
        return bool(lines.size) and all(float(np.abs(lines - at).min()) <= NEAR_SECONDS for at in times)

    def share(kinds: Sequence[str]) -> float | None:
        ends = [[float(truth.grid.beats[at]) for at in (c.leave, c.enter)] for c in cases if c.kind in kinds]
        return float(np.mean([near(grid.downbeats, times) for times in ends])) if ends else None

    plan = plan_loop(loop_profile(recording, grid), recording.duration + EXTRA_SECONDS)
    on_bar_lines, verdicts = [], []
    if isinstance(plan, LoopPlan):
        rendered = np.concatenate(list(render_blocks(plan, recording)), axis=1)
        pairs = zip(plan.segments[:-1], plan.segments[1:], plan.seam_times, strict=True)
        splices = {(a.song_to, b.song_from): Splice(at, a.song_to, b.song_from) for a, b, at in pairs}
        for splice in splices.values():
            on_bar_lines.append(near(truth.grid.downbeats, (splice.song_to, splice.song_from)))
            verdicts.append(judge(rendered, truth.sound, truth.rate, splice, *track.beats()))
    return Loop(truth.batch, share(GOOD), share(("a beat off", "half a bar off")), on_bar_lines, verdicts)


def before_and_after() -> Table:
    """Loops on the grid of onset strengths and on that of the network."""
    columns = ["grid from", "tracks looped", "good splices offered", "splices off the bar offered", "seams"]
    measures = ["beat dev ms, mean", "worst", "level step LU", "surprise pct", "flux pct"]
    table = Table("Loop seams before and after the network", [*columns, "on true bar lines", *measures])
    known = [(track, truth) for track in bundled() if track.is_song and (truth := bundled_truth(track)) is not None]
    cases = [cases_of(truth, 0, 0, np.random.default_rng(number)) for number, (_, truth) in enumerate(known)]
    for activation, name in (("onsets", "onset strengths"), ("network", "the network")):
        loops = [loop_on(*pair, some, activation) for pair, some in zip(known, cases, strict=True)]
        for which, chosen in (("", loops), (", tracks composed last", [loop for loop in loops if loop.batch == 2])):
            table.add(name + which, *loop_row(chosen))
    table.notes.append(
        f"Video: the track and {EXTRA_SECONDS:.0f} s more. *Offered*: of the splices above, those whose both ends are "
        f"found downbeats, to {1000 * NEAR_SECONDS:.0f} ms; a planner that keeps to bar lines chooses among them. All "
        "seams of all plans count alike; beats, bar lines, flux and surprise as in *plans*, against the true grid."
    )
    return table


def loop_row(loops: Sequence[Loop]) -> list[object]:
    """The cells of a row: means over tracks of what is offered, over seams of what is heard."""
    verdicts = [verdict for loop in loops for verdict in loop.verdicts]
    on_bar_lines = [on for loop in loops for on in loop.on_bar_lines]
    deviations = [verdict.beat_deviation_ms for verdict in verdicts]
    heard = [(v.level_step_lu, v.surprise_percentile, v.flux_percentile) for v in verdicts]

    def mean(shares: list[float | None]) -> float | None:
        there = [one for one in shares if one is not None]
        return float(np.mean(there)) if there else None

    means = np.nanmean(np.array(heard), axis=0).tolist() if heard else [None] * 3
    return [
        f"{sum(bool(loop.verdicts) for loop in loops)} of {len(loops)}",
        mean([loop.offered for loop in loops]),
        mean([loop.mistaken for loop in loops]),
        len(verdicts),
        float(np.mean(on_bar_lines)) if on_bar_lines else None,
        float(np.nanmean(deviations)) if deviations else None,
        float(np.nanmax(deviations)) if deviations else None,
        *means,
    ]


def run() -> list[Table]:
    """The tables: all tracks, and those apart that were composed after the tracker was done; loops on found grids."""
    rows = measure(truths())
    tables = [table_of("Splices with known answers, all tracks", rows)]
    last = [row for row in rows if row["batch"] == 2]
    if last:
        tables.append(table_of("The tracks composed last", last))
    tables.append(before_and_after())
    tables[0].notes.append(
        "AUC: how often a good splice scores above a bad one of this kind. *Without metre*: our score with the place "
        "in the bar taken away, so that it has to hear that a splice limps. The last column is PyMusicLooper's own "
        "ranking score for the same two instants of the same file"
        + ("." if PEER.exists() else "; it is not installed here, so the column is empty.")
    )
    return tables


if __name__ == "__main__":
    for one in run():
        print(one.markdown())
