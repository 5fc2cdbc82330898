"""How a track ends by itself: a come-down outro, final bars that resolve, a dry last hit, or not at all.

The end of the file tells first. Music that is still loud at the last sample was cut; music whose level sinks while its
pulse goes on was faded by an engineer; neither is an ending. Otherwise the last attack is looked for and how long it
rings: a long ring is a resolution, a short one a dry hit. If the bars that lead there have come down from the track, in
level and in harmony, they are an outro.

The last hit, which `fit --end-on` lands, is looked for in bands: a kick over a held chord hardly moves the level, and
what crackles or beats while the music rings moves it more, but in no band as loud as the music was.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.features.loudness import loudness_between
from workbench.features.spectrum import analyze_spectrum
from workbench.recording import FloatArray, IntArray, MonoMixer, Recording
from workbench.seams.profile import EndingKind, Restart, TrackEnding, TrackSection

_CUT_DB = 30.0  # under the track; sound louder than that at the last sample was cut off
_ONSET_DB = 5.0  # that an onset rises over the 60 ms before it
_RING_SECONDS = 1.0  # a last sound that decays sooner is a dry hit
_FADE_BARS = 2.0  # a level that sinks for longer may be a fade
_FADE_END_DB = 24.0  # under the track; a last attack above it is an ending, not a fade
_OUTRO_DROP_DB = 3.0  # by which an outro is under the track
_RESOLVE_BARS = 2  # before the last attack, which belong to the ending
_HOP_SECONDS = 0.02
_FLOOR_DB = -100.0
# of the bands in which hits are looked for: octaves, and all below and above
_HIT_EDGES_HZ = (0.0, 120.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, np.inf)
# by how much a band rises at a hit, and how far under its loudest twentieth it may stay, one pair or the other
_HITS_DB = ((10.0, 15.0), (15.0, 20.0))
_HIT_RISES_S = 0.02
_HIT_BEFORE_S = (0.03, 0.09)  # whose loudest level a hit must exceed, so that beating strings are no hits
# under its peak, from where on a band has risen: the window of a spectrum sees a hit before it sounds
_HIT_SOUNDS_DB = 6.0
_HIT_FALLS_DB = 10.0  # by which all of it may fall over a hit: where music is cut off, a click is audible too
_LEFT_OUT_DB = 10.0  # LU under the track of the loudest moment of its ring that is left out where it begins again
_MOMENT_SECONDS = 0.4  # s, the momentary window of BS.1770
_MOMENT_HOP_SECONDS = 0.1
_LEAD_SECONDS = 1.0  # s of sound before the line, for the filter of the loudness to settle


@dataclass(frozen=True, slots=True)
class _Tail:
    """The end of a recording, measured."""

    cut: bool  # still sounding at the last sample
    faded: bool  # sinking while the pulse goes on
    last_attack: float  # s, track time
    ring_seconds: float  # from the last attack until the level is 40 dB under the track's


def find_ending(
    recording: Recording,
    downbeats: FloatArray,
    bar_lufs: FloatArray,
    bar_change: FloatArray,
    sections: tuple[TrackSection, ...],
) -> TrackEnding | None:
    """Find the track's own ending.

    None if the track fades or stops in mid-phrase, or has fewer than four bars. `bar_lufs` is the LUFS of each bar,
    `bar_change` how much the harmony moves inside it, 1 - cosine.
    """
    n = downbeats.size
    if n < 4:
        return None
    bar_seconds = float(np.median(np.diff(downbeats)))
    tail = _measure_tail(recording, bar_seconds)
    if tail.cut or tail.faded:
        return None
    last_bar = max(0, int(np.searchsorted(downbeats, tail.last_attack + 0.05, side="right")) - 1)
    come_down = _come_down(bar_lufs, bar_change, sections)
    if come_down is not None:
        start, kind = come_down, EndingKind.OUTRO
    elif tail.ring_seconds >= _RING_SECONDS:
        start, kind = _resolution_start(downbeats, sections, last_bar), EndingKind.RESOLVE
    else:
        start, kind = max(1, last_bar - 1), EndingKind.ABRUPT
    return TrackEnding(kind, start)


def last_hit(recording: Recording, downbeats: FloatArray) -> float:
    """Where the last hit of a recording falls, s: where the band that rises most has risen.

    The length of a bar bounds where an attack is looked for in music without a hit.
    """
    spectrum = analyze_spectrum(recording.samples, recording.sample_rate)
    rate = spectrum.frames_per_second
    inside = [(spectrum.band_hz >= low) & (spectrum.band_hz < high) for low, high in pairwise(_HIT_EDGES_HZ)]
    power = np.array([spectrum.power[band].sum(axis=0) for band in inside])
    rises, near, far = (max(1, round(seconds * rate)) for seconds in (_HIT_RISES_S, *_HIT_BEFORE_S))
    if power.shape[1] > 2 * far:
        level = 10.0 * np.log10(np.vstack([power, power.sum(axis=0)]) + 1e-12)  # the last row is all of it
        views = np.lib.stride_tricks.sliding_window_view
        loudest = views(level, far - near + 1, axis=1).max(axis=2)
        before, after = loudest[:, : level.shape[1] - 2 * far], level[-1, 2 * far :]
        reached = views(level, rises + 1, axis=1).max(axis=2)[:, far : far + before.shape[1]]
        rise, under = reached - before, np.percentile(level, 95, axis=1)[:, None] - reached
        hits = np.logical_or.reduce([(rise >= least) & (under < most) for least, most in _HITS_DB])
        hits &= after >= before[-1] - _HIT_FALLS_DB
        if hits.any():
            frames = np.flatnonzero(hits.any(axis=0))
            at = int(frames[np.flatnonzero(np.diff(frames, prepend=-far) > near)[-1]])  # the first of the last hit
            band = int(np.argmax(np.where(hits[:, at], rise[:, at], -np.inf)))
            rising = level[band, at + far : at + 2 * far]
            return float((at + far + int(np.argmax(rising >= rising.max() - _HIT_SOUNDS_DB))) / rate)
    bar = float(np.median(np.diff(downbeats))) if downbeats.size > 1 else 2.0
    return _measure_tail(recording, bar).last_attack


def _measure_tail(recording: Recording, bar_seconds: float) -> _Tail:
    """Envelope of the last stretch of the file, its attacks and how it dies away."""
    rate = recording.sample_rate
    duration = recording.duration
    hop = max(1, round(_HOP_SECONDS * rate))
    stretch = max(30.0, 10 * bar_seconds)
    first = max(0, recording.samples.shape[1] - round(stretch * rate))
    sound = MonoMixer().mix(recording.samples[:, first:])
    count = sound.size // hop
    power = np.square(sound[: count * hop]).reshape(count, hop).mean(axis=1)
    level = np.maximum(10.0 * np.log10(power + 1e-12), _FLOOR_DB)
    edge = np.square(np.diff(sound[: count * hop], prepend=sound[:1])).reshape(count, hop).mean(axis=1)
    bright = np.maximum(10.0 * np.log10(edge + 1e-14), _FLOOR_DB - 20.0)
    track = float(np.percentile(level, 80))
    final = level[-max(1, round(0.06 / _HOP_SECONDS)) :]
    # An onset stands out against the loudest of the 60 ms before it; ringing strings that beat do not.
    before = np.full(count, _FLOOR_DB - 20.0)
    for back in (2, 3, 4):
        before[back:] = np.maximum(before[back:], bright[:-back])
    onset = (bright - before >= _ONSET_DB) & (level > track - 35.0)
    onset &= ~np.concatenate(([False], onset[:-1]))
    at = np.flatnonzero(onset)
    times = first / rate + at * _HOP_SECONDS
    last = int(at[-1]) if at.size else int(np.argmax(level))
    gone = np.flatnonzero(level[last:] < track - 40.0)
    ring = (int(gone[0]) if gone.size else count - last) * _HOP_SECONDS
    return _Tail(
        cut=bool(final.mean() > track - _CUT_DB),
        faded=_is_fade(level, at, bar_seconds),
        last_attack=float(times[-1]) if at.size else float(first / rate + last * _HOP_SECONDS),
        ring_seconds=min(ring, duration),
    )


def _is_fade(level: FloatArray, onsets: IntArray, bar_seconds: float) -> bool:
    """Whether the level sinks over bars while onsets keep coming, as they did before, until nothing is left."""
    smooth_hops = max(1, round(0.5 * bar_seconds / _HOP_SECONDS))
    padded = np.pad(level, (smooth_hops // 2, smooth_hops - 1 - smooth_hops // 2), mode="edge")
    smooth = np.lib.stride_tricks.sliding_window_view(padded, smooth_hops).max(axis=1)
    top = float(np.percentile(smooth, 80))
    sounding = np.flatnonzero(smooth > top - 32.0)
    if not sounding.size:
        return False
    end = int(sounding[-1])
    loud = np.flatnonzero(smooth[:end] > top - 5.0)
    begin = int(loud[-1]) if loud.size else 0
    length = (end - begin) * _HOP_SECONDS
    if length < _FADE_BARS * bar_seconds:
        return False
    if onsets.size and level[onsets[-1] : onsets[-1] + round(0.2 / _HOP_SECONDS)].max() > top - _FADE_END_DB:
        return False
    usual = np.count_nonzero(onsets < begin) / max(begin * _HOP_SECONDS, bar_seconds)
    during = np.count_nonzero((onsets >= begin) & (onsets < end)) / length
    last_half = np.count_nonzero((onsets >= (begin + end) // 2) & (onsets < end)) / (length / 2)
    return bool(during > 0.6 * usual and last_half > 0.5 * usual and usual > 0.0)


def _come_down(
    bar_lufs: FloatArray,
    bar_change: FloatArray,
    sections: tuple[TrackSection, ...],
) -> int | None:
    """First bar of a come-down outro, if the last section is one: softer than the track, harmony not busy."""
    if not sections:
        return None
    typical = float(np.median(bar_lufs))
    audible = int(np.flatnonzero(bar_lufs > typical - 30.0)[-1]) + 1
    for section in reversed(sections):
        first, last = section.first_bar, min(section.last_bar, audible)
        if last - first < 2 or first < bar_lufs.size // 2:
            continue
        level = float(np.mean(bar_lufs[first:last]))
        before = float(np.mean(bar_lufs[max(0, first - 4) : first])) if first else typical
        calm = float(np.mean(bar_change[first:last])) <= 2.0 * float(np.median(bar_change)) + 0.02
        if max(before, typical) - level >= _OUTRO_DROP_DB and calm:
            return first
        break
    return None


def _resolution_start(downbeats: FloatArray, sections: tuple[TrackSection, ...], last_bar: int) -> int:
    """First bar of the final phrase: where a ritardando begins, else the last section if short, else the last bars."""
    start = max(1, last_bar - _RESOLVE_BARS)
    lengths = np.diff(downbeats)
    if lengths.size >= 8:
        usual = float(np.median(lengths))
        slow = lengths > 1.03 * usual
        first_slow = lengths.size
        while first_slow > 0 and slow[first_slow - 1]:
            first_slow -= 1
        if first_slow < lengths.size:
            start = min(start, max(1, first_slow - 1))
    for section in sections:
        if start - _RESOLVE_BARS <= section.first_bar <= start and section.first_bar > 0:
            return section.first_bar
    return start


def find_restart(
    recording: Recording,
    downbeats: FloatArray,
    bar_lufs: FloatArray,
    ending: TrackEnding | None,
    sounds: tuple[float, float],
) -> Restart | None:
    """Find where the track can begin again after its own ending.

    None if the track has no ending of its own, its last bar line is not in the quiet after it, or more than a bar comes
    before its first bar line. `bar_lufs` is the LUFS of each bar, `sounds` its first and
    last sound, s.
    """
    if ending is None or downbeats.size < 4 or downbeats[0] - sounds[0] >= downbeats[1] - downbeats[0]:
        return None
    leave = downbeats.size - 1
    if leave <= ending.start_bar:
        return None
    rate = recording.sample_rate
    first = max(0, round((downbeats[leave] - _LEAD_SECONDS) * rate))
    starts = np.arange(downbeats[leave], max(sounds[1], downbeats[leave] + 1e-3), _MOMENT_HOP_SECONDS)
    ends = np.minimum(starts + _MOMENT_SECONDS, recording.duration)
    moments = loudness_between(recording.samples[:, first:], rate, starts - first / rate, ends - first / rate)
    ring_db = round(float(moments.max() - np.median(bar_lufs)), 2)
    return Restart(leave, 0, ring_db) if ring_db <= -_LEFT_OUT_DB else None
