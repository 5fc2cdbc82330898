"""A sound stream as samples without holes: on the clock of the first picture, as long as what was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.errors import MediaError
from workbench.media.decoder import open_decoder, picture_zero


def test_pieces_are_the_whole_sound_and_frames_come_in_order(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", np.zeros((20_000, 2)), 8000)
    with open_decoder(tmp_path / "a.flac") as decoder:
        lengths = [piece.length for piece in decoder.pieces()]
        assert (decoder.sample_rate, decoder.channels) == (8000, 2)
        assert decoder.guessed_samples() >= 20_000
    assert sum(lengths) == 20_000
    assert min(lengths) > 0


def test_sound_that_begins_after_the_picture_is_preceded_by_silence(tmp_path: Path, video: Callable[..., Path]) -> None:
    path = video(tmp_path / "late.mkv", sound_from=0.5, sound_seconds=1.0)
    assert picture_zero(path) == pytest.approx(0.0)
    with open_decoder(path) as decoder:
        pieces = list(decoder.pieces())
        rate = decoder.sample_rate
    silent = sum(piece.length for piece in pieces if piece.frame is None)
    assert silent / rate == pytest.approx(0.5, abs=0.05)
    assert sum(piece.length for piece in pieces) / rate == pytest.approx(1.5, abs=0.06)


def test_a_sound_file_has_no_first_picture_and_a_silent_video_no_sound(
    tmp_path: Path, video: Callable[..., Path]
) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(100), 8000)
    assert picture_zero(tmp_path / "a.wav") is None
    with (
        pytest.raises(MediaError, match="no sound in this file"),
        open_decoder(video(tmp_path / "a.mp4", sound_seconds=None)),
    ):
        pass
