"""Tables of reliability on recordings by others say what their rows say."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.benchmarks.elsewhere.beats import Row, Song, reliability, stated

SONG = Song("x", Path("/x/song.ogg"), ((0.0, 120.0),), 0.0, 4)


def grid(
    confidence: float, downbeat_f: float, off_the_beat: float = 0.0, bpm: float = 120.0, ratio: float = 1.0
) -> Row:
    return Row(
        song=SONG, f=downbeat_f, amlt=1.0, downbeat_f=downbeat_f, off_the_beat=off_the_beat, slips=0,
        confidence=confidence, bpm=bpm, tempo_ratio=ratio, drums=0.9,
    )  # fmt: skip


def test_a_confidence_is_compared_with_the_share_of_right_grids() -> None:
    table = reliability([grid(0.9, 1.0), grid(1.0, 0.95), grid(0.85, 0.5, 0.3), grid(0.1, 0.2, 0.6)])
    low, high = table.rows
    assert (low[0], low[1], low[5]) == ("0.0 to 0.2", 1, 1)
    assert (high[0], high[1], high[5]) == ("0.8 to 1.0", 3, 1)
    np.testing.assert_allclose([float(str(cell)) for cell in high[2:5]], [2.75 / 3, 2 / 3, 2.45 / 3])
    assert "1 of 2 wrong grids, and 1 of 2 off the beat" in table.notes[-1]


def test_a_tempo_is_true_as_it_is_stated() -> None:
    found = [
        grid(0.9, 1.0), grid(0.9, 0.6, bpm=150.0, ratio=0.5), grid(0.9, 0.6, bpm=85.0, ratio=0.5),
        grid(0.9, 0.6, bpm=190.0, ratio=2.0), grid(0.9, 0.1, bpm=90.0, ratio=1.5), grid(0.1, 0.2),
    ]  # fmt: skip
    rows = {row[0]: row[1:] for row in stated(found).rows}
    assert rows["one number"] == (2, 1, 0.5, 1)
    assert rows["or its double"] == (2, 1, 0.5, 0)
    assert rows["or its half"] == (1, 1, 1.0, 0)
    assert rows["not stated"] == (1, None, None, 1)
    assert rows["all that are stated"] == (5, 3, 0.6, 1)
