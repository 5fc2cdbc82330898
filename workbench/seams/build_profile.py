"""Bodies: which whole-bar stretches of a track could repeat, and everything else the planner must know of it.

Every pair of bar lines is scored as a splice. Those that may pass are fitted to the waveform and selected for variety:
for each length in bars and for each bar line the best ones, then the best of all up to `BEST_SPLICES`, so that the
planner finds bodies of all lengths, cuts that go ahead, and a way into the ending from anywhere. A long track has more
of these than are stored: then the better part are the best, and after them comes the best of each number of bars that
is missing, for a plan that follows a picture needs one certain number (`workbench.plans.conform`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from workbench.beats.edges import EDGE_SECONDS, plays_throughout
from workbench.beats.grid import BeatGrid
from workbench.features.loudness import loudness_between, sounding_range
from workbench.params import SeamParams
from workbench.recording import BoolArray, FloatArray, IntArray, Recording
from workbench.seams.endings import find_ending, find_restart
from workbench.seams.measures import part_names
from workbench.seams.profile import (
    BEST_SPLICES,
    MIN_FADE_SECONDS,
    SEAM_PARTS,
    LoopProfile,
    Restart,
    Splices,
    TrackEnding,
    TrackSection,
    with_room,
)
from workbench.seams.seam_score import (
    SeamEvidence,
    end_splice_parts,
    score_lines,
    seam_evidence,
    splices_between_lines,
    total_of_parts,
)
from workbench.seams.splice_fit import MIN_CORRELATION, Fits, fit_splices, line_sounds
from workbench.structure.sections import BarFeatures, Section, bar_features, find_sections

# stored of a recording: loops choose among the best `BEST_SPLICES`, a plan that follows an edit among all
MAX_SPLICES = 1500
_MAX_SPLICES_EACH = 2  # selected of each length and bar line, for variety
_BY_SCORE = 0.6  # share of the splices of a long track that are the best ones, of any length
# bar lines of a file that is one phrase, of eight bars and one more to lead back; a splice inside would break it
_PHRASE_LINES = 10
_EDGE_ROOM_SECONDS = 1e-5  # s that are left beside a fade at the end of a file, for rounding to the microsecond
SHORT_TERM_SECONDS = 3.0  # s, the short-term window of BS.1770 over which both sides of a splice are matched in level


# Cuts a track into sections: recording, its grid and what each bar sounds like to sections in order
SectionsOf: TypeAlias = Callable[[Recording, BeatGrid, BarFeatures], Sequence[Section]]


def our_sections(recording: Recording, grid: BeatGrid, bars: BarFeatures) -> Sequence[Section]:
    """Sections by our own finder and its default parameters."""
    return find_sections(bars)


def loop_profile(
    recording: Recording,
    grid: BeatGrid,
    seams: SeamParams | None = None,
    find: SectionsOf = our_sections,
) -> LoopProfile:
    """Analyse a recording for looping.

    With fewer than two bars there are no splices. Splices are those worth keeping, good or bad; the planner sets the
    floor. `find` cuts it into sections.
    """
    if grid.downbeats.size < 2:
        ends = np.full(grid.downbeats.size, recording.duration)
        bar_lufs = loudness_between(recording.samples, recording.sample_rate, grid.downbeats, ends)
        names = part_names(seams or SeamParams())
        bare = bare_profile(recording, grid, sounding_range(recording.samples, recording.sample_rate), bar_lufs)
        return replace(bare, splices=Splices.none(len(names)), part_names=names)
    return profile_of_evidence(recording, grid, seam_evidence(recording, grid, seams), seams, find)


def profile_of_evidence(
    recording: Recording,
    grid: BeatGrid,
    evidence: SeamEvidence,
    seams: SeamParams | None = None,
    find: SectionsOf = our_sections,
) -> LoopProfile:
    """`loop_profile` with the seam evidence already computed. The grid has at least two bars."""
    params = seams or SeamParams()
    profile, coming_lufs = _without_splices(recording, grid, evidence, find)
    splices = _candidate_splices(recording, evidence, profile, coming_lufs, params)
    return replace(profile, splices=splices, part_names=part_names(params))


def _without_splices(
    recording: Recording, grid: BeatGrid, evidence: SeamEvidence, find: SectionsOf
) -> tuple[LoopProfile, FloatArray]:
    """Levels, sections and ending of a track, and LUFS of the `SHORT_TERM_SECONDS` after each bar line."""
    downbeats = grid.downbeats
    start, last_sound = sounding_range(recording.samples, recording.sample_rate)
    ends = np.append(downbeats[1:], max(last_sound, downbeats[-1] + 1e-3))
    starts = np.concatenate((downbeats, downbeats))
    levels = loudness_between(
        recording.samples, recording.sample_rate, starts, np.concatenate((ends, downbeats + SHORT_TERM_SECONDS))
    )
    bar_lufs, coming_lufs = levels[: downbeats.size], levels[downbeats.size :]
    if downbeats[-1] >= recording.duration - EDGE_SECONDS:  # the last bar line is the end of the file: no bar follows
        bar_lufs[-1] = bar_lufs[-2]
        before = replace(grid, beats=grid.beats[:-1], positions=grid.positions[:-1])
        parts = _sections(recording, before, _without_last_beat(evidence), bar_lufs[:-1], ends, find)
        parts = (*parts[:-1], replace(parts[-1], last_bar=downbeats.size, song_to=float(ends[-1]))) if parts else parts
    else:
        parts = _sections(recording, grid, evidence, bar_lufs, ends, find)
    ending = None  # the end of a file that is made to repeat goes on in its head
    if not repeats_as_a_whole(recording, evidence):
        ending = find_ending(recording, downbeats, bar_lufs, harmonic_change(evidence), parts)
    restart = find_restart(recording, downbeats, bar_lufs, ending, (start, last_sound))
    return bare_profile(recording, grid, (start, last_sound), bar_lufs, parts, ending, restart), coming_lufs


def bare_profile(
    recording: Recording,
    grid: BeatGrid,
    sounds: tuple[float, float],
    bar_lufs: FloatArray,
    sections: tuple[TrackSection, ...] = (),
    ending: TrackEnding | None = None,
    restart: Restart | None = None,
) -> LoopProfile:
    """A profile without splices; `sounds` are its first and last sound, s."""
    return LoopProfile(
        recording.duration, *sounds, grid.downbeats, grid.beats_per_bar, grid.confidence, bar_lufs,
        sections, Splices.none(0), ending, (), restart,
    )  # fmt: skip


def _sections(
    recording: Recording,
    grid: BeatGrid,
    evidence: SeamEvidence,
    bar_lufs: FloatArray,
    ends: FloatArray,
    find: SectionsOf,
) -> tuple[TrackSection, ...]:
    """The sections of the bars of a grid, which end at `ends`."""
    downbeats = grid.downbeats
    bars = bar_features(
        evidence.lines, grid.beats_per_bar, evidence.loudness, evidence.tones, evidence.rhythm, bar_lufs
    )
    return tuple(
        TrackSection(
            s.first_bar, s.last_bar, float(downbeats[s.first_bar]), float(ends[s.last_bar - 1]), s.label, s.group
        )
        for s in find(recording, grid, bars)
    )


def _without_last_beat(evidence: SeamEvidence) -> SeamEvidence:
    """What sections read of the evidence, without the last beat."""
    return replace(
        evidence,
        lines=evidence.lines[:-1],
        loudness=evidence.loudness[:-1],
        tones=evidence.tones[:-1],
        rhythm=evidence.rhythm[:-1],
    )


def harmonic_change(evidence: SeamEvidence) -> FloatArray:
    """How much the harmony moves within each bar, shape (n_bars,): mean 1 - cosine of tones from beat to beat.

    0 for no change; the step over the bar line into the next bar does not count.
    """
    harmony = evidence.harmony[..., : evidence.tones.shape[2]].mean(axis=1)
    unit = harmony / np.maximum(np.linalg.norm(harmony, axis=1, keepdims=True), 1e-9)
    steps = np.append(1.0 - np.sum(unit[1:] * unit[:-1], axis=1), 0.0)
    ends = np.append(evidence.lines[1:], evidence.positions.size)
    return np.array([steps[a : max(b - 1, a + 1)].mean() for a, b in zip(evidence.lines, ends, strict=True)])


def _candidate_splices(
    recording: Recording,
    evidence: SeamEvidence,
    profile: LoopProfile,
    coming_lufs: FloatArray,
    params: SeamParams,
) -> Splices:
    """Score all pairs of bar lines, keep the best with variety, fit them to the waveform.

    The splice that begins the track again stays at any score, and takes no gain over the pause.
    """
    restart, scores = profile.restart, score_lines(evidence, params)
    n = evidence.lines.size
    bars = np.arange(n)
    ahead = bars[None, :] - bars[:, None]
    allowed = (ahead >= 1) | (ahead <= -params.min_body_bars)
    allowed[0] = False
    chosen = _with_variety(np.where(allowed, scores.total, -1.0), profile.ending, params)
    if restart is not None:
        chosen[restart.leave, restart.enter] = True
    repeats = n > params.min_body_bars and repeats_as_a_whole(recording, evidence)
    if repeats:
        chosen[-1, 0] = False  # made of what is known of it instead
        chosen &= n > _PHRASE_LINES
    leave, enter = np.nonzero(chosen)
    again = profile.is_restart(leave, enter)
    steps = np.where(again, 0.0, coming_lufs[enter] - coming_lufs[leave])
    parts, led = splices_between_lines(scores, evidence, leave, enter, params)
    at, pairs = evidence.edges[evidence.lines], np.column_stack([leave, enter])
    found = splices_at(recording, at, pairs, parts, led, params, steps)
    if repeats:
        found = found.with_more(end_splice(recording.duration, evidence, params))
        again = np.append(again, False)
    passing = np.flatnonzero(found.have_room(recording.duration) & (again | (found.score >= params.min_kept_score)))
    return found.rows(
        passing[np.lexsort((found.enter[passing], found.leave[passing], -np.round(found.score[passing], 6)))]
    )


def repeats_as_a_whole(recording: Recording, evidence: SeamEvidence) -> bool:
    """Whether a file is made to repeat: both its ends are bar lines, and the music plays on up to them."""
    lines, beats = evidence.lines, evidence.edges[: evidence.positions.size]
    ends = beats[lines[0]] <= EDGE_SECONDS and beats[lines[-1]] >= recording.duration - EDGE_SECONDS
    inside = slice(lines[0], lines[-1] + 1)
    return bool(ends and plays_throughout(recording, beats[inside], evidence.positions[inside]))


def end_splice(duration: float, evidence: SeamEvidence, params: SeamParams, enter: int = 0) -> Splices:
    """The splice from the end of a file to a bar line, one row; the fade is short, for nothing follows the end."""
    parts, half = end_splice_parts(evidence, enter), MIN_FADE_SECONDS / 2 + _EDGE_ROOM_SECONDS
    return Splices(
        leave=np.array([evidence.lines.size - 1], dtype=np.int32),
        enter=np.array([enter], dtype=np.int32),
        song_to=np.array([duration - half]),
        song_from=np.array([max(half, float(evidence.edges[evidence.lines[enter]]) - half)]),
        score=np.array([float(total_of_parts(parts, params))]),
        parts=parts[None, :],
        fade_seconds=np.array([MIN_FADE_SECONDS]),
        exponent=np.array([0.5]),
        level_step_db=np.zeros(1),
    )


def named_splices(
    recording: Recording,
    evidence: SeamEvidence,
    leave: IntArray,
    enter: IntArray,
    params: SeamParams | None = None,
) -> Splices:
    """Score some pairs of bar lines and fit them to the waveform, whether or not they are worth keeping.

    The splices keep the order of the pairs; `leave` and `enter`, bar lines, are nowhere equal. Some splices may leave
    no room for their crossfade.
    """
    params = params or SeamParams()
    parts, led = splices_between_lines(score_lines(evidence, params), evidence, leave, enter, params)
    at, pairs = evidence.edges[evidence.lines], np.column_stack([leave, enter])
    found = splices_at(recording, at, pairs, parts, led, params)
    whole = (leave == evidence.lines.size - 1) & (enter == 0)
    if not whole.any() or not repeats_as_a_whole(recording, evidence):
        return found
    with_whole = found.with_more(end_splice(recording.duration, evidence, params))
    return with_whole.rows(np.where(whole, leave.size, np.arange(leave.size)))


def splices_at(
    recording: Recording,
    at: FloatArray,
    pairs: IntArray,
    parts: FloatArray,
    led: BoolArray,
    params: SeamParams,
    steps: FloatArray | None = None,
) -> Splices:
    """Splices between beats or bar lines, which lie at `at`, s, fitted to the waveform.

    `pairs`, shape (n, 2), are left and entered; `parts`, shape (n_parts, n), and `led` are as the beats alone have
    them. `steps` are the LU by which the entered sides are louder, measured here if None.
    """
    leave, enter = pairs.T
    if steps is None:
        starts = at[np.concatenate((leave, enter))]
        levels = loudness_between(recording.samples, recording.sample_rate, starts, starts + SHORT_TERM_SECONDS)
        steps = levels[leave.size :] - levels[: leave.size]
    # Of a long recording few of the lines are left or entered: their sound alone is cut out.
    used, places = np.unique(pairs.T, return_inverse=True)
    used = used if used.size else np.arange(1)
    sounds = line_sounds(recording.samples, recording.sample_rate, at[used])
    left, entered = places.reshape(2, -1)
    fits = fit_splices(sounds, at[used], left, entered, params)
    parts = audible_parts(parts, fits)
    song_to, song_from, fade = with_room(fits.song_to, fits.song_from, fits.fade_seconds, at[leave])
    return Splices(
        leave=leave.astype(np.int32),
        enter=enter.astype(np.int32),
        song_to=song_to,
        song_from=song_from,
        score=total_of_parts(parts, params, led),
        parts=np.ascontiguousarray(parts.T),
        fade_seconds=fade,
        exponent=fits.exponent,
        level_step_db=steps,
    )


def _with_variety(score: FloatArray, ending: TrackEnding | None, params: SeamParams) -> BoolArray:
    """Which pairs to keep: the best of each length and of each line, into the ending, then of all; same shape."""
    n = score.shape[0]
    possible = score >= params.min_kept_score
    chosen = np.zeros_like(possible)
    if not possible.any():
        return chosen
    bars = np.arange(n)
    for distance in range(-n + 1, n):
        leave = np.arange(max(0, -distance), min(n, n - distance))
        _take_best(chosen, score, possible, (leave, leave + distance), _MAX_SPLICES_EACH)
    for bar in range(n):
        for others in (bars[:bar], bars[bar + 1 :]):
            here = np.full(others.size, bar)
            _take_best(chosen, score, possible, (here, others), _MAX_SPLICES_EACH)
            _take_best(chosen, score, possible, (others, here), _MAX_SPLICES_EACH)
    if ending is not None:
        into = (bars <= ending.start_bar) & (bars >= ending.start_bar - 8)
        _take_best(chosen, score, possible, np.nonzero(np.triu(possible & into, 1)), MAX_SPLICES // 10)
    if chosen.sum() > MAX_SPLICES:
        return _of_all_lengths(chosen, score, MAX_SPLICES)
    _take_best(chosen, score, possible, np.nonzero(~chosen), max(0, BEST_SPLICES - int(chosen.sum())))
    return chosen


def _of_all_lengths(among: BoolArray, score: FloatArray, count: int) -> BoolArray:
    """`count` of the pairs: the best, then the best of each length in bars, then the next by score."""
    leave, enter = np.nonzero(among)
    order = np.argsort(-score[leave, enter], kind="stable")
    leave, enter = leave[order], enter[order]
    is_best_of_length = np.zeros(order.size, dtype=bool)
    is_best_of_length[np.unique(enter - leave, return_index=True)[1]] = True
    turn = np.where(np.arange(order.size) < round(_BY_SCORE * count), 0, np.where(is_best_of_length, 1, 2))
    first = np.argsort(turn, kind="stable")[:count]
    chosen = np.zeros_like(among)
    chosen[leave[first], enter[first]] = True
    return chosen


def _take_best(
    chosen: BoolArray, score: FloatArray, possible: BoolArray, pairs: tuple[IntArray, ...], count: int
) -> None:
    """Mark in `chosen` the `count` best of the pairs that are possible; `pairs` are bar lines left and entered."""
    among = np.flatnonzero(possible[pairs])
    best = among[np.argsort(-score[pairs][among], kind="stable")[:count]]
    chosen[tuple(side[best] for side in pairs)] = True


def audible_parts(parts: FloatArray, fits: Fits) -> FloatArray:
    """Parts of the score with what the waveforms say: sides of one waveform leave nothing ringing alone.

    `parts` have shape (len(SEAM_PARTS), n) and are 0 to 1, like the result; `fits` are of the same n splices.
    """
    parts = parts.copy()
    same = np.clip((fits.correlation - MIN_CORRELATION) / (1.0 - MIN_CORRELATION), 0.0, 1.0) ** 2
    row = SEAM_PARTS.index("ringing")
    parts[row] = np.maximum(parts[row], same)
    return parts
