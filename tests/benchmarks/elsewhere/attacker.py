"""Can a machine find our seams? A classifier is trained to tell them from the same track's own bar lines.

    python -m tests.benchmarks.elsewhere.attacker FOLDER [--fit N] [--test N]

FOLDER is of `data.recipes.material.recordings`. Every recording is planned for videos 90 s and 300 s longer than
itself. The attacker sees 2 s before and after each splice as it is rendered, and the same of bar lines of the track,
and knows nothing of the plan. It is trained on sources of the role `fit` and tested on those of the role `test`.

The figure is the area under the ROC curve within a recording, mean over the recordings. Each kind is attacked by a
machine that was trained on that kind, served plans and options by one trained on both and on other splices that the
planner may use, PyMusicLooper's by one trained on all. "no seam" are further bar lines, rendered as splices into
themselves: its figure must be about 0.5.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from data.recipes.material.recordings import ElsewhereRecording, recordings
from tests.benchmarks.peer_answers import best_loop
from tests.benchmarks.table import Table, auc
from workbench.analysis.track import Sound, analyze_sound
from workbench.analysis.workspace import Workspace
from workbench.mix.fades import crossfade_in, crossfade_out, decibels_to_gain
from workbench.params import CoverParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.plans.splices import usable_splices
from workbench.recording import FloatArray, Recording
from workbench.seams.splice_fit import fit_splices, line_sounds
from workbench.store.home import Home

EXTRA_SECONDS = (90.0, 300.0)
HALF_SECONDS = 2.0
"""s of an excerpt on each side of the seam"""
MOST_LINES = 88
"""bar lines of a track: as many to measure by as a seam is told from, and an eighth for the control"""
RANDOM_SPLICES = 8
USABLE_SPLICES = 24
"""other splices that the planner may use, of a recording to train on: more of what it has to find"""
KINDS = ("served", "options", "beat late", "random downbeats", "PyMusicLooper", "no seam")
_TRAINED_ON_ALL = ("PyMusicLooper", "no seam")
_STEPS = (0.05, 0.1, 0.25, 0.5, 1.0)
_NOVELTIES = (0.3, 0.6, 1.2)


@dataclass(frozen=True, slots=True)
class Join:
    """One splice as it is played; the defaults play two samples that butt together, but for 0.1 ms."""

    line: float
    """s, track time: bar line at which the track is left, the middle of what the attacker sees"""
    song_to: float
    song_from: float
    fade: float = 1e-4
    exponent: float = 1.0
    gain_in_db: float = 0.0
    glide_seconds: float = 4.0


def play_join(samples: FloatArray, rate: int, join: Join, half_seconds: float = HALF_SECONDS) -> FloatArray:
    """Render what is heard around a splice, shape (channels, n), silent where the track has nothing."""
    half, at = round(half_seconds * rate), round(join.line * rate)
    over = round(join.song_from * rate) - round(join.song_to * rate)
    times = (at + np.arange(-half, half)) / rate - join.song_to
    x = times / join.fade + 0.5
    glide = decibels_to_gain(join.gain_in_db * (1.0 - np.clip(times / join.glide_seconds, 0.0, 1.0)))
    leaves = crossfade_out(x, join.exponent)
    enters = crossfade_in(x, join.exponent) * glide
    return np.asarray(
        _stretch(samples, at - half, at + half) * leaves
        + _stretch(samples, at - half + over, at + half + over) * enters
    )


def _stretch(samples: FloatArray, first: int, stop: int) -> FloatArray:
    sound = np.zeros((samples.shape[0], stop - first))
    low, high = max(first, 0), min(stop, samples.shape[1])
    if high > low:
        sound[:, low - first : high - first] = samples[:, low:high]
    return sound


def joins_of(plan: LoopPlan, downbeats: FloatArray) -> list[Join]:
    """The different splices that a plan plays."""
    found = {}
    for k, (left, entered) in enumerate(zip(plan.segments[:-1], plan.segments[1:], strict=True)):
        line = float(downbeats[np.argmin(np.abs(downbeats - left.song_to))])
        found[left.song_to, entered.song_from] = Join(
            line, left.song_to, entered.song_from, plan.seam_fades[k], plan.seam_curves[k], entered.gain_in_db,
            plan.gain_glide_seconds,
        )  # fmt: skip
    return list(found.values())


# What the attacker measures


def measure(excerpt: FloatArray, rate: int) -> dict[str, float]:
    """What the attacker knows of an excerpt; the seam or bar line lies in its middle."""
    mono = excerpt.mean(axis=0)
    side = excerpt[0] - excerpt[-1]
    times, power = _spectra(mono, rate, 0.023, 0.006)
    bands = _bands(power.shape[1], rate)
    mel = power @ bands.T + 1e-8
    # loudness goes with the power 0.23 of intensity (Zwicker and Fastl, "Psychoacoustics")
    db, loud = 10.0 * np.log10(mel), mel**0.23
    hz = np.linspace(0.0, rate / 2, power.shape[1])
    air = 10.0 * np.log10(power[:, hz > 8000.0].sum(axis=1) + 1e-8)
    low = 10.0 * np.log10(power[:, hz < 160.0].sum(axis=1) + 1e-8)
    level = 10.0 * np.log10(power.sum(axis=1) + 1e-8)
    wide = 10.0 * np.log10((_spectra(side, rate, 0.023, 0.006)[1].sum(axis=1) + 1e-8) / (10.0 ** (level / 10.0)))
    found: dict[str, float] = {}
    for width in _STEPS:
        for gap in (0.012, 0.15) if width in (0.25, 0.5) else (0.012,):
            name = f"{width:g}" + (" apart" if gap > 0.1 else "")
            before = (times >= -gap - width) & (times <= -gap)
            after = (times >= gap) & (times <= gap + width)
            step = db[after].mean(axis=0) - db[before].mean(axis=0)
            found[f"shape {name}"] = _unlike(loud[before].mean(axis=0), loud[after].mean(axis=0))
            found[f"bands {name}"] = float(np.sqrt(np.mean(step**2)))
            found[f"bands without level {name}"] = float(np.std(step))
            found[f"greatest drop {name}"] = float(-step.min())
            found[f"greatest rise {name}"] = float(step.max())
            for what, values in (("level", level), ("air", air), ("low", low), ("width", wide)):
                signed = float(values[after].mean() - values[before].mean())
                found[f"{what} {name}"] = abs(signed)
                found[f"{what} up {name}"] = signed
    found |= _steps_beside(loud, times)
    found |= _novelties(db, times)
    found |= _held_notes(mono, rate)
    found |= _attacks(db, times)
    found |= _clicks(mono, rate)
    return found


def _spectra(mono: FloatArray, rate: int, window_seconds: float, hop_seconds: float) -> tuple[FloatArray, FloatArray]:
    """Middles of frames in s from the middle of the excerpt, and their power spectra."""
    size = fft.next_fast_len(round(window_seconds * rate), real=True)
    hop = max(1, round(hop_seconds * rate))
    frames = np.lib.stride_tricks.sliding_window_view(mono, size)[::hop]
    times = (np.arange(len(frames)) * hop + size / 2 - mono.size / 2) / rate
    window = np.hanning(size).astype(np.float32)
    return times, np.square(np.abs(fft.rfft(frames.astype(np.float32) * window, axis=1))) / (size / 4) ** 2


def _bands(bins: int, rate: int) -> FloatArray:
    """40 bands of equal width in mel from 40 Hz to 16 kHz, shape (40, bins)."""
    mel = np.linspace(2595 * np.log10(1 + 40 / 700), 2595 * np.log10(1 + min(16000, rate / 2) / 700), 42)
    edges = 700 * (10 ** (mel / 2595) - 1)
    hz = np.linspace(0.0, rate / 2, bins)
    low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    filters = np.maximum(0.0, np.minimum((hz - low) / (mid - low), (high - hz) / (high - mid)))
    nearest = np.abs(hz[None, :] - mid).argmin(axis=1)
    filters[np.arange(40), nearest] = np.maximum(filters[np.arange(40), nearest], 1.0)
    return np.asarray(filters)


def _unlike(a: FloatArray, b: FloatArray) -> float:
    return float(1.0 - np.dot(a, b) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9))


def _steps_beside(loud: FloatArray, times: FloatArray) -> dict[str, float]:
    """Steps of the spectral shape in the middle beside the greatest ones within 1 s."""
    total = np.concatenate((np.zeros((1, loud.shape[1])), np.cumsum(loud, axis=0)))
    found = {}
    for width in (0.05, 0.1, 0.25):
        n = round(width / 0.006)
        at = np.flatnonzero(np.abs(times) <= 1.0)
        # means of n frames by differences of running sums; two frames on either side of the place are left out
        before, after = total[at - 2] - total[at - 2 - n], total[at + 3 + n] - total[at + 3]
        norm = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        step = 1.0 - np.sum(before * after, axis=1) / np.maximum(norm, 1e-9)
        here = np.abs(times[at]) <= 0.02
        beside = np.abs(times[at]) >= 0.12
        found[f"shape of near ones {width:g}"] = float(np.log((step[here].max() + 1e-4) / (step[beside].max() + 1e-4)))
        found[f"shape among near ones {width:g}"] = float((step[beside] > step[here].max()).mean())
    return found


def _novelties(db: FloatArray, times: FloatArray) -> dict[str, float]:
    """How much alike each side is in itself and how unlike the other, also against places near by."""
    rows = db - db.mean(axis=0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    alike = rows @ rows.T
    middle = int(np.searchsorted(times, 0.0))
    found = {}
    for seconds in _NOVELTIES:
        n = round(seconds / 0.006)

        def at(place: int, n: int = n) -> float:
            a, b = slice(place - n, place), slice(place, place + n)
            return float(alike[a, a].mean() + alike[b, b].mean() - 2 * alike[a, b].mean())

        here = at(middle)
        beside = [at(middle + k) for k in range(-80, 81, 20) if n <= middle + k <= len(rows) - n and abs(k) >= 40]
        found[f"novelty {seconds:g}"] = here
        found[f"novelty beside {seconds:g}"] = here - max(beside)
    return found


def _held_notes(mono: FloatArray, rate: int) -> dict[str, float]:
    """How far the strongest held partials fall after the middle, or rise after silence before it, dB."""
    times, power = _spectra(mono, rate, 0.093, 0.02)
    count = int(np.searchsorted(np.linspace(0.0, rate / 2, power.shape[1]), 5000.0))
    db = 10.0 * np.log10(power[:, :count] + 1e-9)

    def span(low: float, high: float) -> FloatArray:
        return np.asarray(db[(times >= low) & (times <= high)])

    found = {}
    for name, near, far in (("short", 0.15, 0.3), ("long", 0.4, 0.8)):
        held = span(-far, -0.05).min(axis=0)
        loud = np.argsort(-held)[:40]
        found[f"held lost {name}"] = float(np.clip(held - span(0.05, near).max(axis=0), 0, 40)[loud].mean())
        held = span(0.05, far).min(axis=0)
        loud = np.argsort(-held)[:40]
        found[f"held from nowhere {name}"] = float(np.clip(held - span(-near, -0.05).max(axis=0), 0, 40)[loud].mean())
    before, after = (10.0 ** (span(*at).mean(axis=0) * 0.023) for at in ((-0.8, -0.05), (0.05, 0.8)))
    found["tones"] = _unlike(before, after)
    before, after = (10.0 ** (span(*at).mean(axis=0) * 0.023) for at in ((-0.3, -0.05), (0.05, 0.3)))
    found["tones near"] = _unlike(before, after)
    return found


def _attacks(db: FloatArray, times: FloatArray) -> dict[str, float]:
    """Attacks, endings and pulse."""
    lag = 4
    step = db[lag:] - db[:-lag]
    at = times[lag:] - lag * 0.003
    rise, fall = np.maximum(step, 0.0).mean(axis=1), np.maximum(-step, 0.0).mean(axis=1)
    near, around = np.abs(at) <= 0.03, np.abs(at) <= 0.5
    close = np.abs(at) <= 0.06
    found = {
        "attack": float(rise[near].max()),
        "attack of near ones": float(rise[near].max() / max(rise[around].max(), 1e-6)),
        "attack off": float(abs(at[close][np.argmax(rise[close])])),
        "ending": float(fall[near].max()),
        "ending of near ones": float(fall[near].max() / max(fall[around].max(), 1e-6)),
        "ending in 100 ms": float(fall[np.abs(at) <= 0.1].max()),
    }
    pulse = rise - rise.mean()
    n = min(int(np.searchsorted(at, 0.0)), pulse.size - int(np.searchsorted(at, 0.0)))
    middle = int(np.searchsorted(at, 0.0))
    whole = np.correlate(pulse, pulse, mode="full")[pulse.size - 1 :]
    period = 50 + int(np.argmax(whole[50:240]))
    found["pulse"] = float(whole[period] / max(whole[0], 1e-9))
    a, b = pulse[middle - n : middle], pulse[middle : middle + n]
    found["pulse over"] = float(_unlike(a[-period:], b[:period]))
    curve = [float(_unlike(a[-period - 8 :][8 + k : 8 + k + period - 8], b[: period - 8])) for k in range(-8, 1)]
    found["pulse best"] = min(curve)
    return found


def _clicks(mono: FloatArray, rate: int) -> dict[str, float]:
    """Short peaks of the differenced sound, and a dip of the level, dB."""
    middle = mono.size // 2
    edge = np.abs(np.diff(mono, n=2))
    near, around = edge[middle - rate // 66 : middle + rate // 66], edge[middle - rate // 5 : middle + rate // 5]
    short, long = mono[middle - rate // 40 : middle + rate // 40], mono[middle - rate // 4 : middle + rate // 4]
    return {
        "click": float(20 * np.log10((near.max() + 1e-7) / (np.percentile(around, 99) + 1e-7))),
        "dip": float(10 * np.log10((np.mean(short**2) + 1e-9) / (np.mean(long**2) + 1e-9))),
    }


# Recordings to excerpts to features


@dataclass(frozen=True, eq=False)
class Measured:
    """What the attacker measured of one recording, in units of its own bar lines; rows are excerpts."""

    name: str
    own: FloatArray
    kinds: dict[str, FloatArray]


def measure_recording(one: ElsewhereRecording, home: Path, role: str) -> Measured | None:
    """Plan a recording, play the joins of every kind, measure them; None where no plan is to be had."""
    workspace = Workspace(Home(home))
    sound = Sound(workspace, one.path)
    analysis = analyze_sound(sound)
    lines = analysis.grid.downbeats
    plans = [plan_loop(analysis.profile, analysis.duration + extra) for extra in EXTRA_SECONDS]
    served = [plan for plan in plans if isinstance(plan, LoopPlan)]
    inner = np.flatnonzero((lines > HALF_SECONDS + 0.5) & (lines < analysis.profile.last_sound - HALF_SECONDS - 0.5))
    if not served or inner.size < 24:
        return None
    recording = workspace.load_recording(one.path)
    rng = np.random.default_rng(int(analysis.content_hash[:8], 16))
    kinds = {
        "served": [join for plan in served for join in joins_of(plan, lines)],
        "options": [join for plan in served for option in plan.options[1:] for join in joins_of(option, lines)],
    }
    touched = {round(join.line, 4) for joins in kinds.values() for join in joins}
    inner = np.array([k for k in rng.permutation(inner) if round(float(lines[k]), 4) not in touched])
    chosen = inner[:MOST_LINES]
    leave, enter = np.array([pair for pair in rng.choice(inner, (60, 2)) if abs(pair[0] - pair[1]) > 2]).T
    kinds["random downbeats"] = _fitted(recording, lines, leave[:RANDOM_SPLICES], enter[:RANDOM_SPLICES])
    beat = float(np.median(np.diff(analysis.grid.beats)))
    kinds["beat late"] = [replace(join, song_from=join.song_from + beat) for join in kinds["served"]]
    control = chosen[7 * chosen.size // 8 :]
    if role == "fit":
        usable = usable_splices(analysis.profile, CoverParams())
        kinds["usable"] = [
            Join(float(lines[usable.leave[k]]), float(usable.song_to[k]), float(usable.song_from[k]),
                 float(usable.fade[k]), float(usable.exponent[k]), float(usable.gain_in_db[k]))
            for k in rng.permutation(usable.size)[:USABLE_SPLICES]
        ]  # fmt: skip
    kinds["no seam"] = _fitted(recording, lines, control, control)
    if role == "test" and (peer := best_loop(one.path)) is not None:
        kinds["PyMusicLooper"] = [Join(peer.song_to, peer.song_to, peer.song_from)]
    half = 7 * chosen.size // 16
    bars = [Join(float(lines[k]), float(lines[k]), float(lines[k])) for k in chosen[: 7 * chosen.size // 8]]
    rows = {kind: _measured(recording, joins) for kind, joins in {**kinds, "own": bars}.items() if joins}
    middle = np.median(rows["own"][:half], axis=0)
    low, high = np.percentile(rows["own"][:half], (16, 84), axis=0)
    spread = np.maximum((high - low) / 2, 1e-6)
    rows = {kind: np.clip((values - middle) / spread, -8.0, 8.0) for kind, values in rows.items()}
    own = rows.pop("own")[half:]
    return Measured(one.name, own, rows)


def _fitted(recording: Recording, lines: FloatArray, leave: NDArray[np.intp], enter: NDArray[np.intp]) -> list[Join]:
    """Splices between bar lines, fitted to the waveform as the planner's are."""
    fits = fit_splices(line_sounds(recording.samples, recording.sample_rate, lines), lines, leave, enter)
    columns = (lines[leave], fits.song_to, fits.song_from, fits.fade_seconds, fits.exponent)
    return [Join(*row) for row in np.column_stack(columns).tolist()]


def _measured(recording: Recording, joins: Iterable[Join]) -> FloatArray:
    """Features of joins, to the microsecond as plans hold their times, shape (n, n_features)."""
    rate, rows = recording.sample_rate, []
    for join in joins:
        played = play_join(recording.samples, rate, Join(*np.round(astuple(join), 6).tolist()))
        rows.append(list(measure(played, rate).values()))
    return np.array(rows)


# The attack


def attack(fit: list[Measured], test: list[Measured], kind: str) -> list[float]:
    """Area under the ROC curve on each recording of `test` that has excerpts of a kind."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import LogisticRegression

    trained: tuple[str, ...] = (kind,)
    if kind in ("served", "options"):
        trained = ("served", "options", "usable")
    elif kind in _TRAINED_ON_ALL:
        trained = ("served", "options", "beat late", "random downbeats")
    rows, answers, weights = [], [], []
    for one in fit:
        seams = [one.kinds[name] for name in trained if name in one.kinds]
        for some, answer in ((np.concatenate(seams), 1), (one.own, 0)):
            rows.append(some)
            answers.append(np.full(len(some), answer))
            weights.append(np.full(len(some), 1.0 / len(some)))
    x, y, w = np.concatenate(rows), np.concatenate(answers), np.concatenate(weights)
    w *= w.size / w.sum()
    linear = LogisticRegression(C=0.01, max_iter=2000).fit(x, y, sample_weight=w)
    trees = ExtraTreesClassifier(200, min_samples_leaf=4, random_state=0).fit(x, y, sample_weight=w)

    def looks(some: FloatArray) -> FloatArray:
        return np.asarray(linear.decision_function(some) + 4.0 * trees.predict_proba(some)[:, 1])

    return [auc(looks(one.kinds[kind]), looks(one.own)) for one in test if kind in one.kinds]


def table_of(fit: list[Measured], test: list[Measured]) -> Table:
    """The figures of every kind."""
    table = Table(
        f"An attacker trained on {len(fit)} recordings by others, tested on {len(test)}: seam or bar line?",
        ["excerpts", "recordings", "AUC", "from", "to"],
    )
    rng = np.random.default_rng(1)
    for kind in KINDS:
        areas = np.array(attack(fit, test, kind))
        if not areas.size:
            continue
        draws = rng.choice(areas, (2000, areas.size)).mean(axis=1)
        low, high = np.percentile(draws, (5, 95))
        table.add(kind, int(areas.size), float(areas.mean()), float(low), float(high))
    return table


def sample(folder: Path, role: str, most: int) -> list[ElsewhereRecording]:
    """Recordings of a role, the sources in equal numbers as far as they go, spread over each."""
    found: dict[str, list[ElsewhereRecording]] = {}
    for one in recordings(folder, role, loops=True):
        found.setdefault(one.source.package, []).append(one)
    for package, some in found.items():
        found[package] = [some[k] for k in np.random.default_rng(0).permutation(len(some))]
    chosen: list[ElsewhereRecording] = []
    while len(chosen) < most and any(found.values()):
        chosen += [some.pop() for some in found.values() if some][: most - len(chosen)]
    return chosen


def main() -> None:
    """Attack a folder of recordings; see the head of the module."""
    arguments = argparse.ArgumentParser(description="Seams of recordings by others, attacked.")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--fit", type=int, default=40, help="recordings to train on")
    arguments.add_argument("--test", type=int, default=24, help="recordings to test on")
    given = arguments.parse_args()
    measured: dict[str, list[Measured]] = {"fit": [], "test": []}
    with tempfile.TemporaryDirectory() as scratch:
        for role, most in (("fit", given.fit), ("test", given.test)):
            for one in sample(given.folder, role, most):
                print(f"[attacker] {one.name}", file=sys.stderr, flush=True)
                found = measure_recording(one, Path(scratch), role)
                measured[role] += [found] if found else []
    print(table_of(measured["fit"], measured["test"]).markdown())


if __name__ == "__main__":
    main()
