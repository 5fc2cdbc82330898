"""Who speaks when: from a detector's probabilities, one a frame, to phrases with a first and a last sound.

A phrase is a stretch in which the probability stays over a low threshold and reaches a high one (hysteresis, as in
Canny's edges); pauses up to 0.3 s belong to it. A detector hears a soft first syllable in noise late; where the level
already stood out before, the phrase begins there.

Conventions: phrases are (start, end) pairs in video seconds, sorted and disjoint. Nothing here reads sound.

Functions: `speech_phrases`, `with_first_syllables`, `in_the_foreground`, `speech_seconds`.

References
----------
Silero team, "Silero VAD" (2021 to 2025), whose probabilities these thresholds are made for.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy import ndimage

from workbench.errors import ParameterError
from workbench.mix.levels import HOPS_PER_SECOND, LevelCurve
from workbench.params import VoiceParams
from workbench.recording import FloatArray, VideoSeconds

Phrases: TypeAlias = tuple[tuple[VideoSeconds, VideoSeconds], ...]
_BACKGROUND_SECONDS = 2.0  # before a phrase, in which the background is measured
_BACKGROUND_SHARE = 0.5  # quantile of the levels there
_DIP_SECONDS = 0.06  # a first syllable may be followed by a stop that long


def speech_phrases(probabilities: FloatArray, frame_seconds: float, params: VoiceParams | None = None) -> Phrases:
    """Join frames in which somebody speaks to phrases.

    Parameters
    ----------
    probabilities : shape (n_frames,), 0 to 1; frame k lies at `k * frame_seconds` and is `frame_seconds` long

    Returns
    -------
    (start, end) of each phrase in seconds, sorted, more than `close_pause_seconds` apart

    Raises
    ------
    ParameterError : probabilities of another shape or out of range, or a frame of no length
    """
    params = params or VoiceParams()
    chance = np.asarray(probabilities, dtype=np.float64)
    if chance.ndim != 1 or not np.all((chance >= 0) & (chance <= 1)):
        raise ParameterError(f"speech probabilities are a row of numbers from 0 to 1, got shape {chance.shape}")
    if not frame_seconds > 0:
        raise ParameterError(f"a frame lasts some time, got {frame_seconds} s")
    going_on = chance >= min(params.extend_probability, params.onset_probability)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], going_on, [False]])))
    starts, ends = edges[::2], edges[1::2]
    if not starts.size:
        return ()
    surest = np.maximum.reduceat(np.append(chance, 0.0), np.ravel(np.column_stack([starts, ends])))[::2]
    said = surest >= params.onset_probability
    stretches = zip(starts[said] * frame_seconds, ends[said] * frame_seconds, strict=True)
    phrases = joined(tuple((float(start), float(end)) for start, end in stretches), params.close_pause_seconds)
    return tuple((start, end) for start, end in phrases if end - start >= params.min_phrase_seconds)


def joined(phrases: Phrases, pause_seconds: float) -> Phrases:
    """Close pauses of up to that many seconds between phrases."""
    whole: list[tuple[float, float]] = []
    for start, end in phrases:
        if whole and start - whole[-1][1] <= pause_seconds + 1e-9:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return tuple(whole)


def with_first_syllables(phrases: Phrases, levels: LevelCurve, params: VoiceParams | None = None) -> Phrases:
    """Move the start of phrases back to where the level first stood out from what was heard before.

    Looks back over `edge_reach_seconds` at most; the background is the median level of the two seconds before that.
    Phrases stay as they are where nothing stands out.
    """
    params = params or VoiceParams()
    power = ndimage.uniform_filter1d(levels.power, 3, mode="nearest") if levels.power.size else levels.power
    dip = round(_DIP_SECONDS * HOPS_PER_SECOND)
    moved: list[tuple[float, float]] = []
    last_end = 0.0
    for start, end in phrases:
        first = max(start - params.edge_reach_seconds, last_end)
        far, near = round(first * HOPS_PER_SECOND), round(start * HOPS_PER_SECOND)
        before = power[max(0, far - round(_BACKGROUND_SECONDS * HOPS_PER_SECOND)) : far]
        stretch = power[far:near]
        if before.size >= dip and stretch.size:
            loud = stretch > np.quantile(before, _BACKGROUND_SHARE) * 10 ** (params.edge_rise_db / 10)
            begins = _unbroken_from(loud, dip)
            start = min(start, (far + begins) / HOPS_PER_SECOND)
        moved.append((start, end))
        last_end = end
    return joined(tuple(moved), params.close_pause_seconds)


def _unbroken_from(loud: np.ndarray[tuple[int], np.dtype[np.bool_]], dip: int) -> int:
    """Index from which on, up to the end, no more than `dip` entries in a row are false."""
    at = loud.size
    for k in range(loud.size - 1, -1, -1):
        if loud[k]:
            at = k
        elif at - k > dip:
            break
    return at


def in_the_foreground(phrases: Phrases, levels: LevelCurve, params: VoiceParams | None = None) -> Phrases:
    """Leave out phrases far quieter than the loud ones: somebody in the background, a television next door."""
    params = params or VoiceParams()
    if not phrases:
        return ()
    loudness = np.array([levels.lufs(start, end) for start, end in phrases])
    gate = float(np.quantile(loudness, 0.75)) - params.foreground_lu
    return tuple(phrase for phrase, lufs in zip(phrases, loudness, strict=True) if lufs >= gate and np.isfinite(lufs))


def speech_seconds(phrases: Phrases) -> float:
    """Seconds of speech in all."""
    return float(sum(end - start for start, end in phrases))
