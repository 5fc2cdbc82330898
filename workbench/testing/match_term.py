"""What any match term must keep: inherit `MatchTermSuite` in a test and name the term.

In a file `test_mine.py` beside your module::

    from workbench.testing.match_term import MatchTermSuite


    class TestMine(MatchTermSuite):
        term = "my_module:MyTerm"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.features.descriptors import CONTOUR_PARTS
from workbench.matching.columns import Columns, empty_columns
from workbench.matching.terms import find_term, term_parts
from workbench.matching.video_facts import Scene, VideoFacts, drive_of, movement_of, pace_of
from workbench.matching.video_ranking import Ranking, rank
from workbench.params import MATCH_PARTS, MatchParams


def make_video(
    seconds: float = 60.0,
    *,
    cuts: Sequence[float] | None = None,
    cuts_per_minute: float = 15.0,
    motion: Sequence[float] = (0.1,),
    brightness: float = 0.4,
    colourfulness: float = 0.1,
    speech: float = 0.0,
) -> VideoFacts:
    """Facts of a video with equally long scenes, one for every given motion, in picture heights a second.

    Without `cuts` there are `cuts_per_minute`, evenly spaced. Brightness and colourfulness are 0 to 1, `speech` is the
    share of the video's time with speech.
    """
    spacing = 60.0 / cuts_per_minute
    at = np.arange(spacing, seconds, spacing) if cuts is None else np.asarray(cuts, dtype=np.float64)
    edges = np.linspace(0.0, seconds, len(motion) + 1)
    pace = float(pace_of(60.0 * at.size / seconds))
    scenes = tuple(
        Scene(float(start), float(end), 60.0 * at.size / seconds, moved, brightness, colourfulness,
              float(drive_of(pace, movement_of(moved))))
        for start, end, moved in zip(edges[:-1], edges[1:], motion, strict=True)
    )  # fmt: skip
    mean = float(np.mean(motion))
    return VideoFacts(
        seconds, at, mean, brightness, colourfulness, 0.15, -35.0, speech, round(20 * speech),
        "voice" if speech else "ambient", scenes, pace, float(movement_of(mean)),
    )  # fmt: skip


def make_columns(**numbers: Sequence[float]) -> Columns:
    """Tracks that are alike but for the columns given, a value a track; `contour` takes a row a track.

    There are as many tracks as the longest column has values.
    """
    rows = max(len(values) for values in numbers.values())
    usual = {
        "bpm": 110.0, "energy": 0.5, "brightness": 0.5, "density": 3.0, "mode": 0.5, "lufs": -14.0, "duration": 120.0,
        "vocals": 0.0, "drums": 0.5, "speech_band": 0.1, "loopable": 0.8, "dynamics": 6.0,
        "key_clarity": np.nan, "words_energy": np.nan, "words_valence": np.nan,
    }  # fmt: skip
    base = empty_columns(np.array([f"trk_{k:03d}" for k in range(rows)], dtype=object))
    given: dict[str, NDArray[Any]] = {
        name: np.asarray(numbers.get(name, [value] * rows), dtype=np.float32) for name, value in usual.items()
    }
    contour = np.asarray(numbers.get("contour", np.full((rows, CONTOUR_PARTS), 0.5)), dtype=np.float16)
    return replace(base, **given, beats_per_bar=np.full(rows, 4, dtype=np.int8), contour=contour)


def _many() -> Columns:
    """Forty tracks of all kinds; of the last four nothing is known."""
    dice = np.random.default_rng(7)
    ranges = {
        "bpm": (60.0, 180.0), "energy": (0.0, 1.0), "brightness": (0.0, 1.0), "density": (1.0, 10.0),
        "mode": (-1.0, 1.0), "lufs": (-24.0, -8.0), "duration": (20.0, 400.0), "vocals": (0.0, 1.0),
        "drums": (0.0, 1.0), "loopable": (0.0, 1.0),
    }  # fmt: skip
    known = {name: dice.uniform(low, high, 36).tolist() for name, (low, high) in ranges.items()}
    return make_columns(**{name: [*values, *[float("nan")] * 4] for name, values in known.items()})


class MatchTermSuite:
    """Tests that every match term passes."""

    term: str  # its name, as parameters take it

    def _params(self, weight: float = 0.2) -> MatchParams:
        return MatchParams(terms=(f"{self.term}={weight}",))

    def _ranking(self, video: VideoFacts, params: MatchParams) -> Ranking:
        return rank(video, _many(), 40, params)

    def test_it_is_found_and_says_what_it_is(self) -> None:
        """Whether the name leads to a term with words for people."""
        found = find_term(self.term)
        assert found.description
        assert 0.0 < found.usual <= 1.0

    def test_every_pair_has_a_part(self) -> None:
        """Whether parts lie in 0 to 1 for all videos, and for tracks of which nothing is known."""
        tracks = _many()
        for video in (make_video(1.0), make_video(3600.0, cuts=()), make_video(60.0, motion=(0.0, 1.0), speech=1.0)):
            (part,) = term_parts(video, tracks, self._params()).values()
            assert np.all((part >= 0.0) & (part <= 1.0))

    def test_a_track_is_compared_by_itself(self) -> None:
        """Whether the part of a track is the same whichever others are asked for: a catalog is read in pieces."""
        tracks, video = _many(), make_video()
        (whole,) = term_parts(video, tracks, self._params()).values()
        (some,) = term_parts(video, tracks.take(np.array([3, 39, 8])), self._params()).values()
        np.testing.assert_allclose(some, whole[[3, 39, 8]], atol=1e-6)

    def test_its_part_stands_behind_ours_and_its_weight_counts(self) -> None:
        """Whether it takes part in the score: not at all with a weight of 0."""
        video = make_video()
        without, unweighed = (self._ranking(video, params) for params in (MatchParams(), self._params(0.0)))
        np.testing.assert_array_equal(unweighed.rows, without.rows)
        np.testing.assert_allclose(unweighed.raw, without.raw, rtol=1e-6)
        assert list(unweighed.parts) == [*(name for name in MATCH_PARTS if name != "sync"), self.term]
        heavy = self._ranking(video, self._params(50.0))
        parts = np.maximum(heavy.parts[self.term], 0.02)
        assert np.all(np.diff(parts) <= 0.2)
