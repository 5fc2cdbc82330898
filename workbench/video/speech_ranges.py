"""Who speaks when: from the probabilities of two detectors to utterances with a first and a last sound.

The speech detector (`workbench.features.speech_probability`) knows voices of every kind, whispers among them, but loses
them under music and crowds; the voice network (`workbench.video.voice_network`) detects them there. `speech_chances`
weighs both: the log-odds of the network, and those of the detector as far as they do not merely say that it detected
nothing.

An utterance is a stretch in which the probability stays over a low threshold and reaches a high one (hysteresis, as in
Canny's edges); it reaches back to where the probability began to rise, and ends where it has fallen. Sound well above
the background needs less of it, for whispers give low probabilities; the background is what a fifth of the 30 s before
is no louder than, or of the 30 s after, whichever is louder: beside a quiet room all of a street would stand out. Edges
are then placed to 10 ms on the levels in the bands of speech: hop by hop, each band is held against its own background
just before or after, and the edge is where the sum of what stands out is greatest (Page's cumulative sum). A
beginning is searched up to 0.2 s before the detector's first frame, an end never past its last one: the detector is
slow to let go, and what stands out after that is the room that rings. Where the background is nearly as loud as the
voice, soft sounds drown, the detector responds late, and a car that passes stands out as much as a syllable. There the
levels are searched less far, and the edges keep a margin, so that no syllable is cut off. Pauses up to 0.3 s belong to
it.

Conventions: utterances are (start, end) pairs in video seconds, sorted and disjoint. Nothing here reads sound.

Thresholds are relative to each speaker: a quiet speaker beside a loud one is detected too.

References
----------
Silero team, "Silero VAD" (2021 to 2025), for whose probabilities these thresholds were chosen.
E. S. Page, "Continuous inspection schemes", Biometrika 41 (1954).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ParameterError
from workbench.features.levels import HOPS_PER_SECOND
from workbench.params import VoiceParams
from workbench.recording import FloatArray, VideoSeconds, runs

Utterances: TypeAlias = tuple[tuple[VideoSeconds, VideoSeconds], ...]
_FLOOR = 10**-8.5  # power under which backgrounds count as equal: 85 dB under full scale
_BACKGROUND_HOPS = (200, 400)  # around an edge, searched for its background before the whole video is
_ENOUGH_HOPS = 30  # of a background
_BACKGROUND_SHARE = 0.2  # of the sound around a frame that is no louder than the background
_AROUND_SECONDS = 30  # before and after a frame, from which the background is measured
_THINNED_HOPS = 5  # of the levels it is taken of, one in so many
_AT_ONCE = 1000  # windows whose backgrounds are computed together
_GUARD_HOPS = (25, 5)  # before and after an utterance, that may be speech too
_CLEAREST_BANDS = 3  # of the bands: those in which a sound stands out most
_LEAST_SPREAD_DB = 2.0  # of a background; steadier ones would make an event of every breath
_USUAL = 0.9  # quantile of what stands out in the background itself
_MOST = 3.0  # spreads by which one hop may count, so that a click is no word
_INTO_HOPS = (15, 10)  # into the sure part of an utterance, from where the search for an edge begins
# Log-odds of both detectors, so that the same thresholds serve for what they say together.
_NETWORK_WEIGHT, _DETECTOR_WEIGHT, _BOTH_BIAS = 1.0, 0.7, -1.6
# Log-odds of the detector that count: under music it misses voices, and some music it takes for one.
_DETECTOR_LEAST, _DETECTOR_MOST = -4.0, 2.0
_CERTAIN = 0.9995  # probability to which the detector's is clipped, and 1 minus it
MIN_UTTERANCE_SECONDS = 0.25
"""s; less is a click or a cough"""
EDGE_REACH_SECONDS = 0.2
"""s before the detector's frames, searched for a beginning"""
_WHISPER_DB, _WHISPER_EXPONENT = 15.0, 0.4
"""dB over the background around it from where on a whisper counts as speech, and the exponent on its probability"""
_CLEAR_DB, _DROWNED_DB = 20.0, 10.0
"""dB of speech over its background: from where on edges are exact, and under which soft sounds drown"""
LATE_SECONDS = 0.06
"""s by which the detectors may miss the beginning of a first syllable in noise"""
_TAIL_SECONDS = 0.06
"""s that an utterance in noise goes on after its sure part"""

Bands: TypeAlias = FloatArray
"""shape (n_hops, n_bands): power of each hundredth of a second in each band"""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Probabilities between which an utterance begins, goes on and ends."""

    reached: float
    """once at least"""
    held: float = 0.15
    """to both sides of that; soft first syllables go on at so little"""
    begins: float = 0.06
    """back to where it was under this, for first syllables are soft"""
    ends: float = 0.3
    """by the last frame, for the detector is slow to let go"""


def speech_utterances(
    probabilities: FloatArray,
    frame_seconds: float,
    params: VoiceParams | None = None,
    bands: Bands | None = None,
    *,
    raise_whispers: bool = True,
    thresholds: Thresholds | None = None,
) -> Utterances:
    """Join frames of speech into utterances, more than `close_pause_seconds` apart.

    Frame k begins at `k * frame_seconds`. Without `bands` (100 hops a second) the edges stay on the frames. Whispers
    are raised already in the probabilities of `speech_chances`. The thresholds follow from the parameters by default.
    """
    params = params or VoiceParams()
    thresholds = thresholds or Thresholds(params.onset_probability)
    chance = np.asarray(probabilities, dtype=np.float64)
    if chance.ndim != 1 or not np.all((chance >= 0) & (chance <= 1)):
        raise ParameterError(f"speech probabilities are a row of numbers from 0 to 1, got shape {chance.shape}")
    if not frame_seconds > 0:
        raise ParameterError(f"a frame must last more than 0 s, got {frame_seconds} s")
    if bands is None or not len(bands):
        stretches = _stretches(chance, frame_seconds, thresholds)
    else:
        floored = np.maximum(np.asarray(bands, dtype=np.float64), _FLOOR)
        if raise_whispers:
            chance = np.where(_clear(floored, chance.size, frame_seconds), chance**_WHISPER_EXPONENT, chance)
        stretches = _place_edges(_stretches(chance, frame_seconds, thresholds), floored)
    utterances = join_utterances(
        tuple((stretch.start, stretch.end) for stretch in stretches), params.close_pause_seconds
    )
    return tuple((start, end) for start, end in utterances if end - start >= MIN_UTTERANCE_SECONDS)


def speech_chances(
    probabilities: FloatArray,
    frame_seconds: float,
    voice_odds: FloatArray,
    bands: Bands | None = None,
) -> FloatArray:
    """Probability of speech by both detectors together, shape (n_hops,), 100 hops a second.

    `probabilities` are the speech detector's, by frames; `voice_odds` the voice network's log-odds, by hops. Without
    `bands` nothing is known to stand clear of the background.
    """
    network = np.asarray(voice_odds, dtype=np.float64)
    chance = np.clip(np.asarray(probabilities, dtype=np.float64), 1 - _CERTAIN, _CERTAIN)
    if network.ndim != 1 or chance.ndim != 1 or not frame_seconds > 0:
        raise ParameterError(f"both detectors give a row of numbers, got shapes {network.shape} and {chance.shape}")
    if not network.size or not chance.size:
        return np.zeros(network.size)
    times = (np.arange(network.size) + 0.5) / HOPS_PER_SECOND
    # A detector without a detection must not outvote the network under music, nor the reverse: its share is bounded.
    detector = np.interp(times, (np.arange(chance.size) + 0.5) * frame_seconds, np.log(chance / (1 - chance)))
    bounded = np.clip(detector, _DETECTOR_LEAST, _DETECTOR_MOST)
    both = 1 / (1 + np.exp(-(_NETWORK_WEIGHT * network + _DETECTOR_WEIGHT * bounded + _BOTH_BIAS)))
    if bands is None or not len(bands):
        return np.asarray(both)
    # What stands clear of the background needs no network, which knows no whispers.
    floored = np.maximum(np.asarray(bands, dtype=np.float64), _FLOOR)
    clear = _clear(floored, network.size, 1 / HOPS_PER_SECOND)
    alone = (1 / (1 + np.exp(-detector))) ** _WHISPER_EXPONENT
    return np.asarray(np.where(clear, np.maximum(both, alone), both))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A run of frames of speech, seconds; it is sure from `sure_from` to `sure_to`."""

    start: float
    end: float
    sure_from: float
    sure_to: float


def _stretches(chance: FloatArray, frame_seconds: float, thresholds: Thresholds) -> list[_Stretch]:
    going_on = chance >= min(thresholds.held, thresholds.reached)
    found, last = list[_Stretch](), 0
    for first, stop in runs(going_on):
        sure = first + np.flatnonzero(chance[first:stop] >= thresholds.reached)
        if sure.size:
            # The detector's probability rises late at the beginning of an utterance, and falls late after its end.
            silent = np.flatnonzero(chance[last:first] < thresholds.begins)
            begins = last + (int(silent[-1]) + 1 if silent.size else 0)
            held = np.flatnonzero(chance[first:stop] >= min(thresholds.ends, thresholds.reached))
            last = first + int(held[-1]) + 1
            found.append(_Stretch(*(float(k) * frame_seconds for k in (begins, last, sure[0], sure[-1] + 1))))
    return found


def _clear(bands: Bands, n_frames: int, frame_seconds: float) -> NDArray[np.bool_]:
    """Frames that stand clear of the background around them, shape (n_frames,)."""
    level = 10 * np.log10(_middle(bands).sum(axis=1))
    time = np.minimum(((np.arange(n_frames) + 0.5) * frame_seconds * HOPS_PER_SECOND).astype(int), level.size - 1)
    background = _background_levels(level)[time // HOPS_PER_SECOND]
    return np.asarray(level[time] > background + _WHISPER_DB)


def _background_levels(level: FloatArray) -> FloatArray:
    """The background of each second, dB: the louder of what it is before and after, where a video goes on elsewhere."""
    seconds = -(-level.size // HOPS_PER_SECOND)
    thin = level[::_THINNED_HOPS]
    hz = HOPS_PER_SECOND // _THINNED_HOPS
    if seconds <= _AROUND_SECONDS:
        return np.full(seconds, np.quantile(thin, _BACKGROUND_SHARE))
    windows = np.lib.stride_tricks.sliding_window_view(thin, _AROUND_SECONDS * hz)[::hz]
    # Piece by piece, since each piece is copied.
    pieces = (windows[first : first + _AT_ONCE] for first in range(0, len(windows), _AT_ONCE))
    found = np.concatenate([np.quantile(piece, _BACKGROUND_SHARE, axis=1) for piece in pieces])
    after = np.minimum(np.arange(seconds), found.size - 1)
    before = np.maximum(np.arange(seconds) - (_AROUND_SECONDS - 1), 0)
    return np.asarray(np.maximum(found[np.minimum(before, found.size - 1)], found[after]))


def _middle(bands: Bands) -> Bands:
    """Without the outermost bands: rumble and hiss are no measure of the clarity of a voice."""
    return bands[:, 1:-1] if bands.shape[1] > 2 else bands


def _place_edges(stretches: list[_Stretch], bands: Bands) -> list[_Stretch]:
    """Stretches with their edges placed by the levels; no band is under the floor."""
    hz = HOPS_PER_SECOND
    quiet = np.ones(len(bands), dtype=bool)
    for stretch in stretches:
        quiet[max(0, int(stretch.start * hz) - _GUARD_HOPS[0]) : int(stretch.end * hz) + _GUARD_HOPS[1]] = False
    decibels, middle = 10 * np.log10(bands), _middle(bands)
    placed, last = list[_Stretch](), 0
    for stretch in stretches:
        start, end = stretch.start * hz, stretch.end * hz
        before, after = (_background(quiet, int(edge)) for edge in (start, end))
        if before is None or after is None:
            placed.append(stretch)
            continue
        spoken, other = middle[int(start) : int(end) + 1].mean(axis=0).sum(), np.median(middle[before], axis=0).sum()
        # Between clear and drowned everything is shared out in proportion: a threshold would make edges leap by tenths
        # of a second where a level changes by a decibel.
        over = 10 * np.log10(spoken / other)
        drowned = float(np.clip((_CLEAR_DB - over) / (_CLEAR_DB - _DROWNED_DB), 0, 1))
        late = drowned * LATE_SECONDS * hz
        # In noise the levels say less than the detector: they are searched no further than the margin.
        reach = round((1 - drowned) * EDGE_REACH_SECONDS * hz + late)
        first, anchor = max(last, int(start) - reach), int(min(stretch.sure_from * hz + _INTO_HOPS[0], end))
        # Where no level stands out, the beginning stays where the detectors put it.
        stands_out = _prominence(decibels[first:anchor], decibels[before])
        begins = first + _peak(stands_out[::-1], max(0, int(start) - first), back=True)
        # Not past the detector's last frame: what stands out there is the room that rings.
        anchor, stop = int(max(stretch.sure_to * hz - _INTO_HOPS[1], start)), min(len(bands), int(end))
        ends = anchor + _peak(_prominence(decibels[anchor:stop], decibels[after]), round(stretch.sure_to * hz) - anchor)
        if drowned:
            begins = min(begins, round(start - late))
            ends = max(ends, round(stretch.sure_to * hz + _TAIL_SECONDS * hz - (1 - drowned) * hz))
            ends = min(ends, round(end))
        begins, ends = max(begins, last), min(ends, len(bands))
        if begins < ends:
            placed.append(_Stretch(begins / hz, ends / hz, stretch.sure_from, stretch.sure_to))
            last = ends
    return placed


def _background(quiet: NDArray[np.bool_], at: int) -> NDArray[np.intp] | None:
    """Hops around an edge without speech; None where there is always speech."""
    for reach in (*_BACKGROUND_HOPS, quiet.size):
        first = max(0, at - reach)
        found = np.flatnonzero(quiet[first : at + reach])
        if found.size >= _ENOUGH_HOPS:
            return first + found
    return None


def _prominence(decibels: FloatArray, background: FloatArray) -> FloatArray:
    """How far each hop is above its background, in spreads of it, shape (n_hops,); 0 and less: not at all."""
    middle = np.median(background, axis=0)
    spread = np.maximum(1.4826 * np.median(np.abs(background - middle), axis=0), _LEAST_SPREAD_DB)

    def audibility(levels: FloatArray) -> FloatArray:
        over = np.clip((levels - middle) / spread, -1, 2 * _MOST)
        return np.asarray(np.sort(over, axis=1)[:, -_CLEAREST_BANDS:].mean(axis=1))

    # nine in ten hops of the background itself must count as nothing, or the sums below would grow without a voice
    usual = max(float(np.quantile(audibility(background), _USUAL)), 0.5)
    return np.asarray(np.clip(audibility(decibels) - usual, -_MOST / 2, _MOST))


def _peak(steps: FloatArray, otherwise: int, *, back: bool = False) -> int:
    """Number of steps up to the highest sum, counted from the far end with `back`; `otherwise` if none is over 0."""
    sums = np.cumsum(steps)
    if not sums.size or sums.max() <= 0:
        return otherwise
    count = int(sums.argmax()) + 1
    return steps.size - count if back else count


def join_utterances(utterances: Utterances, pause_seconds: float) -> Utterances:
    """Close short pauses between utterances."""
    whole: list[tuple[float, float]] = []
    for start, end in utterances:
        if whole and start - whole[-1][1] <= pause_seconds + 1e-9:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return tuple(whole)


def speech_seconds(utterances: Utterances) -> float:
    """Total length of utterances."""
    return float(sum(end - start for start, end in utterances))
