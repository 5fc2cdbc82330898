"""A term written as a stranger would passes the suite, and is in scores, reasons, profiles and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from workbench import extensions
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import rank
from workbench.matching.video_reasons import effects
from workbench.params import MatchParams, WorkbenchParams
from workbench.plots.match import parts_figure
from workbench.recording import FloatArray
from workbench.store.profiles import load_profile, save_profile
from workbench.testing.match_term import MatchTermSuite, make_columns, make_video


class KeepsItShort:
    """A track that is about as long as the video: half as good for each doubling that lies between."""

    usual = 0.5
    description = "about as long as the video"

    def parts(self, video: VideoFacts, columns: Columns) -> FloatArray:
        return np.asarray(0.5 ** np.abs(np.log2(np.asarray(columns.duration, dtype=np.float64) / video.duration)))


@pytest.fixture(scope="module", autouse=True)
def short() -> Iterator[None]:
    extensions.register(extensions.MATCH_TERMS, "short", KeepsItShort)
    yield
    extensions.unregister(extensions.MATCH_TERMS, "short")


class TestShort(MatchTermSuite):
    term = "short"


def test_it_is_in_profiles_scores_and_pictures(tmp_path: Path) -> None:
    params = MatchParams(terms=("short=0.5",))
    every = WorkbenchParams(match=params)
    assert load_profile(save_profile(every, tmp_path / "short.toml")) == every
    tracks, video = make_columns(duration=[480.0, 60.0, 240.0]), make_video(60.0)
    ranking = rank(video, tracks, 3, params)
    assert ranking.rows.tolist() == [1, 2, 0]
    assert ranking.parts["short"] == pytest.approx([1.0, 0.25, 0.125])
    parts = [{name: float(part[row]) for name, part in ranking.parts.items()} for row in range(3)]
    assert effects(parts[0], params)["short"] > 0 > effects(parts[1], params)["short"]
    figure = parts_figure(["a", "b", "c"], [0.5, 0.4, 0.3], parts, params)
    assert "short" in [text.get_text() for text in figure.legends[0].get_texts()]
