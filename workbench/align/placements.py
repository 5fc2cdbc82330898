"""Placements: offsets of a track under a video at which its landmarks and the video's events coincide.

A placement is an offset, the video time at which the track's time 0 falls. Each offset is judged by the whole set of
coincidences there: how much likelier are the times of all events if the video was cut to the track at this offset than
if it has nothing to do with it? Of a video that was cut to a track, a share of the events was put on landmarks, salient
ones more often than bar lines, and some frames off; the others lie anywhere. So an event says for an offset

    log(1 - used + used * density of the landmarks' pull there / its mean density over the track)

and the sum over the events that have music is the evidence. A coincidence is worth much where the track has few such
landmarks, and little where it has many: a lone cut on one of many drops says next to nothing. Events that meet nothing
speak against an offset.

The best of many offsets is chosen, so the evidence must exceed the logarithm of their number. From what is left follows
how certain it is that the coincidences are not due to chance:

    beyond = (evidence - log(number of offsets)) * max(0, 1 - log(ratio)), the second factor where the first is over 0
    odds = prior_odds * exp(trust * beyond)
    score = odds / (1 + odds) * (1 - bare_cost * bare share)

The ratio, 1 at least, is how much more the evidence varies over other shifts of the same pair than it would if its
events passed the landmarks independently: where regular cuts meet regular landmarks, many coincide at once by chance,
and that costs. Shifts by whole bars are left out: what was cut on the bar lines of a track meets them there too, and
not by chance. So scores of different pairs are comparable, and where nothing coincides they are near 0. `trust` follows
a logistic fit to external recordings, with events planted on their landmarks and with none, and `prior_odds` from how
few of the latter may reach 0.3 (`workbench/models/align.md`).
Seconds that a placement leaves without music count as bare, relative to the best that the length of the track allows.

In full, with `u` the share of an event that is used, `T` the seconds from the track's first sound to its last, and each
number of `AlignModel` and of `AlignParams` by its name:

1. *Pull* of a landmark of salience `l` on an event: `sqrt(SUITS) * l ** landmark_power`; its mean, for each event, is
   the sum over the landmarks of the track over `T`.
2. *Used*: `u = used_share * (FLAT_SHARE + (1 - FLAT_SHARE) * salience / USUAL_SALIENCE)`, times `end_share` for `start`
   and `end`, `MOST_USED` at most; 0 where no landmark suits the event.
3. *Odds* of a pair with a gap `g`, the event's time less landmark's and offset: `u / (1 - u) * pull / mean pull`, times
   `near_share N(g; near_reach * r) + (1 - near_share) N(g; max(far_reach, near_reach) * r)`. `N` is the normal density
   of that standard deviation, in 1/s, and `r` the root of the sum of both squared tolerances. Beyond 3 deviations of
   the wider curve a pair counts nothing.
4. *Evidence* of an offset: the sum of `log(1 + odds)`, the odds of each event added up over landmarks, over all events;
   and of `log(1 - u)` over the events with music, from first sound to last. Offsets are multiples of `GRID_SECONDS`
   strictly between minus the track's length and the video's.
5. *Allowed* are offsets under whose music lie `min_cover` of the greatest salience of events that any offset reaches,
   and `min_cover` of `min(T, video)` seconds.
6. *Number of offsets*: track's and video's length, less twice `min_cover * min(T, video)`, over the mean of the root of
   the sum of the squared mean tolerance of landmarks and the squared tolerance of each event; 1 at least.
7. *Ratio*: over all allowed offsets that are more than `min_apart_seconds` from the allowed peak of most evidence, and
   more than `ON_GRID_SECONDS` from any that lies whole bars from it (a bar is the median distance of the landmarks of
   that kind; without two of them there is none), the root of the sum of `(evidence - expected)^2` over the sum of the
   variances. The expected evidence of an event at any
   offset is the sum of its `log(1 + odds)` over the grid, times the grid's step, over `T`; its variance follows from
   its squares in the same way, less the square of the mean; events with music add theirs, and `log(1 - u)` the expected
   evidence alone.
8. *Placements*: the allowed local maxima over 0 of the sum of `log(1 + odds)`, in order of score, then evidence. Each
   is moved to the nearest maximum off the grid (mean shift with the weights of the gradient: the odds of a pair by each
   curve over its squared deviation, over one plus the odds of the event; 20 steps at most, to one under half a
   microsecond), and taken if it is then allowed and `min_apart_seconds` or more from those taken; `max_placements` at
   most. Their scores are those of the offset as moved; best first. The bare share is 1 less seconds with music over
   `min(T, video)`.

References
----------
J. Neyman & E. Pearson, "On the problem of the most efficient tests of statistical hypotheses", Phil. Trans. R. Soc. A
231, 1933, for the likelihood ratio; J. Glaz, J. Naus & S. Wallenstein, "Scan statistics", 2001, for the best of many
places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from workbench.align._kernels import WIDTHS, add_evidence, odds_at, shift_to_peak
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
"""How well a landmark suits each of `EVENT_KINDS`, 0 to 1: an editor's judgement, not a measurement."""

CHANCE_SCORE = 0.3
"""score below which the coincidences may well be due to chance"""
NO_CLEAR_POINT = "no clear sync point"
"""description of a placement below it, instead of what meets where"""
_LABELS = {"last sound": "ending"}
"""what a label calls a landmark, where that is not its name"""
USUAL_SALIENCE = 0.6
"""salience of an event that is used as often as `used_share` says"""
FLAT_SHARE = 0.3
"""the part of that share that every event has"""
MOST_USED = 0.7
"""share of events used, at most"""
_LEAST_WORTH = 0.1
"""probability from which a coincidence is listed; the strongest always is"""
GRID_SECONDS = 0.01
"""s between the offsets that are tried; maxima are then refined off the grid"""
ON_GRID_SECONDS = 0.15
"""s from a shift by whole bars within which events on bar lines still meet them"""
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
    """0 to 1: how probable it is, at this offset, that the event was put on this landmark"""


def describe_placement(label: str, score: float) -> str:
    """What meets at a placement, in words; below `CHANCE_SCORE` that nothing clearly does."""
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
    """0 to 1: share of the video's salience that lands: probable coincidences, of the best that the length allows"""
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
    """The evidence of a pair at every offset, and what chance would give."""

    first_s: VideoSeconds
    """offset of the first element"""
    step_s: float
    """from element to element"""
    total: FloatArray
    """shape (n_offsets,), the evidence: a logarithm, 0 where an offset is as likely as none"""
    expected: FloatArray
    """shape (n_offsets,), its mean by chance: over all shifts of the events under music"""
    deviation: FloatArray
    """shape (n_offsets,), its standard deviation by chance"""

    @property
    def offsets(self) -> FloatArray:
        """Offset of each element, s."""
        return self.first_s + self.step_s * np.arange(self.total.size)


@dataclass(frozen=True, slots=True)
class _Spread:
    """What the other offsets of a pair say about the best one."""

    trials: float
    """how many independent offsets there are to choose from"""
    ratio: float
    """how much more the evidence varies over them than that of events that know nothing of each other"""


@dataclass(frozen=True, slots=True, eq=False)
class _Meeting:
    """The pairs that meet at an offset, arrays of shape (n_pairs,), and the odds of every event."""

    event: IntArray
    landmark: IntArray
    gaps: FloatArray
    """s, how much later than its landmark each event is"""
    worth: FloatArray
    """probability that the event was put on the landmark"""
    odds: FloatArray
    """shape (n_events,), that an event was put on any landmark"""


class _Pair:
    """One track and one video: the odds of every pair of marks, and the most that any offset covers."""

    def __init__(self, landmarks: Landmarks, events: Events, params: AlignParams) -> None:
        self.landmarks, self.events, self.params = landmarks, events, params
        self.track, self.video = landmarks.marks, events.marks
        self.music_seconds = landmarks.last_sound - landmarks.first_sound
        self.salience_before = np.concatenate(([0.0], np.cumsum(self.video.salience)))
        self._set_odds()
        # The salience under a sliding window is largest where the window begins at an event or ends with the video.
        starts = np.append(self.video.times, self.events.video_seconds - self.music_seconds) - landmarks.first_sound
        self.best_salience = float(self.salience_under(starts).max()) if len(self.video) else 0.0
        self.best_seconds = min(self.music_seconds, events.video_seconds)

    def _set_odds(self) -> None:
        """Odds that an event was put on a landmark, without a gap, by each curve, shape (n_events, n_landmarks)."""
        model, track, video = self.params.model, self.track, self.video
        suits = np.array([SUITS[name] for name in LANDMARK_KINDS])[track.kinds][:, video.kinds].T
        # An editor puts a hit on a landmark that suits it less nearly as often: the root of what looks best.
        pull = np.sqrt(suits) * track.salience**model.landmark_power
        mean = pull.sum(axis=1, keepdims=True) / max(self.music_seconds, 1e-9)
        share = FLAT_SHARE + (1.0 - FLAT_SHARE) * video.salience / USUAL_SALIENCE
        ends = np.isin(video.kinds, [EVENT_KINDS.index("start"), EVENT_KINDS.index("end")])
        used = np.minimum(model.used_share * share * np.where(ends, model.end_share, 1.0), MOST_USED)
        used = np.where(mean[:, 0] > 0.0, used, 0.0)
        seconds = (used / (1.0 - used))[:, None] * pull / np.where(mean > 0.0, mean, 1.0)
        reach = np.hypot(track.tolerance[None, :], video.tolerance[:, None])
        self.near_s, self.far_s = model.near_reach * reach, max(model.far_reach, model.near_reach) * reach
        self.near = model.near_share * seconds / (np.sqrt(2.0 * np.pi) * self.near_s)
        self.far = (1.0 - model.near_share) * seconds / (np.sqrt(2.0 * np.pi) * self.far_s)
        # Pairs in the order of the offsets that bring them together: those that meet at an offset lie side by side.
        event, landmark = np.nonzero(pull > 0.0)
        together_at = video.times[event] - track.times[landmark]
        order = np.argsort(together_at, kind="stable")
        self.by_time, self.together_at = (event[order], landmark[order]), together_at[order]
        self.curves_by_time = tuple(one[self.by_time] for one in (self.near, self.near_s, self.far, self.far_s))
        self.widest = float(WIDTHS * self.far_s.max(initial=0.0))
        self.unmet_before = np.concatenate(([0.0], np.cumsum(np.log1p(-used))))

    def _events_under(self, offsets: FloatArray) -> tuple[IntArray, IntArray]:
        """First event and one past the last that have music at each offset."""
        first = _count_until(self.video.times, offsets + self.landmarks.first_sound - 1e-9, "left")
        last = _count_until(self.video.times, offsets + self.landmarks.last_sound + 1e-9, "right")
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

    def unmet(self, offsets: FloatArray) -> FloatArray:
        """Evidence of each offset at which no event under the music meets anything, 0 at most."""
        first, last = self._events_under(offsets)
        return np.asarray(self.unmet_before[last] - self.unmet_before[first])

    def evidence(self) -> OffsetScores:
        """The evidence at every offset of the grid, and its mean and deviation over all shifts of the same pair."""
        step = GRID_SECONDS
        first_s = float(step * np.ceil(-self.landmarks.track_seconds / step + 1e-6))
        n = max(0, int(np.ceil((self.events.video_seconds - first_s) / step - 1e-6)))
        total, moments = np.zeros(n), np.zeros((2, len(self.video)))
        add_evidence(
            self.track.times, self.video.times, self.near, self.near_s, self.far, self.far_s, first_s, step, total,
            moments,
        )  # fmt: skip
        offsets = first_s + step * np.arange(n)
        # An event passes the whole track as the offset runs through the seconds of the music.
        mean, square = moments * step / max(self.music_seconds, step)
        first, last = self._events_under(offsets)
        sums = [np.concatenate(([0.0], np.cumsum(one))) for one in (mean, np.maximum(square - mean**2, 0.0))]
        expected, variance = (one[last] - one[first] for one in sums)
        unmet = self.unmet(offsets)
        return OffsetScores(first_s, step, total + unmet, expected + unmet, np.sqrt(variance))

    def meeting(self, offset: float) -> _Meeting:
        """The pairs that meet at an offset."""
        first, last = np.searchsorted(self.together_at, (offset - self.widest, offset + self.widest))
        event, landmark = self.by_time[0][first:last], self.by_time[1][first:last]
        gaps = self.together_at[first:last] - offset
        near_s, far_s = self.near_s[event, landmark], self.far_s[event, landmark]
        counts = np.abs(gaps) <= WIDTHS * far_s
        near = odds_at(gaps, counts * self.near[event, landmark], near_s)
        far = odds_at(gaps, counts * self.far[event, landmark], far_s)
        odds = np.bincount(event, near + far, len(self.video)).astype(np.float64)
        return _Meeting(event, landmark, gaps, (near + far) / (1.0 + odds[event]), odds)

    def covers(self, offsets: FloatArray) -> BoolArray:
        """Whether music plays under enough of the video's salience, and of its time, at each offset."""
        enough = self.params.min_cover * (1.0 + 1e-9)
        under = self.salience_under(offsets) >= enough * self.best_salience
        return np.asarray(under & (self.seconds_under(offsets) >= enough * self.best_seconds))

    def rate(self, offsets: FloatArray, evidence: FloatArray, spread: _Spread) -> tuple[FloatArray, FloatArray]:
        """Certainty and bare share of each offset, 0 to 1."""
        beyond = evidence - np.log(spread.trials)
        beyond = np.where(beyond > 0.0, beyond * max(0.0, 1.0 - np.log(max(spread.ratio, 1.0))), beyond)
        bare = 1.0 - self.seconds_under(offsets) / max(self.best_seconds, 1e-9)
        certainty = _sigmoid(np.log(self.params.model.prior_odds) + self.params.model.trust * beyond)
        return certainty, np.clip(bare, 0.0, 1.0)

    def scored(self, certainty: FloatArray, bare: FloatArray) -> FloatArray:
        """Score of each offset, by the formula in the module docstring."""
        return np.asarray(certainty * (1.0 - self.params.model.bare_cost * bare))


def _count_until(times: FloatArray, limits: FloatArray, side: Literal["left", "right"]) -> IntArray:
    """`np.searchsorted(times, limits, side)`; of many limits in order it looks up the few times instead."""
    if limits.size <= times.size or np.any(limits[1:] < limits[:-1]):
        return np.searchsorted(times, limits, side)
    counted_from = np.searchsorted(limits, times, "right" if side == "left" else "left")
    return np.bincount(counted_from, minlength=limits.size + 1)[: limits.size].cumsum()


def _sigmoid(logit: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logit, -700.0, 700.0))))


def offset_scores(landmarks: Landmarks, events: Events, params: AlignParams | None = None) -> OffsetScores:
    """The evidence at every offset from minus the track's decoded length to the video's length: for pictures."""
    return _Pair(landmarks, events, params or AlignParams()).evidence()


def place(landmarks: Landmarks, events: Events, params: AlignParams | None = None) -> tuple[Placement, ...]:
    """The best placements of a track under a video, best first; none where nothing ever coincides.

    They lie `min_apart_seconds` apart or more. Offsets lie strictly between minus the track's length and the video's,
    to the microsecond.
    """
    params = params or AlignParams()
    pair = _Pair(landmarks, events, params)
    if not len(pair.track) or not len(pair.video) or pair.best_seconds <= 0.0:
        return ()
    evidence = pair.evidence()
    peaks = _peaks(evidence.total - pair.unmet(evidence.offsets))
    offsets = evidence.offsets[peaks]
    inside = pair.covers(offsets)
    peaks, offsets = peaks[inside], offsets[inside]
    if not offsets.size:
        return ()
    # the peak of most evidence, not of the best score: scores need the spread around it, which is measured here
    best = float(offsets[np.argmax(evidence.total[peaks])])
    spread = _Spread(_trials(pair), _spread_ratio(pair, evidence, best))
    scores = pair.scored(*pair.rate(offsets, evidence.total[peaks], spread))
    found: list[Placement] = []
    # Scores round to 1 at strong evidence, which then decides.
    for candidate in np.lexsort((-evidence.total[peaks], -scores)):
        offset = _refined(pair, float(offsets[candidate]))
        near = any(abs(offset - other.offset_seconds) < params.min_apart_seconds for other in found)
        if near or not pair.covers(np.array([offset]))[0]:
            continue
        found.append(_placement(pair, offset, spread))
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


def _spread_ratio(pair: _Pair, evidence: OffsetScores, best: float) -> float:
    """How much more the evidence varies over the other offsets than it would if events passed landmarks independently.

    Regular cuts pass regular landmarks all at once, so that whole rows of coincidences come and go together by chance.
    """
    offsets = evidence.offsets
    shifts = np.abs(offsets - best)
    other = pair.covers(offsets) & (shifts > pair.params.min_apart_seconds)
    bar_lines = pair.track.times[pair.track.kinds == LANDMARK_KINDS.index("downbeat")]
    if bar_lines.size > 1:
        bar = float(np.median(np.diff(bar_lines)))
        other &= np.abs((shifts + bar / 2) % bar - bar / 2) > ON_GRID_SECONDS
    usual = float(np.square(evidence.deviation[other]).sum())
    if usual <= 0.0:
        return 1.0
    return float(np.sqrt(np.square(evidence.total[other] - evidence.expected[other]).sum() / usual))


def _refined(pair: _Pair, offset: float) -> float:
    """The nearest maximum of the evidence off the grid, by mean shift, to the microsecond."""
    near, near_s, far, far_s = pair.curves_by_time
    offset = shift_to_peak(
        pair.together_at, pair.by_time[0], near, near_s, far, far_s, len(pair.video), pair.widest, offset, _SHIFTS
    )
    low, high = -pair.landmarks.track_seconds, pair.events.video_seconds
    return min(max(round(offset, 6), low + 1e-6), high - 1e-6)


def _placement(pair: _Pair, offset: float, spread: _Spread) -> Placement:
    meeting = pair.meeting(offset)
    worth = meeting.worth
    order = np.argsort(-worth, kind="stable")
    met = tuple(
        _coincidence(pair, int(meeting.event[k]), int(meeting.landmark[k]), float(meeting.gaps[k]), float(worth[k]))
        for rank, k in enumerate(order)
        if worth[k] >= _LEAST_WORTH or rank == 0
    )
    at = np.array([offset])
    evidence = np.log1p(meeting.odds).sum() + pair.unmet(at)
    certainty, bare = pair.rate(at, evidence, spread)
    landed = float(worth @ pair.video.salience[meeting.event]) / max(pair.best_salience, 1e-9)
    label = f"{met[0].landmark} on the {met[0].event} at {event_clock(met[0].video_s)}" if met else ""
    score = float(pair.scored(certainty, bare)[0])
    return Placement(offset, score, label, float(certainty[0]), min(landed, 1.0), float(bare[0]), met)


def _coincidence(pair: _Pair, event: int, landmark: int, gap: float, worth: float) -> Coincidence:
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
    """Format a time of a video for a label, to a tenth: 72.44 is `1:12.4`."""
    tenths = round(10 * seconds)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"
