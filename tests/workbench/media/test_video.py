"""Pictures of a video: each at its time, and the one on screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.errors import MediaError
from workbench.media.video import frames, still


class TestPictures:
    @pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
    def test_each_picture_with_its_time(self, tmp_path: Path, suffix: str, video: Callable[..., Path]) -> None:
        seen = list(frames(video(tmp_path / f"a{suffix}"), width=80))
        assert [picture.video_s for picture in seen] == pytest.approx([i / 25 for i in range(75)], abs=1e-3)
        assert seen[0].pixels.shape == (45, 80, 3)
        brightness = [float(picture.pixels.mean()) for picture in seen]
        np.testing.assert_allclose(brightness, np.arange(75) + 20, atol=3)

    def test_a_few_on_a_regular_grid(self, tmp_path: Path, video: Callable[..., Path]) -> None:
        seen = list(frames(video(tmp_path / "a.mp4"), every_seconds=0.4))
        assert [picture.video_s for picture in seen] == pytest.approx([0.4 * i for i in range(8)], abs=1e-6)

    @pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
    @pytest.mark.parametrize(("at", "number"), [(0.0, 0), (1.0, 25), (1.99, 49), (2.5, 62), (99.0, 74)])
    def test_the_still_is_what_is_on_screen(
        self, tmp_path: Path, suffix: str, at: float, number: int, video: Callable[..., Path]
    ) -> None:
        picture = still(video(tmp_path / f"a{suffix}"), at, width=32)
        assert picture.video_s == pytest.approx(number / 25, abs=1e-3)
        assert picture.pixels.shape == (18, 32, 3)
        assert picture.pixels.mean() == pytest.approx(20 + number, abs=3)

    def test_sound_has_no_pictures(self, tmp_path: Path) -> None:
        soundfile.write(tmp_path / "a.wav", np.zeros((1000, 1)), 22_050)
        with pytest.raises(MediaError, match="no moving picture"):
            list(frames(tmp_path / "a.wav"))
        with pytest.raises(MediaError, match="no moving picture"):
            still(tmp_path / "a.wav", 0.0)
