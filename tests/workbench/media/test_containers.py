"""Opening files safely: what is no media is refused in one line, and only what was cut states more than it holds."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.errors import MediaError
from workbench.media.containers import (
    decode_pictures,
    first_picture,
    open_media,
    picture_stream,
    sound_stream,
    stated_seconds,
    tick_seconds,
    upright_size,
)


def test_a_video_has_a_picture_and_a_sound_and_a_sound_file_no_picture(
    tmp_path: Path, video: Callable[..., Path]
) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(4410), 44_100)
    with open_media(video(tmp_path / "a.mp4")) as container:
        assert picture_stream(container) is not None
        assert sound_stream(container) is not None
    with open_media(tmp_path / "a.wav") as container:
        assert picture_stream(container) is None
        assert sound_stream(container) is not None


def test_pictures_come_in_the_order_in_which_they_are_shown(tmp_path: Path, video: Callable[..., Path]) -> None:
    path = video(tmp_path / "a.mp4", pictures=30, aspect=Fraction(2, 1))
    with open_media(path) as container:
        stream = picture_stream(container)
        assert stream is not None
        times = [time for time, _ in decode_pictures(container, stream)]
    assert times == pytest.approx([k / 25 for k in range(30)], abs=1e-3)
    with open_media(path) as container:
        stream = picture_stream(container)
        assert stream is not None
        first = first_picture(container, stream)
        assert first is not None
        assert first.time == 0.0
        assert upright_size(first, stream) == (320, 90), "twice as wide in square pixels"
        tick = tick_seconds(stream)
        assert tick is not None
        assert 0 < tick < Fraction(1, 25)


def test_only_a_file_that_was_cut_states_more_than_it_holds(tmp_path: Path) -> None:
    for name in ("a.wav", "a.flac"):
        path = tmp_path / name
        soundfile.write(path, np.random.default_rng(0).uniform(-0.5, 0.5, 12_000), 8000)
        for share in (1.0, 0.5):
            path.write_bytes(path.read_bytes()[: round(share * path.stat().st_size)])
            with open_media(path) as container:
                stream = sound_stream(container)
                assert stream is not None
                stated = stated_seconds(container, stream, path, share * 1.5)
            assert stated == (None if share == 1.0 and name != "a.flac" else pytest.approx(1.5, rel=0.01))


def test_what_cannot_be_opened_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    (tmp_path / "list.m3u8").write_text("#EXTM3U\n#EXTINF:1,\nother.ts\n")
    (tmp_path / "text.txt").write_text("a text of no format at all\n" * 50)
    os.mkfifo(tmp_path / "pipe")
    for name, why in (
        ("none.wav", "no such file"),
        ("empty.wav", "the file is empty"),
        (".", "a folder, not a media file"),
        ("pipe", "not a regular file"),
        ("list.m3u8", "not readable as audio or video"),
        ("text.txt", "not readable as audio or video"),
    ):
        with pytest.raises(MediaError, match=why) as caught, open_media(tmp_path / name):
            pass
        assert "\n" not in str(caught.value)
