"""Placements: where a track lies under a video so that its landmarks and the video's events coincide.

A placement is an offset, the video time at which the track's time 0 falls. Every pair of a landmark and an event votes
for the offset that brings it together, with the product of both saliences and of how well the two kinds suit each
other; the vote falls off with the distance and is gone at the pair's tolerance. The sum over all pairs is the
correlation of the two weighted trains, taken on a grid of 5 ms.

A high sum alone says little: with many cuts and many bar lines some always meet. So each offset is compared with chance
for the same pair. If the events under the music had nothing to do with it, landmarks would pass each of them at the
track's own mean rate, and the sum would be shot noise: a compound Poisson variable, of which mean, variance and third
cumulant are known exactly (Campbell's theorem). A gamma distribution with these three gives the probability that chance
reaches the sum; because the best of many offsets is chosen, it is corrected to the probability that the best of them
all reaches it. From it follows how certain it is that the coincidences are not due to chance.

    score = certainty * sqrt(share of the video's salience that lands, beyond chance) * (1 - bare_cost * bare share)

So scores of different pairs are comparable. Where nothing coincides the certainty is near 0; where only a few of many
events land, the share limits the score. Events and seconds that a placement leaves without music count as missed,
relative to the best that the length of the track allows.

Functions: `place`, `offset_scores`. Both read a few hundred numbers and take milliseconds.

References
----------
S. O. Rice, "Mathematical analysis of random noise", Bell System Technical Journal 23, 1944, for the cumulants of shot
noise (his equation 1.5-2). J. Bendat & A. Piersol, "Random data", on the cross-correlation of trains of events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workbench.align._kernels import add_coincidences, meeting_pairs
from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.params import AlignParams
from workbench.recording import BoolArray, FloatArray, IntArray, TrackSeconds, VideoSeconds
from workbench.video.events import EVENT_KINDS, Events

SUITS = {
    #              cut  flash title hit  motion start end
    "drop": (1.0, 1.0, 0.9, 0.9, 1.0, 0.6, 0.0),
    "break": (0.9, 0.5, 0.7, 0.4, 0.3, 0.3, 0.0),
    "stab": (1.0, 1.0, 1.0, 1.0, 0.7, 0.3, 0.3),
    "section": (1.0, 0.8, 1.0, 0.7, 0.8, 0.8, 0.0),
    "downbeat": (1.0, 0.7, 0.8, 0.7, 0.6, 1.0, 0.0),
    "ending": (0.8, 0.9, 1.0, 0.9, 0.5, 0.0, 0.3),
    "last sound": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
}
"""How well a landmark suits each kind of event, 0 to 1: an editor's judgement, not a measurement."""

CHANCE_SCORE = 0.3
"""score below which the coincidences may well be due to chance"""
NO_CLEAR_POINT = "no clear sync point"
"""what is said of a placement below it, instead of what meets where"""
_LABELS = {"last sound": "ending"}
"""what a label calls a landmark, where that is not its name"""
_INTEGRALS = (16 / 15, 256 / 315, 524_288 / 768_768)
"""integrals over -1 to 1 of the first three powers of (1 - x²)², by which a vote falls off"""
_MOST_PAIRS = 4096
"""pairs listed for one placement"""
_SHIFTS = 20
"""steps of the mean shift; it has settled to the microsecond by then"""


@dataclass(frozen=True, slots=True)
class Coincidence:
    """A landmark and an event that meet."""

    landmark: str
    """as a label calls it"""
    track_s: TrackSeconds
    event: str
    video_s: VideoSeconds
    gap_seconds: float
    """how much later than the landmark the event comes; negative: earlier"""
    worth: float
    """what it adds to the sum, 0 to 1"""


def describe_placement(label: str, score: float) -> str:
    """What meets at a placement, in words; below `CHANCE_SCORE` that nothing clearly does.

    Parameters
    ----------
    label : of the placement, its strongest coincidence
    score : of the placement, 0 to 1
    """
    return label if label and score >= CHANCE_SCORE else NO_CLEAR_POINT


@dataclass(frozen=True, slots=True)
class Placement:
    """One place of a track under a video."""

    offset_seconds: VideoSeconds
    """video time at which the track's time 0 falls; negative: the head of the track is cut off"""
    score: float
    """0 to 1, comparable between pairs"""
    label: str
    """the strongest coincidence, as `drop on the cut at 0:12.4`"""
    certainty: float
    """0 to 1: how certain it is that the coincidences are not due to chance"""
    landed: float
    """0 to 1: share of the video's salience that lands, beyond what would land by chance"""
    bare: float
    """0 to 1: share of the time this track could fill that has no music"""
    coincidences: tuple[Coincidence, ...] = field(default=())
    """strongest first"""

    @property
    def in_words(self) -> str:
        """What meets, or that nothing clearly does; for a reader, where `label` is for data."""
        return describe_placement(self.label, self.score)


@dataclass(frozen=True, slots=True, eq=False)
class OffsetScores:
    """The correlation of a pair at every offset, and what chance would give."""

    first_s: VideoSeconds
    """offset of the first element"""
    step_s: float
    """from element to element"""
    total: FloatArray
    """shape (n_offsets,), the correlation of both trains"""
    expected: FloatArray
    """shape (n_offsets,), its mean by chance"""
    deviation: FloatArray
    """shape (n_offsets,), its standard deviation by chance"""

    @property
    def offsets(self) -> FloatArray:
        """Offset of each element, s."""
        return self.first_s + self.step_s * np.arange(self.total.size)


class _Pair:
    """One track and one video: the pairs of their marks, and the most salience and time that any offset covers."""

    def __init__(self, landmarks: Landmarks, events: Events, params: AlignParams) -> None:
        self.landmarks, self.events, self.params = landmarks, events, params
        self.track, self.video = landmarks.marks, events.marks
        suits = np.array([SUITS[name] for name in LANDMARK_KINDS])
        self.weight = (
            suits[self.track.kinds][:, self.video.kinds] * self.track.salience[:, None] * self.video.salience[None, :]
        )
        self.music_seconds = landmarks.last_sound - landmarks.first_sound
        self.salience_before = np.concatenate(([0.0], np.cumsum(self.video.salience)))
        self.cumulants_before = self._cumulants()
        # The salience under a sliding window is largest where the window begins at an event or ends with the video.
        starts = np.append(self.video.times, self.events.video_seconds - self.music_seconds) - landmarks.first_sound
        self.best_salience = float(self.salience_under(starts).max()) if len(self.video) else 0.0
        self.best_seconds = min(self.music_seconds, events.video_seconds)

    def _cumulants(self) -> FloatArray:
        """Running sums of what each event adds to the three cumulants of chance, shape (3, n_events + 1)."""
        sums = np.zeros((3, len(self.video) + 1))
        if self.music_seconds <= 0.0:
            return sums
        reach = np.hypot(self.track.tolerance[:, None], self.video.tolerance[None, :]) / self.music_seconds
        for order, integral in enumerate(_INTEGRALS, start=1):
            sums[order - 1, 1:] = np.cumsum((self.weight**order * reach).sum(axis=0) * integral)
        return sums

    def _events_under(self, offsets: FloatArray) -> tuple[IntArray, IntArray]:
        """First event and one past the last that have music at each offset."""
        first = np.searchsorted(self.video.times, offsets + self.landmarks.first_sound - 1e-9)
        last = np.searchsorted(self.video.times, offsets + self.landmarks.last_sound + 1e-9, side="right")
        return first, last

    def salience_under(self, offsets: FloatArray) -> FloatArray:
        """Salience of the events that have music at each offset."""
        first, last = self._events_under(offsets)
        return np.asarray(self.salience_before[last] - self.salience_before[first])

    def seconds_under(self, offsets: FloatArray) -> FloatArray:
        """Seconds of the video that have music at each offset."""
        begin = np.maximum(offsets + self.landmarks.first_sound, 0.0)
        end = np.minimum(offsets + self.landmarks.last_sound, self.events.video_seconds)
        return np.asarray(np.maximum(end - begin, 0.0))

    def chance(self, offsets: FloatArray) -> FloatArray:
        """Mean, variance and third cumulant of the sum by chance, shape (3, n)."""
        first, last = self._events_under(offsets)
        return np.asarray(self.cumulants_before[:, last] - self.cumulants_before[:, first])

    def correlate(self) -> tuple[float, FloatArray]:
        """First offset of the grid and the sum at each of its offsets."""
        step = self.params.grid_ms / 1000.0
        first_s = step * np.ceil(-self.landmarks.track_seconds / step + 1e-6)
        n = max(0, int(np.ceil((self.events.video_seconds - first_s) / step - 1e-6)))
        total = np.zeros(n)
        track, video = self.track, self.video
        add_coincidences(
            track.times, track.tolerance, video.times, video.tolerance, self.weight, float(first_s), step, total
        )
        return float(first_s), total

    def meeting(self, offset: float) -> tuple[IntArray, FloatArray, FloatArray]:
        """Pairs that meet at an offset, how much later each event is than its landmark and each pair's reach, s."""
        pairs = np.empty((_MOST_PAIRS, 2), dtype=np.int64)
        gaps, reaches = np.empty(_MOST_PAIRS), np.empty(_MOST_PAIRS)
        track, video = self.track, self.video
        n = meeting_pairs(
            track.times, track.tolerance, video.times, video.tolerance, self.weight, offset, pairs, gaps, reaches
        )
        return pairs[:n], gaps[:n], reaches[:n]

    def covers(self, offsets: FloatArray) -> BoolArray:
        """Whether music lies under enough of the video's salience, and of its time, at each offset."""
        enough = self.params.min_cover * (1.0 + 1e-9)
        under = self.salience_under(offsets) >= enough * self.best_salience
        return np.asarray(under & (self.seconds_under(offsets) >= enough * self.best_seconds))

    def rate(self, offsets: FloatArray, totals: FloatArray, trials: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Certainty, share that lands and bare share of each offset, 0 to 1."""
        mean, variance, third = self.chance(offsets)
        alone = chance_probability(totals, mean, variance, third)
        at_best = -np.expm1(trials * np.log1p(-np.minimum(alone, 1.0 - 1e-12)))
        certainty = self.params.prior_odds / (self.params.prior_odds + at_best)
        landed = np.clip((totals - mean) / max(self.best_salience, 1e-9), 0.0, 1.0)
        bare = 1.0 - self.seconds_under(offsets) / max(self.best_seconds, 1e-9)
        return certainty, landed, np.clip(bare, 0.0, 1.0)

    def scored(self, certainty: FloatArray, landed: FloatArray, bare: FloatArray) -> FloatArray:
        """Score of each offset, by the formula in the module docstring."""
        return np.asarray(certainty * np.sqrt(landed) * (1.0 - self.params.bare_cost * bare))


def chance_probability(total: FloatArray, mean: FloatArray, variance: FloatArray, third: FloatArray) -> FloatArray:
    """Probability that shot noise of these cumulants reaches a total, by the gamma distribution that shares them.

    Parameters
    ----------
    total : shape (n,), sums of coincidences
    mean, variance, third : shape (n,), first three cumulants of such a sum by chance

    Returns
    -------
    shape (n,), 0 to 1; 1 where the total is 0 or the noise is negligible
    """
    from scipy.special import gammaincc

    noisy = (variance > 1e-15) & (third > 1e-18) & (total > 0.0)
    spread = np.where(noisy, variance, 1.0)
    skew = np.where(noisy, third, 1.0)
    shape = 4.0 * spread**3 / skew**2
    z = (total - mean) / np.sqrt(spread)
    tail = gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0.0))
    return np.asarray(np.where(noisy, tail, 1.0))


def offset_scores(landmarks: Landmarks, events: Events, params: AlignParams | None = None) -> OffsetScores:
    """The sum of coincidences at every offset, and what chance would give: for pictures.

    Parameters
    ----------
    landmarks : of the track
    events : of the video
    params : only `grid_ms` is read; None is `AlignParams()`

    Returns
    -------
    OffsetScores : on a grid from minus the track's decoded length to the video's length
    """
    pair = _Pair(landmarks, events, params or AlignParams())
    first_s, total = pair.correlate()
    step_s = pair.params.grid_ms / 1000.0
    mean, variance, _ = pair.chance(first_s + step_s * np.arange(total.size))
    return OffsetScores(first_s, step_s, total, mean, np.sqrt(np.maximum(variance, 0.0)))


def place(landmarks: Landmarks, events: Events, params: AlignParams | None = None) -> tuple[Placement, ...]:
    """The best placements of a track under a video.

    Parameters
    ----------
    landmarks : of the track
    events : of the video
    params : how many, how far apart, how much of the video must have music; None is `AlignParams()`

    Returns
    -------
    Best first, at most `max_placements`, at least `min_apart_seconds` apart; none where nothing ever coincides.
    Offsets lie strictly between minus the track's length and the video's, to the microsecond.
    """
    params = params or AlignParams()
    pair = _Pair(landmarks, events, params)
    if not len(pair.track) or not len(pair.video) or pair.best_seconds <= 0.0:
        return ()
    first_s, total = pair.correlate()
    step_s = params.grid_ms / 1000.0
    peaks = _peaks(total)
    offsets = first_s + step_s * peaks
    inside = pair.covers(offsets)
    peaks, offsets = peaks[inside], offsets[inside]
    if not offsets.size:
        return ()
    trials = _trials(pair)
    scores = pair.scored(*pair.rate(offsets, total[peaks], trials))
    found: list[Placement] = []
    for candidate in np.argsort(-scores, kind="stable"):
        offset = _refined(pair, float(offsets[candidate]))
        near = any(abs(offset - other.offset_seconds) < params.min_apart_seconds for other in found)
        if near or not pair.covers(np.array([offset]))[0]:
            continue
        found.append(_placement(pair, offset, trials))
        if len(found) == params.max_placements:
            break
    return tuple(sorted(found, key=lambda placement: -placement.score))


def _peaks(total: FloatArray) -> IntArray:
    """Indices of the local maxima over 0."""
    padded = np.concatenate(([0.0], total, [0.0]))
    rises, falls = padded[1:-1] > padded[:-2], padded[1:-1] >= padded[2:]
    return np.flatnonzero(rises & falls)


def _trials(pair: _Pair) -> float:
    """How many independent offsets there are to choose from: the range of allowed offsets over a typical reach."""
    reach = float(np.mean(np.hypot(np.mean(pair.track.tolerance), pair.video.tolerance)))
    room = pair.landmarks.track_seconds + pair.events.video_seconds - 2 * pair.params.min_cover * pair.best_seconds
    return max(1.0, room / reach)


def _refined(pair: _Pair, offset: float) -> float:
    """The nearest maximum of the sum off the grid, by mean shift, to the microsecond."""
    for _ in range(_SHIFTS):
        pairs, gaps, reaches = pair.meeting(offset)
        pull = pair.weight[pairs[:, 0], pairs[:, 1]] * (1.0 - np.square(gaps / reaches)) / np.square(reaches)
        if not pairs.shape[0] or pull.sum() <= 0.0:
            return offset
        step = float(np.sum(pull * gaps) / pull.sum())
        offset += step
        if abs(step) < 5e-7:
            break
    low, high = -pair.landmarks.track_seconds, pair.events.video_seconds
    return min(max(round(offset, 6), low + 1e-6), high - 1e-6)


def _placement(pair: _Pair, offset: float, trials: float) -> Placement:
    pairs, gaps, reaches = pair.meeting(offset)
    worth = pair.weight[pairs[:, 0], pairs[:, 1]] * np.square(1.0 - np.square(gaps / reaches))
    order = np.argsort(-worth, kind="stable")
    met = tuple(_coincidence(pair, pairs[k], float(gaps[k]), float(worth[k])) for k in order)
    at = np.array([offset])
    certainty, landed, bare = pair.rate(at, np.array([worth.sum()]), trials)
    score = pair.scored(certainty, landed, bare)
    label = f"{met[0].landmark} on the {met[0].event} at {event_clock(met[0].video_s)}" if met else ""
    return Placement(offset, float(score[0]), label, float(certainty[0]), float(landed[0]), float(bare[0]), met)


def _coincidence(pair: _Pair, indices: IntArray, gap: float, worth: float) -> Coincidence:
    landmark, event = int(indices[0]), int(indices[1])
    name = pair.track.name_of(landmark)
    return Coincidence(
        landmark=_LABELS.get(name, name),
        track_s=float(pair.track.times[landmark]),
        event=EVENT_KINDS[int(pair.video.kinds[event])],
        video_s=float(pair.video.times[event]),
        gap_seconds=gap,
        worth=worth,
    )


def event_clock(seconds: float) -> str:
    """Format a time of a video for a label.

    Parameters
    ----------
    seconds : video time, 0 at least

    Returns
    -------
    minutes, seconds and tenths: 72.44 is `1:12.4`
    """
    tenths = round(10 * seconds)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"
