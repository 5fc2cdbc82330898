"""How recordings with and without a singer by others are found and counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.elsewhere.singers import (
    INSTRUMENTALS,
    MOST_TRACKS,
    LabelledTrack,
    instrumental_tracks,
    measure,
    sung_songs,
)
from workbench.catalog.voice import MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE

ENOUGH = b"\0" * 400_000


def test_songs_are_named_by_their_artists_and_empty_files_left_out(tmp_path: Path) -> None:
    for name, content in (("A Band - One", ENOUGH), ("Nobody - Two", b"")):
        (tmp_path / "Creative Commons" / name).mkdir(parents=True)
        (tmp_path / "Creative Commons" / name / "audio.ogg").write_bytes(content)
    assert [(song.source, song.is_sung) for song in sung_songs(tmp_path)] == [("A Band", True)]


def test_of_a_package_some_tracks_are_drawn_and_no_parts_of_songs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / INSTRUMENTALS[0] / "usr" / "share"
    package.mkdir(parents=True)
    for number in range(MOST_TRACKS + 3):
        (package / f"{number:02}.ogg").write_bytes(ENOUGH)
    for name in ("guitar.ogg", "text.txt"):
        (package / name).write_bytes(ENOUGH)
    (package / "click.ogg").write_bytes(b"\0")
    drawn = list(instrumental_tracks(tmp_path))
    assert len(drawn) == MOST_TRACKS
    assert drawn == list(instrumental_tracks(tmp_path))
    assert all(track.path.stem.isdigit() and not track.is_sung for track in drawn)
    assert f"{INSTRUMENTALS[1]} is not in" in capsys.readouterr().err


def test_what_is_called_what_it_is_not_is_counted() -> None:
    low, high = MAX_INSTRUMENTAL_VOICE, MIN_VOCAL_VOICE
    tracks = [
        LabelledTrack(source, Path("x.ogg"), sung)
        for source in ("Jonathan Coulton", "Somebody")
        for sung in (True, True, False, False)
    ]
    table, each = measure(tracks, np.array([low, high, low, (low + high) / 2] * 2))
    assert [row[3:] for row in table.rows] == [(0.625, 1, 0.5, 0.5, 0)] * 2
    assert [row[0] for row in each.rows] == ["Jonathan Coulton", "Somebody"]
