"""Measure a video while its pictures are read, in memory that hardly grows: a few numbers a picture are kept, and
a few seconds of small pictures.

Cuts and dissolves are judged in windows that overlap by `cuts.CONTEXT_SECONDS` to each side, so that a judgement does
not depend on where a window ends; fades are found at the end, in the curves.
"""

from __future__ import annotations

import numpy as np

from workbench.errors import ParameterError
from workbench.params import CutParams
from workbench.recording import FloatArray
from workbench.video.cuts import CONTEXT_SECONDS, dissolves, fades, flashes, hard_cuts, join_borders
from workbench.video.motion import speeds, still_stretches
from workbench.video.picture import Border, Picture
from workbench.video.strip import Strip, strip_of
from workbench.video.titles import TitleWatch

_WINDOW_SECONDS = 40.0  # judged at a time


class PictureMeter:
    """Takes small pictures run by run, and measures the whole."""

    def __init__(self, params: CutParams | None = None) -> None:
        self._params = params or CutParams()
        self._strip: Strip | None = None
        self._titles = TitleWatch()
        self._judged = 0.0  # video seconds before which everything is judged
        self._borders: list[Border] = []
        self._times: list[FloatArray] = []
        self._levels: list[FloatArray] = []
        self._speeds: list[FloatArray] = []

    def add(self, times: FloatArray, luma: FloatArray, chroma: FloatArray) -> None:
        """Take the next run of pictures, later than the last, with luma and chroma as of `Strip`."""
        strip = strip_of(times, luma, chroma, self._strip)
        self._titles.put(times, luma)
        self._times.append(strip.times)
        self._levels.append(strip.levels)
        self._speeds.append(strip.changes[:, 1])
        self._strip = strip if self._strip is None else self._strip.followed_by(strip)
        while self._strip.times[-1] - self._judged >= _WINDOW_SECONDS + CONTEXT_SECONDS:
            self._judge(self._judged + _WINDOW_SECONDS)

    def picture(self, duration: float) -> Picture:
        """The measures of the whole video, whose last picture ends at `duration`; no run may follow.

        Raises `ParameterError` where there was no picture.
        """
        if self._strip is None:
            raise ParameterError("a video without a single picture cannot be measured")
        self._judge(float("inf"))
        times, levels = np.concatenate(self._times), np.concatenate(self._levels)
        brightness, contrast, colourfulness, spread = (levels[:, k] for k in (0, 1, 2, 3))
        faded, black = fades(times, brightness, contrast, spread)
        borders = join_borders(self._borders, faded)
        motion = speeds(times, np.concatenate(self._speeds), borders)
        end = max(duration, float(times[-1]))
        still = still_stretches(times, motion, black, borders, end)
        titles = self._titles.titles(end)
        return Picture(end, times, motion, brightness, colourfulness, contrast, borders, black, still, titles)

    def _judge(self, until: float) -> None:
        """Judge the pictures before `until`, and drop those that are no longer needed."""
        strip = self._strip
        if strip is None:
            return
        first, last = np.searchsorted(strip.times, (self._judged - CONTEXT_SECONDS, until + CONTEXT_SECONDS))
        window = strip.part(int(first), int(last))
        cuts = hard_cuts(window, self._params)
        found = [*cuts, *dissolves(window, self._params, cuts), *flashes(window)]
        self._borders += [border for border in found if self._judged <= border.at < until]
        self._judged = until
        since = int(np.searchsorted(strip.times, until - CONTEXT_SECONDS))
        # Never quite empty: the next run is compared with the last picture.
        self._strip = strip.part(min(since, len(strip) - 1), len(strip)).copied()
