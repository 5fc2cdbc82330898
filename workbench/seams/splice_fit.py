"""Fitting a splice to the waveform: where exactly to cut, how long to cross over, by which gain law.

Two passes of the same music, played by people or cut to a raster of milliseconds, are a few milliseconds apart at the
bar line. So the entering side is shifted to the lag at which the waveforms agree best, within the 10 ms that the grid
rule leaves; where they do not agree at all, to the lag at which their attacks coincide.

The correlation there says how to cross over. Sides of correlation r have constant power halfway through a fade with the
gains `(1-x)^p`, `x^p` if `2 * (1/2)^(2p) * (1 + r) = 1`, that is `p = (1 + log2(1 + r)) / 2`: linear for identical
sides, equal power for unlike ones. Alike sides cross over quickly, since nothing changes. Unlike sides cross over
before the attack that opens the bar, so that one attack sounds and it masks the change; without an attack they cross
over slowly, but never across the next onset of either side.

Lower-case names with underscores are fields of `SeamParams`, upper-case ones constants below. Times around a line are
seconds, negative before it.

1. *Sound of a line*: the mean of the channels at `n = round(0.3 rate)` samples before and after the sample nearest to
   the line (a half to the even one), silence outside of the recording.
2. *Onsets of a line*. The sound's first difference, 0 at its first sample, is cut into whole hops of
   `round(0.002 rate)` samples; `P[k]` is the mean square of hop k. The level is
   `L[k] = 10 log10((P[k-1] + P[k] + P[k+1]) / 3 + 1e-12)`, with 0 for hops that are not there. Hop k is marked if
   `L[k]` is at least 6 dB over every one of `L[k-15]` to `L[k-3]` (`L[0]` for those before the first), and over both
   -80 and 26 dB under the greatest level of this line. An onset is the first hop of each run of marked ones; its time
   is the end of that hop. The *attack* of the line is the onset nearest to it within 0.03 s, the earlier of two, if
   there is any. With `a` the attack, or 0 without one, the *onset before* is the last one earlier than
   `min(a, 0) - 0.01`, -0.3 without any; the *onset after* is the first one later than `max(a, 0) + 0.01`, 0.3 without
   any.
3. *Lag and correlation*. With `w` a periodic Hann window of 2h samples around the line,
   `h = min(round(rate CORRELATION_SECONDS / 2), n - m - 8)`, x the sound of the line left and y that of the line
   entered, the correlation at lag l is `sum(w x y[l]) / sqrt(max(1e-14, sum(w x^2) sum(w y[l]^2)))`, `y[l]` being y
   shifted by l samples: a positive lag enters later. Lags reach from -m to m, `m = floor(rate MAX_SHIFT_SECONDS)`. The
   greatest is looked for first at lags that are multiples of 4, in means of 4 samples, and then at each lag within 4 of
   the best of them; r is what is found, at most 1.
4. *Lag used*: the best one if `r >= MIN_CORRELATION`; else the attack of the line entered less that of the line left,
   if both have one and the difference is within `MAX_SHIFT_SECONDS`; else 0. From here on `q = min(max(r, 0), 1)`, also
   where the lag is another one, and `p = (1 + log2(1 + q)) / 2`.
5. *Fade wanted*: `alike_fade_seconds` if `q >= MIN_ALIKE_CORRELATION`; else `ATTACK_FADE_SECONDS` if either line has an
   attack; else `alike_fade_seconds + (1 - q) (unlike_fade_seconds - alike_fade_seconds)`.
6. *Middle of the fade*, re the line left: 0. Only where the sides are not alike and there is an attack, it is half the
   fade wanted before the first attack: the lesser of that of the line left and that of the line entered less the lag.
   It is moved so that it, and it plus the lag, both stay within `MAX_SHIFT_SECONDS`.
7. *Room*. The fade of alike sides stays as wanted. Any other is centred on the middle and ends by the first attack
   where there is one, else by the onset after of the line left or, less the lag, of the line entered; it begins no
   earlier than the onset before of either, that of the line entered again less the lag. What does not fit is taken from
   both ends alike, down to `MIN_FADE_SECONDS`, which stays even without room, and never over the fade wanted.
8. The music leaves at line left plus middle and enters at line entered plus middle plus lag; the fade is centred on
   both. At the start of the recording there may be no room for that: see `workbench.seams.profile.with_room`.

References
----------
Fink, Holters & Zölzer, "Signal-matched power-complementary cross-fading and dry-wet mixing", DAFx 2016: the gain law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.params import SeamParams
from workbench.recording import FloatArray, IntArray, release_pages

REACH_SECONDS = 0.3  # s of sound used on each side of a bar line
MAX_SHIFT_SECONDS = 0.0095  # s from the downbeat, just within the 10 ms that the grid rule leaves
CORRELATION_SECONDS = 0.24  # s of sound compared; half of it counts, as the window is rounded
MIN_CORRELATION = 0.4  # over which waveforms, under which attacks are aligned
MIN_ALIKE_CORRELATION = 0.9  # of sides that count as the same
MIN_FADE_SECONDS = 0.008  # s; shorter fades click
ATTACK_FADE_SECONDS = 0.012  # s; fade that ends as the attack begins, within the 20 ms that the grid rule leaves
_HOP_SECONDS = 0.002
_LINES_AT_ONCE = 64  # lines whose onsets are looked for together; bounds memory
_COARSE_STEP = 4  # samples averaged to one in the first search for the best lag


@dataclass(frozen=True, slots=True, eq=False)
class LineSounds:
    """The sound around every bar line, and where it has onsets."""

    sound: FloatArray  # shape (n_lines, 2 * reach), float32, mono; sample `reach` is at the line
    reach: int
    sample_rate: int
    attack: FloatArray  # shape (n_lines,), s re the line of the attack that opens the bar, NaN where there is none
    # shape (n_lines,), s re the line of the last onset before the bar's own, not under -REACH_SECONDS
    onset_before: FloatArray
    # shape (n_lines,), s re the line of the next onset after the bar's own, at most REACH_SECONDS
    onset_after: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """How each of some splices is played; every array has shape (n,)."""

    song_to: FloatArray  # s, leaving time
    song_from: FloatArray  # s, entering time
    fade_seconds: FloatArray  # s, length of the crossfade
    exponent: FloatArray  # 0.5 to 1.0
    correlation: FloatArray  # -1 to 1, of the two sides around the splice where they agree best


def line_sounds(samples: FloatArray, sample_rate: int, lines: FloatArray) -> LineSounds:
    """Cut out the sound around each bar line and find its onsets.

    `samples` have shape (channels, n) or (n,) and are mixed to mono; `lines` are in seconds.
    """
    reach = round(REACH_SECONDS * sample_rate)
    block = np.atleast_2d(samples)
    at = np.rint(np.asarray(lines) * sample_rate).astype(np.int64)
    sound = np.zeros((at.size, 2 * reach), dtype=np.float32)
    for row, centre in zip(sound, at, strict=True):
        low, high = max(0, centre - reach), min(block.shape[1], centre + reach)
        if high > low:
            row[low - centre + reach : high - centre + reach] = block[:, low:high].mean(axis=0)
            release_pages(block)
    some = range(0, max(at.size, 1), _LINES_AT_ONCE)
    found = [_onsets(sound[k : k + _LINES_AT_ONCE], sample_rate) for k in some]
    attack, before, after = (np.concatenate(column) for column in zip(*found, strict=True))
    return LineSounds(sound, reach, sample_rate, attack, before, after)


def _onsets(sound: FloatArray, sample_rate: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Attack at the line, last onset before and next onset after it, s re the line.

    An onset is a rise of the level of the differenced sound (which shows clicks and cymbals as well as drums) to 6 dB
    over all of the 30 ms before, and to no less than 26 dB under the loudest place around the line.
    """
    hop = max(1, round(_HOP_SECONDS * sample_rate))
    edge = np.diff(sound, axis=1, prepend=sound[:, :1])
    count = sound.shape[1] // hop
    power = np.square(edge[:, : count * hop]).reshape(sound.shape[0], count, hop).mean(axis=2)
    smooth = power.copy()
    smooth[:, 1:] += power[:, :-1]
    smooth[:, :-1] += power[:, 1:]
    level = 10.0 * np.log10(smooth / 3.0 + 1e-12)
    back = round(0.03 / _HOP_SECONDS)
    padded = np.pad(level, ((0, 0), (back, 0)), mode="edge")
    before = np.lib.stride_tricks.sliding_window_view(padded, back - 2, axis=1)[:, : level.shape[1]].max(axis=2)
    rise = level - before
    loud = level > np.maximum(level.max(axis=1, keepdims=True) - 26.0, -80.0)
    strong = (rise >= 6.0) & loud
    opens = strong & ~np.concatenate((np.zeros_like(strong[:, :1]), strong[:, :-1]), axis=1)
    # A level first risen at hop k has the attack in hop k + 1, the newest that its mean over three hops has seen.
    times = (np.arange(count) + 1.0) * hop / sample_rate - sound.shape[1] / 2 / sample_rate
    attack = np.full(sound.shape[0], np.nan)
    last = np.full(sound.shape[0], -REACH_SECONDS)
    after = np.full(sound.shape[0], REACH_SECONDS)
    for row, marks in enumerate(opens):
        onsets = times[marks]
        near = onsets[np.abs(onsets) <= 0.03]
        if near.size:
            attack[row] = near[np.argmin(np.abs(near))]
        own = attack[row] if near.size else 0.0
        early, late = onsets[onsets < min(own, 0.0) - 0.01], onsets[onsets > max(own, 0.0) + 0.01]
        last[row] = early[-1] if early.size else -REACH_SECONDS
        after[row] = late[0] if late.size else REACH_SECONDS
    return attack, last, after


def fit_splices(
    sounds: LineSounds, lines: FloatArray, leave: IntArray, enter: IntArray, params: SeamParams | None = None
) -> Fits:
    """Choose times, fade and gain law of splices between bar lines.

    `sounds` are those of the bar lines `lines`, in seconds; `leave` and `enter` are indices of lines.
    """
    params = params or SeamParams()
    n = leave.size
    lag, correlation = _best_lags(sounds, leave, enter)
    bound = MAX_SHIFT_SECONDS
    attack_out, attack_in = sounds.attack[leave], sounds.attack[enter]
    apart = np.where(np.isfinite(attack_in) & np.isfinite(attack_out), attack_in - attack_out, 0.0)
    lag = np.where(correlation >= MIN_CORRELATION, lag, np.where(np.abs(apart) <= bound, apart, 0.0))
    likeness = np.clip(correlation, 0.0, 1.0)
    exponent = 0.5 * (1.0 + np.log2(1.0 + likeness))

    # Room for the fade's half on each side: the next onset of what leaves, the last onset of what enters.
    struck = np.isfinite(attack_in) | np.isfinite(attack_out)
    first_attack = np.fmin(np.where(np.isfinite(attack_out), attack_out, np.inf), attack_in - lag)
    alike = likeness >= MIN_ALIKE_CORRELATION
    slow = params.alike_fade_seconds + (1.0 - likeness) * (params.unlike_fade_seconds - params.alike_fade_seconds)
    fade = np.where(alike, params.alike_fade_seconds, np.where(struck, ATTACK_FADE_SECONDS, slow))
    low, high = np.maximum(-bound, -bound - lag), np.minimum(bound, bound - lag)
    centre = np.clip(np.zeros(n), low, high)
    hidden = struck & ~alike
    centre = np.where(hidden, np.clip(np.where(hidden, first_attack, 0.0) - fade / 2, low, high), centre)
    room_after = np.where(hidden, first_attack, np.minimum(sounds.onset_after[leave], sounds.onset_after[enter] - lag))
    room_before = np.maximum(sounds.onset_before[enter] - lag, sounds.onset_before[leave])
    half = np.minimum(np.minimum(room_after - centre, centre - room_before), fade / 2)
    fade = np.where(alike, fade, np.clip(2.0 * half, MIN_FADE_SECONDS, fade))
    return Fits(lines[leave] + centre, lines[enter] + centre + lag, fade, exponent, correlation)


def _best_lags(sounds: LineSounds, leave: IntArray, enter: IntArray) -> tuple[FloatArray, FloatArray]:
    """Lag in s of the entering side at which the waveforms agree best, and their correlation there, shapes (n,).

    Looked for at a quarter of the rate through the Fourier transform, which every line needs once, then around the
    best place at the full rate, to the sample.
    """
    rate, step = sounds.sample_rate, _COARSE_STEP
    coarse_sound = sounds.sound[:, : sounds.sound.shape[1] // step * step]
    coarse_sound = coarse_sound.reshape(coarse_sound.shape[0], -1, step).mean(axis=2)
    widest = int(MAX_SHIFT_SECONDS * rate)
    half = min(round(CORRELATION_SECONDS / 2 * rate), sounds.reach - widest - 2 * step)
    coarse = _lag_curves(coarse_sound, coarse_sound.shape[1] // 2, half // step, widest // step)
    window = np.hanning(2 * half + 1)[:-1].astype(np.float32)
    middle = sounds.reach
    left = sounds.sound[:, middle - half : middle + half] * window
    energy_left = np.square(sounds.sound[:, middle - half : middle + half]) @ window
    lag, best = np.zeros(leave.size), np.zeros(leave.size)
    for row, (j, i) in enumerate(zip(leave.tolist(), enter.tolist(), strict=True)):
        about = (int(np.argmax(coarse(j, i))) - widest // step) * step
        low, high = max(-widest, about - step), min(widest, about + step)
        right = sounds.sound[i, middle - half + low : middle + half + high]
        norm = np.sqrt(np.maximum(energy_left[j] * np.correlate(np.square(right), window), 1e-14))
        curve = np.correlate(right, left[j]) / norm
        at = int(np.argmax(curve))
        lag[row], best[row] = (at + low) / rate, min(1.0, float(curve[at]))
    return lag, best


def _lag_curves(sound: FloatArray, middle: int, half: int, widest: int) -> Callable[[int, int], FloatArray]:
    """Correlation of any two lines at all lags from -widest to widest samples, as a function of the two lines."""
    from scipy import fft

    size = fft.next_fast_len(4 * half + 2 * widest, real=True)
    window = np.hanning(2 * half + 1)[:-1].astype(np.float32)
    left = sound[:, middle - half : middle + half]
    right = sound[:, middle - half - widest : middle + half + widest]
    left_spectra = np.conj(fft.rfft(left * window, size, axis=1))
    right_spectra = fft.rfft(right, size, axis=1)
    lags = 2 * widest + 1
    energy = fft.irfft(fft.rfft(np.square(right), size, axis=1) * np.conj(fft.rfft(window, size)), size, axis=1)
    scale = 1.0 / np.sqrt(np.maximum(energy[:, :lags], 1e-12))

    def curve(leave: int, enter: int) -> FloatArray:
        product = fft.irfft(left_spectra[leave] * right_spectra[enter], size)[:lags]
        return np.asarray(product * scale[enter])

    return curve
