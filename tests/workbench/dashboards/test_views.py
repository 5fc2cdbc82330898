"""Long sound drawn in part, and pictures of a video in a row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workbench.dashboards.views import MOST_COLUMNS, LongSound, video_row
from workbench.errors import MediaError
from workbench.media.audio import write_audio
from workbench.plots.video import Tile

RATE = 8_000


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> LongSound:
    """Ten minutes: silence, but for one click at 300 s and a tone of 1 kHz from 400 s to 410 s."""
    samples = np.zeros((1, 600 * RATE), dtype=np.float32)
    samples[0, 300 * RATE] = 0.9
    t = np.arange(10 * RATE) / RATE
    samples[0, 400 * RATE : 410 * RATE] = 0.5 * np.sin(2 * np.pi * 1000 * t)
    path = write_audio(tmp_path_factory.mktemp("sound") / "long.wav", [samples], RATE, 1)
    return LongSound(path)


@pytest.mark.parametrize(("from_s", "to_s"), [(0.0, 600.0), (299.0, 301.0), (299.99, 300.01)])
def test_no_click_is_lost_at_any_zoom(sound: LongSound, from_s: float, to_s: float) -> None:
    times, lows, highs = sound.envelope(from_s, to_s, 1000)
    assert times.size <= 1000
    assert highs.max() == pytest.approx(0.9, abs=1e-3) or to_s > 400.0
    at = int(np.argmax(highs))
    assert times[at] == pytest.approx(300.0, abs=(to_s - from_s) / times.size + 256 / RATE)
    assert np.all(lows <= highs)


def test_a_view_never_has_more_columns_than_the_widest_screen(sound: LongSound) -> None:
    assert sound.envelope(0.0, 600.0, 10**6)[0].size <= MOST_COLUMNS


def test_what_lies_outside_the_sound_is_left_out(sound: LongSound) -> None:
    assert sound.envelope(700.0, 800.0)[0].size == 0
    assert sound.envelope(-10.0, 1.0)[0][0] > 0.0


def test_a_tone_stands_in_its_band_and_at_its_level(sound: LongSound) -> None:
    picture = sound.spectrogram(402.0, 408.0, columns=10, rows=64)
    hertz = np.geomspace(40.0, 0.49 * RATE, 65)
    row = int(np.argmax(picture[:, 5]))
    assert hertz[row] <= 1000.0 <= hertz[row + 1]
    assert sound.spectrogram(100.0, 110.0, columns=4, rows=8).max() < -80.0


def test_the_summary_is_made_once_and_made_anew_when_it_does_not_fit(sound: LongSound) -> None:
    (beside,) = sound.path.parent.glob("*.summary.npy")
    first = beside.stat().st_mtime_ns
    LongSound(sound.path)
    assert beside.stat().st_mtime_ns == first
    np.save(beside, np.zeros((2, 3), dtype=np.int16))
    assert LongSound(sound.path).envelope(0.0, 600.0)[2].max() == pytest.approx(0.9, abs=1e-3)


def test_what_is_no_wav_of_sixteen_bits_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "track.wav"
    other.write_bytes(b"ID3 something else entirely")
    with pytest.raises(MediaError, match=r"track\.wav"):
        LongSound(other)
    floats = write_audio(tmp_path / "floats.wav", [np.zeros((1, 100))], RATE, 1, subtype="float32")
    with pytest.raises(MediaError, match="16"):
        LongSound(floats)


def test_pictures_stand_where_their_shots_are() -> None:
    red, blue = (np.full((10, 20, 3), colour, dtype=np.uint8) for colour in ((255, 0, 0), (0, 0, 255)))
    row = video_row([Tile(0.0, 5.0, red), Tile(5.0, 10.0, blue)], 0.0, 20.0, width=200, height=10)
    pixels = row.view(np.uint8).reshape(10, 200, 4)
    assert tuple(pixels[5, 25]) == (255, 0, 0, 255)
    assert tuple(pixels[5, 75]) == (0, 0, 255, 255)
    assert pixels[5, 150, 3] == 0, "nothing where there is no video"
