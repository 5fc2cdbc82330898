"""Borders between shots: hard cuts, exact to the picture, dissolves and fades; and flashes, which are no border.

**Hard cuts.** A step between two pictures is examined where blocks of the new picture are not found in the old one
(`_kernels.compare`, which follows motion and ignores light) or the tones jump (`strip.tone_distance`, which ignores
motion). It is a cut when the two sides have nothing in common: pictures up to 0.2 s before are compared with pictures
after, up to 1.4 s on until the next step, and the likest pair decides. A flash, a strobe and an explosion return to
what was there; a whip pan is unlike from picture to picture all the time, so the step must also stand out from its
surroundings. Logarithms of these measures and of their ratios add up to a log-odds.

**Dissolves.** In a dissolve each picture is a mixture of one before and one after it, and the share of the new one
rises in a straight line. Candidates are pictures that a mixture explains (`_kernels.mixtures`); the ramp's two ends are
fitted to the shares; then it must join unlike shots in a straight line, and the contrast must sag in the middle, since
averages of unlike pictures are flatter than either.

**Fades.** A picture that fades to black or white holds its pattern while its distance from that colour shrinks to
nothing, and the same in return. Where the picture is blank, the slope to each side is followed as long as it lasts.

**Flashes.** The mean luma leaps up and most of the leap is undone within a second.

Where a long video was decoded in part, `first_of_shot` places a hard cut among the pictures that were left out.

References
----------
Lienhart, "Reliable transition detection in videos: a survey and practitioner's guide", IJIG 2001 (contrast in
dissolves, fades as scaling). Zabih, Miller & Mai, "A feature-based algorithm for detecting and classifying scene
breaks", ACM Multimedia 1995 (motion compensation before comparing).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from workbench.params import CutParams
from workbench.params.video import CutModel
from workbench.recording import FloatArray, IntArray, runs
from workbench.video._kernels import compare, fit_ramp, mixtures
from workbench.video.picture import Border, Stretches
from workbench.video.strip import NOISE, Strip, tone_distance

_BEFORE = (1, 2, 3, 5)  # pictures before a step that are compared, counted back from it
_AFTER = (0, 1, 2, 4)  # pictures after it, counted from it
_LOOK_BACK = 12  # pictures before a step among which those are sought that are not blank
_FAR_SECONDS = (0.3, 0.6, 1.0, 1.4)  # after a step, of further pictures that are compared, up to the next step
_LIKE = 0.02  # added to unlikeness before a logarithm
_TONE = 0.05  # added to distances of tones
_LEAP = 0.05  # of full luma, from where on light has leapt up
_GLOW_SECONDS = 0.2  # after a leap of light, in which an explosion glows out
_REACH_SECONDS = (0.12, 0.2, 0.32, 0.52, 0.8, 1.2)  # to each side of the middle of a dissolve, tried in turn
_GATE_RMS = 0.015  # of full scale, by which the ends of a dissolve differ at least
CONTEXT_SECONDS = 3.2
"""s of pictures to each side that `hard_cuts`, `dissolves` and `flashes` need to judge one"""
_STEP_UNLIKENESS = 0.1
"""difference from the picture before, from which on a cut is considered"""
_STEP_TONES = 0.25
"""distance of tones from where on a cut is considered"""
MIN_SHOT_SECONDS = 0.2
"""s; of two cuts closer than this the surer one stays"""
_DISSOLVE_RMS = 0.06
"""of full scale; ends that differ by less are hardly two shots"""
_DISSOLVE_QUALITY = 0.45
"""share that a mixture explains from where on a dissolve is considered"""
_DISSOLVE_UNLIKENESS = 0.12
"""unlikeness of the ends under which a slow pan would pass for a dissolve"""
_DISSOLVE_MISFIT = 0.08
"""share by which the rise may stray from a straight line"""
_BLANK_RANGE = 0.06
"""of full luma; a picture with less from dark to light is blank"""
_FEATURELESS_RANGE = 0.02
"""of full luma; a picture with less from dark to light does not show its shot; much less than `_BLANK_RANGE`, for a
shot may be very dark"""
_BLACK_LUMA = 0.08
"""mean luma under which a blank picture is black"""
_WHITE_LUMA = 0.9
"""mean luma over which a blank picture is white"""
_MIN_FADE_SECONDS = 0.16
"""s; a faster way to black or white is a cut"""
_MAX_FADE_SECONDS = 4.0
"""s over which a slope is followed"""
_LEAP_IN_FADE = 0.25
"""of full luma that a fade takes at a time"""
_MIN_FADE = 0.05
"""of full luma that a fade covers at least"""
_FLASH_LEAP = 0.1
"""of full luma by which a flash lights up"""
_FLASH_RISE_SECONDS = 0.13
"""s within which a flash reaches its height"""
_FLASH_SECONDS = 0.8
"""s within which a flash is over"""
_FLASH_UNDONE = 0.6
"""share of the leap that is undone by the end of a flash"""


def steps(strip: Strip) -> IntArray:
    """Indices, from 1 on, of pictures that may open a shot: unlike the one before, or of other tones."""
    jump = np.zeros(len(strip))
    jump[1:] = tone_distance(strip.tones[1:], strip.tones[:-1])
    found = (strip.changes[:, 0] >= _STEP_UNLIKENESS) | (jump >= _STEP_TONES)
    found[:1] = False
    return np.flatnonzero(found)


def hard_cuts(strip: Strip, params: CutParams) -> list[Border]:
    """The steps that are cuts, in order.

    Of steps closer than `MIN_SHOT_SECONDS` the surest stays; where the pictures between two are blank, a flash
    between shots, the second is, with which the new shot begins.
    """
    places, weights, threshold = steps(strip), step_weights(params.model), params.step_threshold
    cuts: list[tuple[int, float, float]] = []

    def odds_of(evidence: FloatArray) -> float:
        return params.model.step_bias + float(np.dot(weights, evidence))

    for place in places:
        evidence = step_evidence(strip, int(place), places, lambda seen: odds_of(seen) > threshold)
        odds = odds_of(evidence)
        if odds <= threshold:
            continue
        cut = (int(place), odds, float(np.clip(np.exp(evidence[0]) - _LIKE, 0.0, 1.0)))
        # two cuts at once are one: the surer, or the second where only blank pictures lie between
        if cuts and strip.times[place] - strip.times[cuts[-1][0]] < MIN_SHOT_SECONDS - 1e-6:
            blank = bool(np.all(strip.levels[cuts[-1][0] : place, 3] < _FEATURELESS_RANGE))
            if blank or odds > cuts[-1][1]:
                cuts[-1] = cut
            continue
        cuts.append(cut)
    times = strip.times
    return [Border("hard", float(times[i]), float(times[i]), float(times[i]), strength) for i, _, strength in cuts]


def first_of_shot(luma: FloatArray) -> int:
    """Index of the picture from which on each of `luma`, shape (n, 36, 64), is more like the last than the first.

    The first picture is known to be of the old shot, the last of the new one, so the index is 1 to n - 1.
    """
    last = int(luma.shape[0]) - 1
    at = last
    while at > 1 and _unlike_views(luma[at - 1], luma[last]) < _unlike_views(luma[0], luma[at - 1]):
        at -= 1
    return at


def step_weights(model: CutModel) -> FloatArray:
    """The seven weights of the evidence for a cut, in the order of `step_evidence`."""
    return np.array(
        [model.unlike_weight, model.stands_out_weight, model.alone_weight, model.tones_weight,
         model.tones_alone_weight, model.undone_weight, model.afterglow_weight]
    )  # fmt: skip


def step_evidence(
    strip: Strip,
    place: int,
    places: IntArray,
    possible: Callable[[FloatArray], bool] = lambda evidence: True,
) -> FloatArray:
    """The evidence for a cut at the step to the picture `place`, one of `places`, all steps of the strip.

    Comparing pictures costs most of the time. The most similar pair counts, so each further pair can only lower the
    evidence: when it is no longer `possible` that it leads to a cut, the rest is not compared and the first two numbers
    are upper bounds.

    The seven are: log unlikeness across; its log ratio to the typical one around; log ratio of the step to the largest
    beside it; log distance of tones across; log ratio of the jump of tones to the largest beside it; share of a leap of
    the mean luma that is undone within a second; share of it that glows out in the first fifth of one.
    """
    change, blank, n = strip.changes[:, 0], strip.levels[:, 3] < _FEATURELESS_RANGE, len(strip)
    until = _next_step(change, place, places)
    far = np.searchsorted(strip.times, strip.times[place] + np.array(_FAR_SECONDS))
    after = sorted({min(n - 1, place + k) for k in _AFTER} | {int(k) for k in far if k < until})
    # A blank picture, overexposed or dropped, does not show its shot; steps into and out of it are left out here.
    seen = np.flatnonzero(~blank[max(0, place - _LOOK_BACK) : place]) + max(0, place - _LOOK_BACK)
    before = sorted({int(seen[max(0, seen.size - k)]) for k in _BEFORE}, reverse=True) if seen.size else [place - 1]
    tones = float(tone_distance(strip.tones[before][:, None], strip.tones[after][None, :]).min())
    sides = [side for side in (change[max(1, place - 5) : place], change[place + 1 : place + 6]) if side.size]
    usual = max((float(np.median(side)) for side in sides), default=0.0)
    near = (place - 2, place - 1, place + 1, place + 2)
    beside = [k for k in near if 0 < k < n and not (blank[k] or blank[k - 1])]
    largest = max((float(change[k]) for k in beside), default=0.0)
    jump = float(tone_distance(strip.tones[place], strip.tones[place - 1]))
    jumps = max((float(tone_distance(strip.tones[k], strip.tones[k - 1])) for k in beside), default=0.0)
    evidence = np.array(
        [
            np.log(1.0 + _LIKE),
            np.log((1.0 + _LIKE) / (usual + _LIKE)),
            np.log((change[place] + _LIKE) / (largest + _LIKE)),
            np.log(tones + _TONE),
            np.log((jump + _TONE) / (jumps + _TONE)),
            _undone(strip, place, until),
            _afterglow(strip, place, until),
        ]
    )
    # nearest pairs first, which are the likest inside of a shot: most steps are ruled out by the first few
    for one, other in product(before, after):
        evidence[0] = min(evidence[0], np.log(_unlike(strip, one, other) + _LIKE))
        evidence[1] = evidence[0] - np.log(usual + _LIKE)
        if not possible(evidence):
            break
    return evidence


def dissolves(strip: Strip, params: CutParams, cuts: list[Border]) -> list[Border]:
    """Find dissolves: ramps that overlap none of the hard `cuts`, in order; of two that overlap the likelier."""
    weights = dissolve_weights(params.model)
    found: list[tuple[float, Border]] = []
    for border, evidence in ramps(strip):
        if border.strength < _DISSOLVE_UNLIKENESS:
            continue
        odds = params.model.dissolve_bias + float(np.dot(weights, evidence))
        if odds > params.dissolve_threshold and not any(border.start - 0.1 < cut.at < border.end + 0.1 for cut in cuts):
            found.append((odds, border))
    return _best_apart(found)


def ramps(strip: Strip) -> list[tuple[Border, FloatArray]]:
    """Stretches over which one picture turns into another in a straight line, with the evidence for a dissolve.

    The evidence has shape (5,): unlikeness of the ends; log distance of their tones; share of contrast that is lost in
    the middle; log share of the distance that the mixture leaves unexplained there; log misfit of the line.
    """
    if len(strip) < 7:
        return []
    views, reaches = _views(strip), _reaches(strip)
    explained = np.zeros((len(strip), reaches.size, 2), dtype=np.float32)
    mixtures(views, reaches, explained)
    quality = explained[:, :, 0] * np.minimum(explained[:, :, 1] / _DISSOLVE_RMS, 1.0)
    found: list[tuple[Border, FloatArray]] = []
    for middle in _peaks(quality.max(axis=1), _DISSOLVE_QUALITY, int(reaches[2])):
        # the widest reach that explains nearly as much as the best: narrow ones fit inside of a long dissolve too
        good = np.flatnonzero(quality[middle] >= 0.8 * quality[middle].max())
        wide = round(1.5 * int(reaches[good[-1]])) + 4
        first, last = max(0, middle - wide), min(len(strip) - 1, middle + wide)
        shares = _shares(views[first : last + 1])
        if shares is None:
            continue
        misfit, start, end = fit_ramp(shares)
        if misfit <= _DISSOLVE_MISFIT:
            found.append(_ramp(strip, first + int(start), first + int(end), float(misfit), views))
    return found


def flashes(strip: Strip) -> list[Border]:
    """Find leaps of light that are undone, in order; their `strength` is the leap of the mean luma."""
    # from half the leap on, for a flash may light up over two pictures; the whole leap is asked for at its top
    luma, times = strip.levels[:, 0].astype(np.float64), strip.times
    found: list[Border] = []
    for place in np.flatnonzero(np.diff(luma, prepend=luma[:1]) >= _FLASH_LEAP / 2):
        base = float(luma[max(0, int(place) - 1)])
        if found and times[place] < found[-1].end:
            continue
        lit = int(np.searchsorted(times, times[place] + _FLASH_RISE_SECONDS)) + 1
        top = int(place) + int(np.argmax(luma[int(place) : lit]))
        leap = float(luma[top]) - base
        until = int(np.searchsorted(times, times[top] + _FLASH_SECONDS))
        fallen = np.flatnonzero(luma[top : until + 1] <= base + 0.5 * leap)
        if leap < _FLASH_LEAP or not fallen.size:
            continue
        low = float(luma[top : until + 1].min())
        if luma[top] - low < _FLASH_UNDONE * leap:
            continue
        end = float(times[top + int(fallen[0])])
        found.append(Border("flash", float(times[place]), end, float(times[place]), min(1.0, leap)))
    return found


def fades(
    times: FloatArray, brightness: FloatArray, contrast: FloatArray, spread: FloatArray
) -> tuple[list[Border], Stretches]:
    """Fades from, to and through black and white, in order, and the stretches that are black, sorted and disjoint.

    Brightness, contrast and spread are mean, standard deviation and range of each picture's luma.
    """
    blank = (spread < _BLANK_RANGE) & ((brightness < _BLACK_LUMA) | (brightness > _WHITE_LUMA))
    found: list[Border] = []
    black: list[tuple[float, float]] = []
    for first, stop in runs(blank):
        colour = 0.0 if brightness[first] < 0.5 else 1.0
        # scaled towards black or white a picture loses contrast and mean in proportion: together they fall in a line
        away = np.hypot(contrast, brightness - colour).astype(np.float64)
        starts = _slope(times, away, first, -1)
        ends = _slope(times, away, stop - 1, 1)
        down, up = starts < first, ends > stop - 1
        appears = float(times[min(stop, times.size - 1)])
        if colour == 0.0 and appears > times[first]:
            black.append((float(times[first]), appears))
        if not (down or up):
            continue
        start = float(times[starts]) if down else float(times[first])
        at = appears if stop < times.size else float(times[-1])
        end = max(float(times[ends]) if up else at, at)
        found.append(Border("fade", start, end, at, float(min(1.0, away[[starts, ends]].max() * 2))))
    return found, tuple(black)


def join_borders(borders: list[Border], faded: list[Border]) -> tuple[Border, ...]:
    """Join all borders in order of their starts, without cuts, dissolves and flashes that are part of a fade."""
    apart = [border for border in borders if not any(fade.start - 0.08 < border.at < fade.end + 0.08 for fade in faded)]
    return tuple(sorted([*apart, *faded], key=lambda border: (border.start, border.at)))


def _unlike(strip: Strip, one: int, other: int) -> float:
    return _unlike_views(strip.luma[one], strip.luma[other])


def _unlike_views(before: FloatArray, after: FloatArray) -> float:
    return float(compare(before, after, NOISE))


def _next_step(change: FloatArray, place: int, places: IntArray) -> int:
    """The next step after one that is at least half as large."""
    for later in places:
        if later > place + 1 and change[later] > 0.5 * change[place]:
            return int(later)
    return int(change.size)


def _undone(strip: Strip, place: int, until: int) -> float:
    """Share of the leap of the mean luma at a picture that is undone within a second, 0 to 1; 0 without a leap."""
    luma = strip.levels[:, 0]
    leap = float(luma[place] - luma[place - 1])
    if leap < _LEAP:
        return 0.0
    end = min(until, int(np.searchsorted(strip.times, strip.times[place] + 1.0)))
    return float(np.clip((luma[place] - luma[place : end + 1].min()) / leap, 0.0, 1.0))


def _afterglow(strip: Strip, place: int, until: int) -> float:
    """Share of the leap of the mean luma at a picture that its light loses steadily, as an explosion does, 0 to 1.

    The median fall from picture to picture counts: light that is switched off falls at once, and between its leaps not
    at all.
    """
    luma = strip.levels[:, 0]
    leap = float(luma[place] - luma[place - 1])
    end = min(until, int(np.searchsorted(strip.times, strip.times[place] + _GLOW_SECONDS)) + 1)
    if leap < _LEAP or end - place < 2:
        return 0.0
    falls = -np.diff(luma[place:end])
    seconds = float(strip.times[end - 1] - strip.times[place]) / falls.size
    return float(np.clip(np.median(falls) / leap * _GLOW_SECONDS / seconds, 0.0, 1.0))


def _views(strip: Strip) -> FloatArray:
    """Pictures as vectors, shape (n, 432): luma and colours averaged to 9 by 16."""
    n = len(strip)
    luma = strip.luma.reshape(n, 9, 4, 16, 4).mean(axis=(2, 4)).reshape(n, -1)
    chroma = strip.chroma.reshape(n, 2, 9, 2, 16, 2).mean(axis=(3, 5)).reshape(n, -1)
    return np.ascontiguousarray(np.concatenate([luma, chroma], axis=1), dtype=np.float32)


def _reaches(strip: Strip) -> IntArray:
    """Pictures to each side that mixtures are sought in, shape (6,), by the usual distance of pictures in time."""
    usual = float(np.median(np.diff(strip.times)))
    return np.maximum(np.round(np.array(_REACH_SECONDS) / usual).astype(np.int64), np.arange(1, 7))


def _peaks(quality: FloatArray, least: float, apart: int) -> list[int]:
    """Indices of the best within `apart` to each side, where `least` is reached; of equal ones the first."""
    order = [int(k) for k in np.argsort(-quality, kind="stable") if quality[k] >= least]
    taken = np.zeros(quality.size, dtype=bool)
    found: list[int] = []
    for k in order:
        if not taken[k]:
            found.append(k)
            taken[max(0, k - apart) : k + apart + 1] = True
    return sorted(found)


def _shares(views: FloatArray) -> FloatArray | None:
    """Place of each picture on the line from the first to the last one, shape (n,), 0 and 1 at the ends."""
    first, last = views[:2].mean(axis=0), views[-2:].mean(axis=0)
    across = last - first
    length = float(across @ across)
    if views.shape[0] < 8 or length / across.size < _GATE_RMS**2:
        return None
    return np.asarray((views - first) @ across / length, dtype=np.float32)


def _ramp(strip: Strip, start: int, end: int, misfit: float, views: FloatArray) -> tuple[Border, FloatArray]:
    """The border and the evidence of a ramp of shares from picture `start` to `end`."""
    before, after = max(0, start - 1), min(len(strip) - 1, end + 1)
    tones = float(tone_distance(strip.tones[before], strip.tones[after]))
    unlike = _unlike(strip, before, after)
    middle, half = (start + end) // 2, max(2, (end - start) // 2)
    one, other = views[max(0, middle - half)], views[min(len(strip) - 1, middle + half)]
    apart = float(np.sum(np.square(other - one)))
    rest = float(np.sum(np.square(views[middle] - 0.5 * (one + other)))) / (0.25 * apart + 1e-9)
    contrast = strip.levels[:, 1]
    sag = 1.0 - float(contrast[middle]) / (0.5 * float(contrast[before] + contrast[after]) + 1e-3)
    times = strip.times
    border = Border("dissolve", float(times[start]), float(times[end]), float(times[middle]), min(1.0, unlike))
    return border, np.array([unlike, np.log(tones + _TONE), sag, np.log(rest + 0.02), np.log(misfit + 0.005)])


def dissolve_weights(model: CutModel) -> FloatArray:
    """The weights of unlikeness, tones, sag, rest and misfit, the evidence for a dissolve in the order of `ramps`."""
    return np.array(
        [model.ends_weight, model.end_tones_weight, model.sag_weight, model.rest_weight, model.misfit_weight]
    )


def _best_apart(found: list[tuple[float, Border]]) -> list[Border]:
    """The likeliest of borders that overlap, sorted."""
    picked: list[Border] = []
    for _, border in sorted(found, key=lambda item: -item[0]):
        if not any(border.start < other.end and other.start < border.end for other in picked):
            picked.append(border)
    return sorted(picked, key=lambda border: border.start)


def _slope(times: FloatArray, away: FloatArray, edge: int, step: int) -> int:
    """Index up to which the distance from a blank picture at `edge` grows, in steps of `step`; `edge` if it leaps.

    The slope ends where it is less than a quarter of what it was so far.
    """
    at = edge
    while True:
        ahead = at + step
        if not 0 <= ahead < away.size or abs(times[ahead] - times[edge]) > _MAX_FADE_SECONDS:
            break
        gain = away[ahead] - away[at]
        pictures = abs(at - edge)
        usual = (away[at] - away[edge]) / pictures if pictures else 0.0
        if gain <= max(0.25 * usual, 1e-4) and pictures > 0:
            break
        if gain > _LEAP_IN_FADE or (pictures == 0 and gain <= 0):
            break
        at = ahead
    lasted = abs(float(times[at] - times[edge]))
    return at if lasted >= _MIN_FADE_SECONDS and away[at] - away[edge] > _MIN_FADE else edge
