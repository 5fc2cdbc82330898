"""Landmarks of a track: the instants at which something happens that a video could use.

    drop        full energy or bass returns after a break, a build-up or a beat of silence
    break       the energy or the bass drops out and stays out
    stab        a strong hit that stands alone: it dies away and nothing strong follows at once
    section     a new part begins, and sounds different
    downbeat    a bar begins
    ending      the last strong onset, of a track that ends by itself
    last sound  where that has died away; it coincides only with the end of a video

A listener must agree with every landmark. Drops and breaks are found from the levels of whole bars on either side of a
bar line, in the full range and in the bass; a section border counts only where the spectrum changes more than it
usually does from bar to bar; a stab is judged by what follows it. Times are then refined to the onset itself, in the
samples, to about a millisecond: where the power just after most exceeds the power just before.

Salience is how much a listener would notice a landmark, 0 to 1, and ranks the kinds roughly as the list above does;
where two fall on the same instant the more salient one stays. Tolerance is how far off an event may be and still seem
simultaneous.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.features.loudness import sounding_range
from workbench.features.marks import Marks, marks_of, strongest_apart
from workbench.features.onsets import OnsetStrengths
from workbench.features.spectrum import Spectrum
from workbench.params import LandmarkParams
from workbench.recording import FloatArray, IntArray, Recording, TrackSeconds

LANDMARK_KINDS = ("drop", "break", "stab", "section", "downbeat", "ending", "last sound")
"""Kinds of landmarks, in the order of `Marks.kinds`."""

_Row: TypeAlias = tuple[TrackSeconds, str, float, float]
"""time, kind, salience, tolerance in s"""

_ONSET_TOLERANCE = 0.03
"""s; an onset is exact, and 30 ms from it are hardly noticed"""
_GRID_TOLERANCE = 0.04
"""s; a bar line may be off the sound that opens the bar"""
_FADED_TOLERANCE = 0.25
"""s; the instant at which a sound has died away is uncertain"""
_FLOOR_DB = -90.0
_REACH_SECONDS = 0.045
"""s around a bar line within which its onset is looked for; half a beat of semiquavers at 160 BPM"""
_CLICK_SECONDS = 0.1
"""s before the last sound within which an onset is the click of a sound that is cut off"""
_BEFORE_SECONDS, _AFTER_SECONDS = 0.015, 0.008
"""s of sound compared before and after an instant"""
_HOP_SECONDS = 0.0005
_LOW_HZ = 150.0
"""Hz; below it is the low end: kick and bass"""
_COMPARED_BARS = 2
"""bars compared on each side of a bar line"""
_APART_BARS = 4
"""bars between two drops, breaks or section borders"""
_FULL_DB = 3.0
"""dB under the track's loud bars that still are full"""
_BAR_ATTACK = 0.4
"""onset strength from which a bar line is audible; 1 is a strong onset"""
_SECTION_CONTRAST = 0.15
"""change of the spectrum at a border, from 0, as from bar to bar, to 1, three times that"""
_SURE_GRID = 0.5
"""grid confidence from which on downbeats count in full"""
_SAME_SECONDS = 0.12
"""s within which two landmarks are the same event"""
# A drop: what the full range and the low end gain over the bars before, dB; or over the last beat before it, where a
# drop follows a held breath. There the low end was gone, not only softer, and both gain a little over the bars before,
# for less is only the rest of a phrase.
_RISE_DB, _LOW_RISE_DB = 3.0, 2.0
_GAP_DB, _LOW_GAP_DB, _GAIN_DB = 5.0, 20.0, 1.0
# A break: what the full range loses, or the low end alone, dB; further under the loud bars than by the last the track
# has ended, not paused.
_FALL_DB, _LOW_FALL_DB, _GONE_DB = 3.0, 8.0, 20.0
# A stab: its onset strength; how far under the loud passages it may lie, rises over what was before, and decays before
# the next sound, dB; how long it stands alone, and what stays under it in that time: onsets by a share of its strength,
# the level by dB.
_STAB_ATTACK = 0.8
_STAB_LOUD_DB, _STAB_RISE_DB, _STAB_FALL_DB = 5.0, 4.0, 8.5
_STAB_REST_SECONDS, _STAB_REST_ATTACK, _STAB_REST_DB = 0.8, 0.5, 5.0
# A last chord: its onset strength; how far under the loud passages it may lie, and rises over what rings where it is no
# strong onset, dB. So many seconds later only its ringing is left, so far under the loud passages.
_ENDING_ATTACK, _ENDING_DB, _ENDING_RISE_DB = 0.5, 14.0, 2.0
_RING_SECONDS, _RING_DB = 4.0, 14.0


@dataclass(frozen=True, slots=True, eq=False)
class Landmarks:
    """The landmarks of one track, and where its music sounds."""

    marks: Marks
    """kinds are `LANDMARK_KINDS`, times lie in 0 to `track_seconds`"""
    track_seconds: TrackSeconds
    """decoded length"""
    first_sound: TrackSeconds
    """where the music begins to sound"""
    last_sound: TrackSeconds
    """where it has died away"""

    def __post_init__(self) -> None:
        if self.marks.names != LANDMARK_KINDS:
            raise ParameterError(f"the kinds of landmarks are {', '.join(LANDMARK_KINDS)}, got {self.marks.names}")
        if not 0.0 <= self.first_sound <= self.last_sound <= self.track_seconds < float("inf"):
            raise ParameterError(
                f"music sounds from {self.first_sound} to {self.last_sound} s, which must lie in order within the "
                f"{self.track_seconds} s of the track"
            )
        times = self.marks.times
        if times.size and not (times[0] >= 0.0 and times[-1] <= self.track_seconds):
            raise ParameterError(f"landmarks lie in 0 to {self.track_seconds} s, got {times[0]} to {times[-1]} s")


@dataclass(frozen=True, slots=True, eq=False)
class LandmarkInput:
    """A recording and its analysis, from which landmarks are found."""

    recording: Recording
    spectrum: Spectrum
    onsets: OnsetStrengths
    grid: BeatGrid
    borders: FloatArray
    """shape (n_sections,), s, where sections begin"""
    ends_by_itself: bool
    """whether the track has an ending, rather than a fade or a cut"""


class _Levels:
    """Level of any stretch of a recording, of the full range and of the bass."""

    def __init__(self, spectrum: Spectrum) -> None:
        self.rate = spectrum.frames_per_second
        power = spectrum.power
        full = power.sum(axis=0, dtype=np.float64)
        bass = power[spectrum.band_hz < _LOW_HZ].sum(axis=0, dtype=np.float64)
        self.full_db = _decibels(full)
        self._sums = np.stack([np.concatenate(([0.0], np.cumsum(row))) for row in (full, bass)])
        bands = np.add.reduceat(power, np.arange(0, power.shape[0], 6), axis=0) if power.size else np.zeros((1, 0))
        self._band_sums = np.concatenate((np.zeros((bands.shape[0], 1)), np.cumsum(bands, axis=1, dtype="f8")), axis=1)

    def between(self, starts: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean level of the full range and of the bass in stretches, dB."""
        means = self._means(self._sums, starts, ends)
        return _decibels(means[0]), _decibels(means[1])

    def change(self, starts: FloatArray, at: FloatArray, ends: FloatArray) -> FloatArray:
        """How differently both sides of an instant sound: mean difference over bands of a quarter octave, dB."""
        floor = self._band_sums[:, -1:].mean() / max(self.full_db.size, 1) * 1e-5
        before, after = self._means(self._band_sums, starts, at), self._means(self._band_sums, at, ends)
        return np.asarray(np.abs(_decibels(after + floor) - _decibels(before + floor)).mean(axis=0))

    def _means(self, sums: FloatArray, starts: FloatArray, ends: FloatArray) -> FloatArray:
        last = sums.shape[1] - 1
        first = np.clip(np.round(starts * self.rate).astype(np.int64), 0, last)
        stop = np.clip(np.round(ends * self.rate).astype(np.int64), 0, last)
        return np.asarray((sums[:, stop] - sums[:, first]) / np.maximum(stop - first, 1))


def find_landmarks(source: LandmarkInput, params: LandmarkParams | None = None) -> Landmarks:
    """Find the landmarks of a track, in order of time; none where nothing sounds."""
    params = params or LandmarkParams()
    recording = source.recording
    first_sound, last_sound = sounding_range(recording.samples, recording.sample_rate)
    if last_sound <= first_sound:
        return Landmarks(marks_of(LANDMARK_KINDS, ()), recording.duration, 0.0, 0.0)
    levels = _Levels(source.spectrum)
    bars = _Bars(source, levels)
    rows = [*_downbeats(source, params), *bars.drops(), *bars.breaks(), *bars.sections(), *_stabs(source, levels)]
    # nothing comes after the last strong onset, and a break into its ringing is the ending itself
    ending = _ending(source, levels, last_sound)
    if ending is not None:
        rows = [row for row in rows if row[0] <= ending[0] - (bars.span if row[1] == "break" else 0.0)]
        rows.append(ending)
    rows = [row for row in rows if first_sound - _REACH_SECONDS <= row[0] <= last_sound]
    times, salience = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    strongest = [rows[k] for k in strongest_apart(times, salience, _SAME_SECONDS)] if rows else []
    strongest.append((last_sound, "last sound", 0.5, _FADED_TOLERANCE))
    return Landmarks(marks_of(LANDMARK_KINDS, strongest), recording.duration, first_sound, last_sound)


class _Bars:
    """Levels on both sides of every bar line, from which drops, breaks and section borders are detected."""

    def __init__(self, source: LandmarkInput, levels: _Levels) -> None:
        self.source = source
        self.lines = source.grid.downbeats
        bar = float(np.median(np.diff(self.lines))) if self.lines.size > 1 else 2.0
        beat = bar / source.grid.beats_per_bar
        self.span = span = _COMPARED_BARS * bar
        self.after, self.low_after = levels.between(self.lines, self.lines + span)
        self.before, self.low_before = levels.between(self.lines - span, self.lines)
        self.breath, self.low_breath = levels.between(self.lines - beat, self.lines)
        self.half_bar_after, _ = levels.between(self.lines, self.lines + 0.5 * bar)
        self.loud = float(np.quantile(self.after, 0.8)) if self.lines.size else 0.0
        self.low_loud = float(np.quantile(self.low_after, 0.8)) if self.lines.size else 0.0
        self.change = levels.change(self.lines - span, self.lines, self.lines + span)
        borders = source.borders
        self.opens = np.abs(self.lines[:, None] - borders[None, :]).min(axis=1, initial=np.inf) < 0.25 * beat
        self.attack = np.array([_strength_near(source.onsets, float(line)) for line in self.lines])
        # The first bars have nothing before them to be compared with.
        self.within = (self.lines - span >= 0.0) & (self.lines + span <= source.recording.duration)
        self.apart = (_APART_BARS - 0.5) * bar  # bar lines are counted, so that milliseconds do not decide

    def drops(self) -> Iterator[_Row]:
        """Bar lines at which full sound comes back."""
        rise, low_rise = self.after - self.before, self.low_after - self.low_before
        gap, low_gap = self.after - self.breath, self.low_after - self.low_breath
        # back after bars of less, or after a beat of silence; both ranges, for a crash alone brings no bass back
        back = (rise >= _RISE_DB) & (low_rise >= _LOW_RISE_DB)
        back |= (gap >= _GAP_DB) & (low_gap >= _LOW_GAP_DB) & (np.minimum(rise, low_rise) >= _GAIN_DB)
        full = (self.after >= self.loud - _FULL_DB) & (self.low_after >= self.low_loud - 1.5 * _FULL_DB)
        full &= self.half_bar_after >= self.loud - 1.5 * _FULL_DB
        is_drop = self.within & back & full & (self.attack >= _BAR_ATTACK)
        size = 0.5 * _share(np.maximum(rise, gap), 3.0, 10.0) + 0.5 * _share(np.maximum(low_rise, low_gap), 3.0, 20.0)
        return self._best("drop", is_drop, 0.7 + 0.3 * size)

    def breaks(self) -> Iterator[_Row]:
        """Bar lines after which full sound is gone."""
        fall, low_fall = self.before - self.after, self.low_before - self.low_after
        gone = (fall >= _FALL_DB) | ((low_fall >= _LOW_FALL_DB) & (fall >= 0.3 * _FALL_DB))
        was_full = self.before >= self.loud - _FULL_DB
        goes_on = self.after >= self.loud - _GONE_DB
        # within half a bar, not over several: a slow fade has no instant
        gone &= self.half_bar_after <= self.before - 0.6 * np.minimum(fall, _FALL_DB)
        was_full &= self.breath >= self.before - 1.5 * _FALL_DB
        size = 0.5 * _share(fall, 3.0, 10.0) + 0.5 * _share(low_fall, 3.0, 20.0)
        return self._best("break", self.within & gone & was_full & goes_on, 0.55 + 0.3 * size)

    def sections(self) -> Iterator[_Row]:
        """Section borders at which the sound changes clearly."""
        usual = max(float(np.median(self.change)), 0.5) if self.lines.size else 1.0
        contrast = _share(self.change / usual, 1.0, 3.0)
        differs = self.within & self.opens & (contrast >= _SECTION_CONTRAST)
        return self._best("section", differs, 0.45 + 0.25 * contrast)

    def _best(self, kind: str, such: NDArray[np.bool_], salience: FloatArray) -> Iterator[_Row]:
        """The most salient bar lines of a kind, some bars apart, at their onsets; section borders are preferred."""
        at = np.flatnonzero(such)
        strongest = strongest_apart(self.lines[at], salience[at] + 0.2 * self.opens[at], self.apart)
        for line in at[strongest]:
            time = float(self.lines[line])
            clear = self.attack[line] >= _BAR_ATTACK
            if clear:
                time = onset_instant(self.source.recording, time)
            yield time, kind, float(salience[line]), _ONSET_TOLERANCE if clear else _GRID_TOLERANCE


def _downbeats(source: LandmarkInput, params: LandmarkParams) -> Iterator[_Row]:
    """Every bar line; less salient where nothing sounds on it or the grid is unsure."""
    sure = min(1.0, source.grid.confidence / _SURE_GRID)
    for line in source.grid.downbeats:
        sounds = min(1.0, _strength_near(source.onsets, float(line)))
        yield float(line), "downbeat", params.downbeat_salience * sure * (0.5 + 0.5 * sounds), _GRID_TOLERANCE


def _stabs(source: LandmarkInput, levels: _Levels) -> Iterator[_Row]:
    """Strong hits that stand alone."""
    attack, level, rate = source.onsets.attack, levels.full_db, levels.rate
    if level.size < rate:
        return
    # loud parts of what sounds at all: silence at both ends of a file must not lower the quantile
    loud = float(np.quantile(level[level > level.max() - 50.0], 0.9))
    rest = round(_STAB_REST_SECONDS * rate)
    peaks = _onset_peaks(attack, _STAB_ATTACK)
    for frame in peaks[(peaks >= 0.2 * rate) & (peaks + rest < level.size)]:
        top = float(level[frame : frame + rate // 10].max())
        rise = top - float(level[frame - round(0.18 * rate) : frame - rate // 20].max())
        fall = top - float(level[frame + round(0.3 * rate) : frame + rest].mean())
        next_attack = float(attack[frame + rate // 11 : frame + rest].max())
        next_top = float(level[frame + round(0.3 * rate) : frame + rest].max())
        alone = next_attack < _STAB_REST_ATTACK * attack[frame] and next_top <= top - _STAB_REST_DB
        if alone and top >= loud - _STAB_LOUD_DB and rise >= _STAB_RISE_DB and fall >= _STAB_FALL_DB:
            size = 0.5 * float(_share(fall, 8.0, 16.0)) + 0.5 * float(_share(rise, 4.0, 16.0))
            time = onset_instant(source.recording, float(frame) / rate)
            yield time, "stab", 0.5 + 0.35 * size, _ONSET_TOLERANCE


def _ending(source: LandmarkInput, levels: _Levels, last_sound: TrackSeconds) -> _Row | None:
    """The last strong onset of a track that ends by itself, if what follows is only its ringing.

    The partials of a ringing chord beat against each other, which looks like weak onsets without a rise in level; a
    sound that is cut off clicks. Neither was struck.
    """
    level, rate = levels.full_db, levels.rate
    if not source.ends_by_itself or not level.size:
        return None
    loud = float(np.quantile(level[level > level.max() - 50.0], 0.9))
    attack = source.onsets.attack
    peaks = _onset_peaks(attack, _ENDING_ATTACK)
    peaks = peaks[(peaks >= rate // 8) & (peaks <= (last_sound - _CLICK_SECONDS) * rate)]
    tops = np.array([level[frame : frame + rate // 10].max() for frame in peaks])
    rung = np.array([level[frame - rate // 8 : frame - rate // 50].max() for frame in peaks])
    struck = (attack[peaks] >= 1.0) | (tops - rung >= _ENDING_RISE_DB)
    strong = peaks[struck & (tops >= loud - _ENDING_DB)]
    if not strong.size:
        return None
    ringing = level[strong[-1] + round(_RING_SECONDS * rate) :][: 2 * rate]
    if ringing.size and float(ringing.mean()) > loud - _RING_DB:
        return None
    return onset_instant(source.recording, float(strong[-1]) / rate), "ending", 0.9, _ONSET_TOLERANCE


def onset_instant(recording: Recording, near: TrackSeconds) -> TrackSeconds:
    """The time of the onset nearest to a given time, measured in the samples.

    At every half millisecond the power of the next 8 ms is compared with that of the last 15 ms, for the sound and for
    its derivative, which brings out an attack over a held bass. The onset is where the product of both ratios is
    largest. It is searched to `_REACH_SECONDS` on either side; where there is no sound, the answer is `near`.
    """
    rate, reach = recording.sample_rate, _REACH_SECONDS
    margin = max(_BEFORE_SECONDS, _AFTER_SECONDS) + 2 * _HOP_SECONDS
    first = round((near - reach - margin) * rate)
    stop = round((near + reach + margin) * rate)
    sound = _excerpt(recording, first, stop)
    count = int(2 * reach / _HOP_SECONDS) + 1
    instants = near - reach + _HOP_SECONDS * np.arange(count)
    at = np.round(instants * rate).astype(np.int64) - first
    ratios = np.zeros(count)
    # a floor of a fiftieth of the loudest place, or the first sample out of digital silence always wins
    for signal in (sound, np.diff(sound, prepend=sound[:1])):
        sums = np.concatenate(([0.0], np.cumsum(np.square(signal))))
        before = (sums[at] - sums[at - round(_BEFORE_SECONDS * rate)]) / _BEFORE_SECONDS
        after = (sums[at + round(_AFTER_SECONDS * rate)] - sums[at]) / _AFTER_SECONDS
        floor = 0.02 * float(after.max())
        if floor <= 0.0:
            return near
        ratios += np.log((after + floor) / (before + floor))
    return max(0.0, float(instants[int(np.argmax(ratios))]))


def _excerpt(recording: Recording, first: int, stop: int) -> FloatArray:
    """Samples first to stop as the mean of the channels, zeros outside the recording; shape (stop - first,)."""
    inside = recording.samples[:, max(first, 0) : max(stop, 0)].mean(axis=0, dtype=np.float64)
    before = min(max(-first, 0), stop - first)
    return np.pad(inside, (before, stop - first - before - inside.size))


def landmarks_to_arrays(landmarks: Landmarks) -> dict[str, NDArray[Any]]:
    """Landmarks as the arrays that `workbench.analysis.labels` declares."""
    marks = landmarks.marks
    return {
        "landmark_times": marks.times,
        "landmark_kinds": marks.kinds,
        "landmark_salience": marks.salience,
        "landmark_tolerance": marks.tolerance,
        "landmark_span": np.array([landmarks.track_seconds, landmarks.first_sound, landmarks.last_sound]),
    }


def landmarks_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Landmarks:
    """Landmarks from the arrays that `landmarks_to_arrays` makes; ParameterError where they break a rule of theirs."""
    marks = Marks(
        LANDMARK_KINDS,
        arrays["landmark_times"],
        arrays["landmark_kinds"],
        arrays["landmark_salience"],
        arrays["landmark_tolerance"],
    )
    track_seconds, first_sound, last_sound = (float(value) for value in arrays["landmark_span"])
    return Landmarks(marks, track_seconds, first_sound, last_sound)


def _decibels(power: FloatArray) -> FloatArray:
    return np.asarray(10.0 * np.log10(np.maximum(power, 10.0 ** (_FLOOR_DB / 10.0))))


def _share(value: Any, none: float, all_of_it: float) -> FloatArray:
    """Where a value is between two limits, as a share, 0 to 1; clipped."""
    return np.clip((np.asarray(value) - none) / (all_of_it - none), 0.0, 1.0)


def _strength_near(onsets: OnsetStrengths, time: TrackSeconds) -> float:
    """Strongest onset within reach of a time."""
    rate = onsets.frames_per_second
    first = max(0, round((time - _REACH_SECONDS) * rate))
    return float(onsets.attack[first : max(0, round((time + _REACH_SECONDS) * rate)) + 1].max(initial=0.0))


def _onset_peaks(attack: FloatArray, least: float) -> IntArray:
    """Frames of the local maxima of onset strength over 110 ms."""
    from scipy.ndimage import maximum_filter1d

    if not attack.size:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero((attack >= least) & (attack >= maximum_filter1d(attack, 11, mode="constant")))
