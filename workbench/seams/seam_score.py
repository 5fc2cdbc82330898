"""Seams: how well the music carries on across a splice, and how a splice is fitted to be inaudible.

A splice leaves at beat `leave` and enters at beat `enter`: beat `leave - 1` is followed by beat `enter` instead
of beat `leave`. The splice is inaudible when the continuation after the seam matches the one in the track, when the
context before the seam matches too, and when no note rings across the splice on one side only. Ten measures of a
break say how far that holds; all compare *played* (from `enter` on) with *expected* (from `leave` on):

- expectation: specific loudness, tick by tick, over the coming bars (what plays, and when)
- context: the same over the bar before (where in the track one believes to be)
- ringing: tones that sound on across one of the two bar lines and are missing on the other side of the cut
- pulse: pattern of onsets, length of the beat, place in the bar
- harmony: semitones of the coming bars
- level: loudness of the coming bar
- brightness: centroid of the coming bar
- repetition: for how long both sides are the same music, before and after the splice
- texture: the step of the spectral shape at the join itself, over 125, 250 and 500 ms at 120 BPM
- air: the step of the level above 8 kHz there

A splice can be read in two ways, and the better one counts, for one is enough. As continuation: the music goes on as
it was about to; this is the reading above. As lead: the bars before the splice resemble those that lead to the place
entered, so the step over the splice is one that the track itself takes, as when a verse is repeated; then the pulse,
harmony, level and brightness of the bars before are compared, and context weighs as much as expectation did.

A break means nothing by itself: a level step of 3 dB is a shock in a drone and nothing in a drum solo. The yardstick
is the track: the same measure taken as if each bar were skipped (leave at bar line k, enter at k + 1), the smallest
splice that the track's own bar lines offer. A part of the score is 1 for no break, 1/2 for a break of a stated share of
the track's typical one. At the join the yardstick is the step that one in twenty of the track's own bar lines exceeds.
The total is a logistic function of the breaks, fitted to what an automatic judge says of splices of recordings by
others, and to splices of the bundled songs with known answers (`data.recipes.fitting.seams`). No listener was asked.

In numbers, for a splice from beat l to beat e, from the arrays of `SeamEvidence` and with n for `context_beats`: a
window of an array is its rows l + k, or e + k, for a list of k, in one vector; rows beyond the ends of the track are 0.
Two windows are unlike by 1 - cosine, at least 0; by 0 where both are silent, by 1 where one is. Read as continuation,
the *main* beats are k = 0 to 2n - 1 and those *beside* k = -1 to -n; as lead, main are k = -1 to -2n and beside are
k = 0 to n - 1. In main windows the second n beats, those farther from the splice, are multiplied by the square root of
`SECOND_BAR_WEIGHT`. Then

- expectation and context are how unlike `loudness` is over main and beside; read as lead, over beside and main. As
  continuation, where e < n, nothing comes before that could disagree, and context is what expectation is
- ringing: of a tone at a beat, *before* is what it has when the beat before ends (0 at the first beat), *after* what it
  has when the beat begins, *held* the lesser of both. The sum over all tones of max(held at l - after at e, 0)^2 +
  max(held at e - before at l, 0)^2, over the sum of (before at l)^2 + (after at e)^2
- pulse: how unlike `rhythm` is over main, and `RHYTHM_FLOOR` times (d / `BEAT_JITTER_SECONDS`)^2, with
  `BAR_PHASE_PENALTY` more where l and e have different places in the bar; d is the difference in length of beat l - 1,
  or of beat 0 where l is 0, and beat e
- harmony: how unlike `harmony` is over main
- level, brightness: how far the means of `level_db` and of `brightness` lie apart over the first n beats of main
- repetition: `REPETITION_SECONDS` over the seconds that are alike, at least 1 ms. From the splice, both ways, four
  stretches of n beats; one counts n times the median length of a beat, times the product over itself and all that
  lie nearer of 1 / (1 + (u / `ALIKE_DISTANCE`)^2), u for how unlike `loudness` is over the stretch
- texture and air: with all ticks in one row, of which the first and the last go on for ever, the means of `loudness`
  over the 3, 6 and 12 ticks before beat l and from beat e on. Their step is how unlike they are, and for air, by how
  many dB their means over the bands above 8 kHz differ (power ** 0.3 in dB, not under -100; 0 where there is no such
  band). The break is what this step has over the greater of the steps at beat l and at beat e in the track itself, at
  least 0, in units of `join_limits`; the greatest of the three lengths counts. `join_limits` are the 95th percentiles,
  by lengths, of the track's own steps at all of its bar lines but the first, at least 0.003 and 1 dB

The yardstick of the first seven is `own_break_share` of the median of the track's own, between `min_` and `max_` of the
part; that of the others is 1. The reading with the higher total counts, continuation where both are equal.

The confidence of the grid is not used: over judged splices of recordings with a confidence from 0.06 to 1.00 it added
no information to the parts.

Fitting a splice to the waveform is `workbench.seams.splice_fit`.

References
----------
Where to cut: Wenner et al., "Scalable music: automatic music retargeting and synthesis", Eurographics 2013 (timbre and
chroma distance with context). Gain law of a crossfade from the correlation of its sides: Fink, Holters & Zölzer,
"Signal-matched power-complementary cross-fading and dry-wet mixing", DAFx 2016, eq. 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.features.chroma import beat_tones, stand_out
from workbench.features.timbre import LOUDNESS_EXPONENT, beat_edges, rises, specific_loudness
from workbench.params import SeamParams
from workbench.recording import BoolArray, FloatArray, IntArray, NotebookValue, Recording
from workbench.seams._kernels import add_products
from workbench.seams.measures import MeasuredBeats, breaks_of, features_of, measures_used
from workbench.seams.profile import BAR_PARTS, SEAM_PARTS

ONSET_GROUPS = 4  # ranges of frequency whose onset patterns are compared apart: about kick, snare, voices, hi-hat
BANDS = 32  # bands on the ear's scale, about one a critical band
SECOND_BAR_WEIGHT = 0.5  # of the second bar to come, where the first bar counts 1
BEAT_JITTER_SECONDS = 0.02  # s; a change of the beat's length that is as bad as a new rhythm
RHYTHM_FLOOR = 0.1  # 1 - cosine of onset patterns from which on they are a new rhythm
BAR_PHASE_PENALTY = 10.0  # new rhythms that a shift of the bar phase counts for
REPETITION_SECONDS = 4.0  # s of the same music around a splice at which the part is 1/2
ALIKE_DISTANCE = 0.04  # cosine distance of two bars that are as likely the same music as not
# steps of texture (1 - cosine) and of air (dB) at the join under which a step is inaudible
_MIN_JOIN_STEPS = np.array([[0.003], [1.0]])
_SILENT = 1e-6
# ticks on each side of a join: a quarter, a half and a whole beat, about 125, 250 and 500 ms at 120 BPM
_JOIN_TICKS = (3, 6, 12)
_JOIN_PERCENTILE = 95.0  # of the track's own bar lines: a greater step is rarer than one bar line in twenty
# Hz, above which the level is compared on its own: hi-hats, breath and reverb that stop short give a join away
_AIR_HZ = 8000.0
_MOST_AT_ONCE = 512  # bar lines whose pairs are measured in one go: some 17 minutes of music
_BLOCK_LINES = 192  # bar lines left that are measured together in a longer recording
# of a sum of losses: what is measured pair by pair differs in the last digits from what is measured all together
_ROUNDING = 1e-3
_ALIKE_BARS = 4  # stretches of `context_beats` on each side over which repetition is followed; at 120 BPM 8 s each way


@dataclass(frozen=True, slots=True, eq=False)
class SeamEvidence(NotebookValue):
    """What a recording offers to judge splices by, one row a beat.

    Attributes
    ----------
    edges : shape (n_beats + 1,), s, beginnings of the beats and the end of the last
    positions : shape (n_beats,), place in the bar from 1
    lines : shape (n_bars,), beats that open a bar
    loudness : shape (n_beats, ticks, n_bands), specific loudness, 1.0 for a full-scale sine in a band
    band_hz : shape (n_bands,), Hz
    rhythm : shape (n_beats, ticks, ONSET_GROUPS), rises of specific loudness
    tones : shape (n_beats, 2, n_tones), compressed power of semitones when the beat begins and when it ends
    harmony : shape (n_beats, 2, 2 * n_tones), what the tones rise over their surroundings, and a little of the
        tones
    level_db : shape (n_beats,), dB, level of the compressed bands, which follows loudness
    brightness : shape (n_beats,), octaves re 1 kHz, centre of the specific loudness
    own : shape (len(SEAM_PARTS), n_bars - 1), breaks of the track's own adjacent bars: the yardstick
    join_limits : shape (2, len(_JOIN_TICKS)), steps of texture (1 - cosine) and of air (dB) that one own bar line
        in 20 exceeds, at least `_MIN_JOIN_STEPS`
    others : what third-party measures found; their breaks stand behind ours in `own`
    """

    edges: FloatArray
    positions: IntArray
    lines: IntArray
    loudness: FloatArray
    band_hz: FloatArray
    rhythm: FloatArray
    tones: FloatArray
    harmony: FloatArray
    level_db: FloatArray
    brightness: FloatArray
    own: FloatArray
    join_limits: FloatArray
    others: tuple[MeasuredBeats, ...] = ()

    def __repr__(self) -> str:
        return f"<evidence of {self.positions.size} beats in {self.lines.size} bars>"

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of the parts of a score, in the order of the rows of breaks."""
        return (*SEAM_PARTS, *(one.name for one in self.others))


@dataclass(frozen=True, slots=True)
class SeamScore:
    """How naturally a splice carries on.

    Attributes
    ----------
    total : seam score, 0 to 1, fitted to an automatic judge
    led : whether it counts as lead (what was played leads there in the track too) and not as continuation
    parts : 0 to 1 each, by the names of SEAM_PARTS
    breaks : the measures themselves; 0 for no break, but for repetition
    yardstick : the break at which each part is 1/2: a share of the track's typical one; 1 for repetition, texture
        and air
    """

    total: float
    led: bool
    parts: dict[str, float]
    breaks: dict[str, float]
    yardstick: dict[str, float]


def seam_evidence(recording: Recording, grid: BeatGrid, params: SeamParams | None = None) -> SeamEvidence:
    """Measure every beat of a recording.

    Parameters
    ----------
    recording : any channels and rate; measured in mono
    grid : at least two bars
    params : context; None: the defaults

    Raises
    ------
    ParameterError : fewer than two bars in the grid, or beats beyond the end of the recording
    """
    params = params or SeamParams()
    return with_yardstick(measure_beats(recording, grid, params), params)


def measure_beats(recording: Recording, grid: BeatGrid, params: SeamParams) -> SeamEvidence:
    """Measure every beat of a recording: the dear part of `seam_evidence`, which alone needs the sound.

    The evidence lacks the track's own breaks. The errors are those of `seam_evidence`.
    """
    if grid.downbeats.size < 2:
        raise ParameterError(f"seams need at least two bars, the grid has {grid.downbeats.size}")
    if grid.beats[-1] >= recording.duration:
        raise ParameterError(f"the last beat, {grid.beats[-1]:.3f} s, is beyond the end, {recording.duration:.3f} s")
    edges = beat_edges(grid.beats, recording.duration)
    loudness, band_hz = specific_loudness(recording.samples, recording.sample_rate, edges, BANDS)
    tones, _ = beat_tones(recording.samples, recording.sample_rate, edges)
    return evidence_of_measures(grid, edges, loudness, band_hz, tones, features_of(recording, grid, params))


def evidence_of_measures(
    grid: BeatGrid,
    edges: FloatArray,
    loudness: FloatArray,
    band_hz: FloatArray,
    tones: FloatArray,
    others: tuple[MeasuredBeats, ...] = (),
) -> SeamEvidence:
    """The evidence that follows from what was measured, without the track's own breaks.

    All arguments but `grid` are fields of `SeamEvidence`.
    """
    by_band = loudness.mean(axis=1)
    total = np.maximum(by_band.sum(axis=1), _SILENT)
    return SeamEvidence(
        edges=edges,
        positions=grid.positions,
        lines=grid.downbeat_indices,
        loudness=loudness,
        band_hz=band_hz,
        rhythm=rises(loudness, ONSET_GROUPS),
        tones=tones,
        harmony=stand_out(tones),
        level_db=_compressed_db(by_band.mean(axis=1)),
        brightness=by_band @ np.log2(band_hz / 1000.0) / total,
        own=np.empty((len(SEAM_PARTS) + len(others), 0)),
        join_limits=np.ones((2, len(_JOIN_TICKS))),
        others=others,
    )


def with_yardstick(bare: SeamEvidence, params: SeamParams) -> SeamEvidence:
    """Evidence with the breaks of the track's own adjacent bars, by which all others are judged.

    `bare` is from `measure_beats`.
    """
    lines = bare.lines
    steps = np.percentile(_own_steps(bare, lines[1:]), _JOIN_PERCENTILE, axis=2)
    bare = replace(bare, join_limits=np.maximum(steps, _MIN_JOIN_STEPS))
    blocks = [
        measure_pairs(bare, Pairs(lines[rows], lines[rows.start + 1 : rows.stop + 1]), params).ahead
        for rows in line_blocks(lines.size - 1)
    ]
    return replace(bare, own=np.concatenate([np.diagonal(one, axis1=1, axis2=2) for one in blocks], axis=1))


class Pairs(NamedTuple):
    """Splices that are measured together: from each of some beats to each of some beats, or some of these pairs."""

    leaves: IntArray  # shape (n_leaves,), beats
    enters: IntArray  # shape (n_enters,), beats
    # shape (n,), of `leaves`; None: all with all, and then the shape of what is measured is (n_leaves, n_enters)
    rows: IntArray | None = None
    columns: IntArray | None = None  # shape (n,), of `enters`

    def left(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the beats left, to be combined with those of the beats entered."""
        return values[:, None] if self.rows is None else values[self.rows]

    def entered(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the beats entered."""
        return values[None, :] if self.columns is None else values[self.columns]

    def some(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values at the pairs, of a matrix from all lines to all."""
        return values if self.rows is None else values[self.rows, self.columns]


class PairBreaks(NamedTuple):
    """How much each of some splices breaks, in two readings, shape (len(SEAM_PARTS), n_leaves, n_enters) or (..., n).

    0 for no break. Expectation, context, pulse and harmony are 1 - cosine (so a common gain does not count), ringing is
    a share of the sound, level is in dB, brightness in octaves. Repetition is `REPETITION_SECONDS` over the seconds for
    which both sides are the same music; texture and air are steps at the join itself beyond those the track makes
    there, in units of what one in 20 of its bar lines exceeds. Repetition is never 0: at least `REPETITION_SECONDS`
    over the length of the 8 * `context_beats` beats compared. Weights, limits and yardsticks are not in.
    """

    ahead: FloatArray  # as continuation: does what plays resemble what the track has there?
    # as lead: does what played resemble what leads to the place in the track? Where they agree, the step over the
    # splice is one that the track itself takes, even if it was about to take another: a section repeats, or a chorus
    # comes early
    behind: FloatArray


class _Stretches:
    """Arrays of beats compared over stretches of `context_beats`, which are counted from the splice: 0 comes next.

    `values` have shape (n_beats, ...); beats beyond the ends of the track are 0.
    """

    def __init__(self, values: FloatArray, pairs: Pairs, beats: int) -> None:
        flat = values.reshape(values.shape[0], -1).astype(np.float32, copy=False)
        beyond = np.zeros(((_ALIKE_BARS + 1) * beats, flat.shape[1]), dtype=np.float32)
        self._flat = np.concatenate((beyond, flat, beyond))
        self._first = beyond.shape[0]
        self._power = np.convolve(np.square(self._flat).sum(axis=1, dtype=np.float64), np.ones(beats), "valid")
        self._pairs = pairs
        self._beats = beats
        self._products: dict[int, FloatArray] = {}

    def unlike(self, *weights: tuple[int, float]) -> FloatArray:
        """1 - cosine over some stretches, each given with what its squares count.

        Silence is like silence and unlike everything else.
        """
        power_left, power_entered = (
            sum(weight * self._power[self._at(beats, stretch)] for stretch, weight in weights)
            for beats in (self._pairs.leaves, self._pairs.enters)
        )
        norm_left, norm_entered = np.sqrt(power_left), np.sqrt(power_entered)
        product = sum(np.float32(weight) * self._product(stretch) for stretch, weight in weights)
        most = self._pairs.left(np.maximum(norm_left, _SILENT)) * self._pairs.entered(np.maximum(norm_entered, _SILENT))
        apart = np.maximum(1.0 - product / most, 0.0)
        silent = self._pairs.left(norm_left < _SILENT) & self._pairs.entered(norm_entered < _SILENT)
        apart[silent] = 0.0
        return np.asarray(apart)

    def _at(self, beats: IntArray, stretch: int) -> IntArray:
        """Rows at which a stretch begins."""
        return np.asarray(beats + (self._first + stretch * self._beats))

    def _product(self, stretch: int) -> FloatArray:
        """Inner products over one stretch."""
        if stretch not in self._products:
            pairs = self._pairs
            left, entered = (self._at(beats, stretch) for beats in (pairs.leaves, pairs.enters))
            if pairs.rows is None or pairs.columns is None:
                windows = np.lib.stride_tricks.sliding_window_view(
                    self._flat.reshape(-1), self._beats * self._flat.shape[1]
                )
                windows = windows[:: self._flat.shape[1]]
                self._products[stretch] = windows[left] @ windows[entered].T
            else:
                self._products[stretch] = np.zeros(pairs.rows.size, dtype=np.float32)
                add_products(self._flat, left[pairs.rows], entered[pairs.columns], self._beats, self._products[stretch])
        return self._products[stretch]


def _quick_breaks(
    evidence: SeamEvidence, pairs: Pairs, params: SeamParams
) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """The breaks that cost least to measure, as continuation and as lead, by their names in SEAM_PARTS and `others`."""
    n, far = params.context_beats, SECOND_BAR_WEIGHT
    texture, air = _join_steps(evidence, pairs).max(axis=1)
    others = {one.name: pairs.some(breaks_of(one, pairs.leaves, pairs.enters)) for one in evidence.others}
    lengths = np.diff(evidence.edges)
    lengths_before = np.concatenate((lengths[:1], lengths))
    late = np.abs(pairs.left(lengths_before[pairs.leaves]) - pairs.entered(lengths[pairs.enters]))
    limped = pairs.left(evidence.positions[pairs.leaves]) != pairs.entered(evidence.positions[pairs.enters])
    out_of_time = np.square(late / BEAT_JITTER_SECONDS) + BAR_PHASE_PENALTY * limped
    rhythm, harmony = (_Stretches(values, pairs, n) for values in (evidence.rhythm, evidence.harmony))

    def breaks(main: tuple[tuple[int, float], ...], offsets: IntArray) -> dict[str, FloatArray]:
        def apart(values: FloatArray) -> FloatArray:
            left, entered = (
                _windows(values[:, None], beats, offsets).mean(axis=(1, 2)) for beats in (pairs.leaves, pairs.enters)
            )
            return np.asarray(np.abs(pairs.left(left) - pairs.entered(entered)), dtype=np.float64)

        return {
            "pulse": rhythm.unlike(*main) + RHYTHM_FLOOR * out_of_time,
            "harmony": harmony.unlike(*main),
            "level": apart(evidence.level_db),
            "brightness": apart(evidence.brightness),
            "texture": texture,
            "air": air,
            **others,
        }

    return breaks(((0, 1.0), (1, far)), np.arange(n)), breaks(((-1, 1.0), (-2, far)), np.arange(-1, -n - 1, -1))


def measure_pairs(evidence: SeamEvidence, pairs: Pairs, params: SeamParams) -> PairBreaks:
    """Measure splices in both readings: the costly part of scoring, which does not depend on weights."""
    n, far = params.context_beats, SECOND_BAR_WEIGHT
    loudness = _Stretches(evidence.loudness, pairs, n)
    after, before = (loudness.unlike((first, 1.0), (second, far)) for first, second in ((0, 1), (-1, -2)))
    beside_after, beside_before = loudness.unlike((0, 1.0)), loudness.unlike((-1, 1.0))
    # The head of the track has nothing before it that could disagree: what follows speaks for both.
    context = np.where(pairs.entered(pairs.enters < n), after, beside_before)
    both = {
        "ringing": _ringing(evidence.tones, pairs),
        "repetition": REPETITION_SECONDS / np.maximum(_alike_seconds(evidence, loudness, params), 1e-3),
    }
    ahead, behind = _quick_breaks(evidence, pairs, params)
    ahead |= both | {"expectation": after, "context": context}
    behind |= both | {"expectation": beside_after, "context": before}
    return PairBreaks(*(np.stack([breaks[name] for name in evidence.part_names]) for breaks in (ahead, behind)))


def _alike_seconds(evidence: SeamEvidence, loudness: _Stretches, params: SeamParams) -> FloatArray:
    """Seconds around each splice for which both sides are the same music.

    Followed from the splice both ways, a stretch of `context_beats` at a time; each counts for as much as it and all
    nearer ones are alike, so that the count ends softly where the music parts.
    """
    seconds: FloatArray | float = 0.0
    stretch = params.context_beats * float(np.median(np.diff(evidence.edges)))
    for stretches in (range(_ALIKE_BARS), range(-1, -_ALIKE_BARS - 1, -1)):
        alike: FloatArray | float = 1.0
        for one in stretches:
            alike = alike / (1.0 + np.square(loudness.unlike((one, 1.0)) / ALIKE_DISTANCE))
            seconds = seconds + alike * stretch
    return np.asarray(seconds)


def _join_steps(evidence: SeamEvidence, pairs: Pairs) -> FloatArray:
    """Steps at the join itself, shape (2, len(_JOIN_TICKS), ...), in units of `join_limits`.

    1 - cosine of the spectral shape, and dB of all above 8 kHz, from the ticks before the beat left to those
    after the beat entered; less the step that the track itself makes at either beat, the greater one: a chord that
    changes on the bar line in the track may change there in the splice.
    """
    own_left, own_entered = (_own_steps(evidence, beats) for beats in (pairs.leaves, pairs.enters))
    steps = []
    for row, (left, entered) in enumerate(
        zip(_sides(evidence, pairs.leaves), _sides(evidence, pairs.enters), strict=True)
    ):
        shape = pairs.some(_unlike(left.before, entered.after))
        level = np.abs(pairs.left(left.air_before) - pairs.entered(entered.air_after))
        steps.append(
            [
                np.maximum(step - np.maximum(pairs.left(a[row]), pairs.entered(b[row])), 0.0) / limits[row]
                for step, a, b, limits in zip((shape, level), own_left, own_entered, evidence.join_limits, strict=True)
            ]
        )
    return np.array(steps).swapaxes(0, 1)


def end_splice_parts(evidence: SeamEvidence, enter: int) -> FloatArray:
    """Parts of the splice from the last bar line, on which a file ends, to another one.

    Nothing follows the last bar line with which the other could be compared, and nothing leads to the first: the
    maker of the file says that the one goes on in the other. What is audible is whether the join steps more than the
    track's own bar lines do, in spectral shape or above 8 kHz. A step in shape speaks for expectation and context too.
    Parts are 0 to 1, shape (len(SEAM_PARTS) + n_others,); third-party measures count as unbroken.
    """
    breaks = np.zeros(len(SEAM_PARTS) + len(evidence.others))
    left, entered = evidence.lines[-1:], evidence.lines[enter : enter + 1]
    steps = np.empty((2, len(_JOIN_TICKS)))
    for row, (last, head) in enumerate(zip(_sides(evidence, left), _sides(evidence, entered), strict=True)):
        steps[0, row] = _unlike(last.before, head.after)[0, 0]
        steps[1, row] = abs(last.air_before[0] - head.air_after[0])
    over = np.maximum(steps - evidence.join_limits, 0.0) / evidence.join_limits
    texture, air = over.max(axis=1)
    for name, step in (("expectation", texture), ("context", texture), ("texture", texture), ("air", air)):
        breaks[SEAM_PARTS.index(name)] = step
    return np.asarray(1.0 / (1.0 + np.square(breaks)))


def _own_steps(evidence: SeamEvidence, beats: IntArray) -> FloatArray:
    """Steps that the track itself makes where some beats begin, shape (2, len(_JOIN_TICKS), n_beats)."""
    steps = np.empty((2, len(_JOIN_TICKS), beats.size))
    for row, side in enumerate(_sides(evidence, beats)):
        norm = np.linalg.norm(side.before, axis=1) * np.linalg.norm(side.after, axis=1)
        steps[0, row] = 1.0 - np.sum(side.before * side.after, axis=1) / np.maximum(norm, _SILENT)
        steps[1, row] = np.abs(side.air_before - side.air_after)
    return steps


class _Sides(NamedTuple):
    """Mean specific loudness before and after some beats begin, shape (n_beats, n_bands), and its level above 8 kHz."""

    before: FloatArray
    after: FloatArray
    air_before: FloatArray  # shape (n_beats,), dB
    air_after: FloatArray


def _sides(evidence: SeamEvidence, beats: IntArray) -> Iterator[_Sides]:
    """Both sides of the beginnings of some beats, over each of the lengths `_JOIN_TICKS`."""
    ticks = evidence.loudness.shape[1]
    flat = evidence.loudness.reshape(-1, evidence.loudness.shape[2])
    high = evidence.band_hz > _AIR_HZ
    at = np.asarray(beats) * ticks
    for width in _JOIN_TICKS:
        places = at[:, None] + np.arange(width)
        after = flat[np.minimum(places, flat.shape[0] - 1)].mean(axis=1)
        before = flat[np.maximum(places - width, 0)].mean(axis=1)
        if high.any():
            yield _Sides(before, after, *(_compressed_db(side[:, high].mean(axis=1)) for side in (before, after)))
        else:  # a recording sampled at 16 kHz or less
            yield _Sides(before, after, np.zeros(at.size), np.zeros(at.size))


def _windows(values: FloatArray, beats: IntArray, offsets: IntArray) -> FloatArray:
    """Rows of `values` around each beat, shape (n, offsets, features), float32; zero beyond the ends of the track."""
    flat = values.reshape(values.shape[0], -1).astype(np.float32, copy=False)
    at = np.asarray(beats)[:, None] + offsets[None, :]
    inside = (at >= 0) & (at < flat.shape[0])
    return np.asarray(flat[np.clip(at, 0, flat.shape[0] - 1)] * inside[:, :, None].astype(np.float32))


def _unlike(a: FloatArray, b: FloatArray) -> FloatArray:
    """1 - cosine of all pairs of rows, shape (n_a, n_b); silence is like silence and unlike everything else."""
    a, b = (side.reshape(side.shape[0], -1) for side in (a, b))
    norm_a, norm_b = (np.linalg.norm(side, axis=1) for side in (a, b))
    unit_a = a / np.maximum(norm_a, _SILENT)[:, None]
    unit_b = b / np.maximum(norm_b, _SILENT)[:, None]
    apart: FloatArray = np.maximum(1.0 - unit_a @ unit_b.T, 0.0).astype(np.float64)
    return np.where((norm_a < _SILENT)[:, None] & (norm_b < _SILENT)[None, :], 0.0, apart)


def _ringing(tones: FloatArray, pairs: Pairs) -> FloatArray:
    """Share of the sound that rings over one of the two lines and is missing on the other side of the cut.

    What rings over a line is the lesser of the tone before and the tone after it. The share counts what rings over
    the line left and does not sound on the entered side, and what rings on the entered side without having
    sounded before; relative to all that sounds on both sides of the cut.
    """
    last = tones[:, 1]
    before = np.concatenate((np.zeros_like(last[:1]), last))[:-1]
    after = tones[:, 0]
    ringing = np.minimum(before, after)
    after_power, before_power = np.square(after).sum(axis=1), np.square(before).sum(axis=1)

    def share(leave: Any, enter: IntArray) -> FloatArray:
        cut = np.maximum(ringing[leave] - after[enter], 0.0)
        torn_in = np.maximum(ringing[enter] - before[leave], 0.0)
        whole = before_power[leave] + after_power[enter]
        return np.asarray((np.square(cut) + np.square(torn_in)).sum(axis=1) / np.maximum(whole, _SILENT))

    if pairs.rows is None or pairs.columns is None:
        return np.array([share(leave, pairs.enters) for leave in pairs.leaves.tolist()])
    return share(pairs.leaves[pairs.rows], pairs.enters[pairs.columns])


def parts_of_breaks(evidence: SeamEvidence, breaks: FloatArray, params: SeamParams) -> FloatArray:
    """Parts of the score, of the shape of the breaks, (len(SEAM_PARTS), ...): 0 to 1, 1 for no break."""
    parts = breaks / yardstick(evidence, params).reshape((-1,) + (1,) * (breaks.ndim - 1))
    np.square(parts, out=parts)  # in place: of all pairs of bar lines there are 20 MB
    parts += 1.0
    return np.divide(1.0, parts, out=parts)


def yardstick(evidence: SeamEvidence, params: SeamParams) -> FloatArray:
    """The break that halves each part, shape (len(SEAM_PARTS),): a share of the median of the track's own.

    Between limits: music whose bars are all alike forgives what no ear can tell, and music without any repetition does
    not forgive everything. The parts after `BAR_PARTS` are in units of their own yardstick already. The result is in
    the units of `PairBreaks`, and 1 for the parts after `BAR_PARTS`.
    """
    least, most = (np.asarray([getattr(params.model, f"{end}_{part}") for part in BAR_PARTS]) for end in ("min", "max"))
    typical = np.median(evidence.own[: len(BAR_PARTS)], axis=1) if evidence.own.shape[1] else least
    scale = np.ones(len(SEAM_PARTS) + len(evidence.others))
    scale[: len(BAR_PARTS)] = np.clip(params.model.own_break_share * typical, least, most)
    for row, one in enumerate(evidence.others, start=len(SEAM_PARTS)):
        usual = float(np.median(evidence.own[row])) if evidence.own.shape[1] else 0.0
        scale[row] = np.clip(params.model.own_break_share * usual, one.measure.least, one.measure.most)
    return scale


def total_of_parts(parts: FloatArray, params: SeamParams, led: BoolArray | None = None) -> FloatArray:
    """Seam scores, 0 to 1, of splices with these parts, shape (len(SEAM_PARTS), ...) to (...).

    A logistic function of a weighted sum over the breaks b in units of their yardsticks, ``2 log(1 + b)``, where a part
    is ``1 / (1 + b**2)``: a small break costs in proportion to its size, and one great break spoils the whole. Where
    `led`, shape (...), the splice is read as lead, and context and expectation change their parts. `led` None means
    nowhere; `parts`, shape (len(SEAM_PARTS), ...), are 0 to 1, 1 for no break.
    """
    weights = np.asarray([weight for _, weight in _weights(params)][: len(parts)])
    return _unnoticed(np.tensordot(weights, 2.0 * np.log1p(breaks_of_parts(parts, led)), axes=1), params)


def _weights(params: SeamParams) -> tuple[tuple[str, float], ...]:
    """Names and weights of the parts: ours, and those of other measures behind them."""
    return (*((part, getattr(params.model, f"{part}_weight")) for part in SEAM_PARTS), *measures_used(params))


def _unnoticed(loss: FloatArray, params: SeamParams) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(loss, 700.0) - params.model.unbroken_log_odds)))


def breaks_of_parts(parts: FloatArray, led: BoolArray | None = None) -> FloatArray:
    """The breaks behind parts, in units of their yardsticks, shape (len(SEAM_PARTS), ...).

    `parts` have the same shape and are 0 to 1; where `led`, shape (...), context and expectation change places.
    """
    if led is not None:
        swapped = np.where(led, parts[[1, 0]], parts[:2])
        parts = np.concatenate((swapped, parts[2:]))
    return np.asarray(np.sqrt(1.0 / np.clip(parts, 1e-12, 1.0) - 1.0))


def score_splices(
    evidence: SeamEvidence, leaves: IntArray, enters: IntArray, params: SeamParams
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Score every splice by the better of its two readings, as continuation and as lead.

    `leaves` and `enters` are beats. Returns the parts of the reading that counts, shape (len(SEAM_PARTS), n_leaves,
    n_enters), the total, shape (n_leaves, n_enters), and whether the splice counts as lead.
    """
    return score_pairs(evidence, measure_pairs(evidence, Pairs(leaves, enters), params), params)


def score_pairs(
    evidence: SeamEvidence, breaks: PairBreaks, params: SeamParams
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Weigh breaks that were measured: `score_splices`, from where it is cheap."""
    ahead, behind = (parts_of_breaks(evidence, each, params) for each in breaks)
    led = total_of_parts(behind, params, np.array(True)) > total_of_parts(ahead, params)
    parts = np.where(led, behind, ahead)
    return parts, total_of_parts(parts, params, led), led


def line_blocks(n: int) -> list[slice]:
    """Bar lines 0 to n in blocks, so that never the measures of all pairs are in memory; short tracks are one block."""
    size = max(n, 1) if n <= _MOST_AT_ONCE else _BLOCK_LINES
    return [slice(at, min(at + size, n)) for at in range(0, max(n, 1), size)]


@dataclass(frozen=True, slots=True, eq=False)
class LineScores:
    """Scores of the splices between all bar lines of a recording."""

    # shape (n_bars, n_bars), by the line left and the line entered; of a long recording 0 under `min_kept_score`
    total: FloatArray
    led: BoolArray | None  # same shape, whether the splice counts as lead; None for a long recording
    # shape (len(SEAM_PARTS), n_bars, n_bars); None for a long recording, where they would take too much memory
    parts: FloatArray | None


def score_lines(evidence: SeamEvidence, params: SeamParams) -> LineScores:
    """Score the splices between all bar lines; of a long recording those that reach `min_kept_score`, without parts.

    Of two hours of music one pair of bar lines in a hundred reaches it. What most of the others lose by the breaks that
    are quick to measure is too much already, with any value of the rest.
    """
    lines = evidence.lines
    if len(line_blocks(lines.size)) == 1:
        parts, total, led = score_splices(evidence, lines, lines, params)
        return LineScores(total, led, parts)
    total = np.zeros((lines.size, lines.size))
    for block in line_blocks(lines.size):
        pairs = Pairs(lines[block], lines)
        rows, columns = np.nonzero(highest_total(evidence, pairs, params) >= params.min_kept_score)
        some = measure_pairs(evidence, pairs._replace(rows=rows, columns=columns), params)
        total[block.start + rows, columns] = score_pairs(evidence, some, params)[1]
    return LineScores(total, None, None)


def highest_total(evidence: SeamEvidence, pairs: Pairs, params: SeamParams) -> FloatArray:
    """What the totals of splices are at most, by the breaks that are quick to measure.

    0 to 1, shape (n_leaves, n_enters) or (n,).
    """
    scale = dict(zip(evidence.part_names, yardstick(evidence, params), strict=True))
    weights = dict(_weights(params))
    loss = [
        sum(2.0 * weights[name] * np.log1p(found / scale[name]) for name, found in breaks.items())
        for breaks in _quick_breaks(evidence, pairs, params)
    ]
    return _unnoticed(np.minimum(*loss) - _ROUNDING, params)


def splices_between_lines(
    scores: LineScores, evidence: SeamEvidence, leave: IntArray, enter: IntArray, params: SeamParams
) -> tuple[FloatArray, BoolArray]:
    """Parts of some splices between bar lines, and whether each counts as lead; of a long recording measured again.

    `leave` and `enter` are indices of bar lines, shape (n,). Shapes are (len(SEAM_PARTS), n) and (n,).
    """
    if scores.parts is not None and scores.led is not None:
        return np.asarray(scores.parts[:, leave, enter]), np.asarray(scores.led[leave, enter])
    (left, rows), (entered, columns) = (np.unique(lines, return_inverse=True) for lines in (leave, enter))
    pairs = Pairs(evidence.lines[left], evidence.lines[entered], rows, columns)
    parts, _, led = score_pairs(evidence, measure_pairs(evidence, pairs, params), params)
    return parts, led


def score_seam(evidence: SeamEvidence, leave: int, enter: int, params: SeamParams | None = None) -> SeamScore:
    """Score the splice that leaves at beat `leave` and enters at beat `enter`.

    The planner uses only beats that open a bar (`evidence.lines`). Raises `ParameterError` for a beat that the grid
    does not have.
    """
    params = params or SeamParams()
    for name, beat in (("leave", leave), ("enter", enter)):
        if not 0 <= beat < evidence.positions.size:
            raise ParameterError(f"{name} must be one of {evidence.positions.size} beats, got {beat}")
    here, there = np.array([leave]), np.array([enter])
    found, names = measure_pairs(evidence, Pairs(here, there), params), evidence.part_names
    parts, total, led = score_pairs(evidence, found, params)
    breaks = (found.behind if led[0, 0] else found.ahead)[:, 0, 0]
    return SeamScore(
        total=float(total[0, 0]),
        led=bool(led[0, 0]),
        parts=dict(zip(names, parts[:, 0, 0].tolist(), strict=True)),
        breaks=dict(zip(names, breaks.tolist(), strict=True)),
        yardstick=dict(zip(names, yardstick(evidence, params).tolist(), strict=True)),
    )


def _compressed_db(level: FloatArray) -> FloatArray:
    """Level in dB of power that was compressed to power ** LOUDNESS_EXPONENT, not below -100 dB."""
    return np.asarray(10.0 / LOUDNESS_EXPONENT * np.log10(np.maximum(level, 10.0 ** (-10.0 * LOUDNESS_EXPONENT))))
