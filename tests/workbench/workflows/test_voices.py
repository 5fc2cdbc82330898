"""A detector of somebody else is asked once a video, and again when what it reads has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench import extensions
from workbench.analysis.video import with_voices
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError, ParameterError
from workbench.features.levels import level_curve
from workbench.params import VoiceParams, WorkbenchParams
from workbench.store.home import Home
from workbench.video.utterances import SoundtrackMeasure


class Lines:
    """A line of a text file an utterance."""

    version = 1
    asked = 0

    def reads(self, video: Path) -> Sequence[Path]:
        return [video.with_suffix(".txt")]

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        Lines.asked += 1
        for line in self.reads(video)[0].read_text().splitlines():
            start, end = line.split()
            yield float(start), float(end)


@pytest.fixture(autouse=True)
def lines() -> Iterator[None]:
    extensions.register(extensions.VOICE_DETECTORS, "lines", Lines)
    Lines.asked = 0
    yield
    extensions.unregister(extensions.VOICE_DETECTORS, "lines")


def test_it_is_asked_once_for_a_video_its_files_and_parameters(tmp_path: Path) -> None:
    video, labels = tmp_path / "video.mp4", tmp_path / "video.txt"
    video.write_bytes(b"any")
    sound = SoundtrackMeasure(level_curve(np.ones((1, 16_000), np.float32), 16_000), np.zeros(0), 0.032, path=video)
    params = WorkbenchParams(voice=VoiceParams(detector="lines"))
    with Workspace(Home(tmp_path / "home"), params) as workspace:
        with pytest.raises(MediaError, match=r"video\.txt: cannot be read \(No such file"):
            with_voices(workspace, sound)
        for text, expected in (("", ()), ("0 0.5\n", ((0.0, 0.5),))):
            labels.write_text(text)
            for _ in range(2):
                detected = with_voices(workspace, sound).detected
                assert detected is not None
                assert detected.utterances == expected
        assert Lines.asked == 2
        other = WorkbenchParams(voice=VoiceParams(detector="lines", close_pause_seconds=0.5))
        with_voices(workspace.with_params(other), sound)
        assert Lines.asked == 3
        assert with_voices(workspace.with_params(WorkbenchParams()), sound) is sound
        assert with_voices(workspace, SoundtrackMeasure(None, np.zeros(0), 1.0)).detected is None
        with pytest.raises(ParameterError, match="lines reads files, and this sound is in memory: write it to a file"):
            with_voices(workspace, replace(sound, path=None))
