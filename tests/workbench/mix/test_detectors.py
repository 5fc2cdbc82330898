"""What a voice detector of somebody else gives is checked before the music is lowered for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench import extensions
from workbench.analysis.protocols import ask_detector
from workbench.errors import ParameterError
from workbench.features.levels import level_curve
from workbench.params import VoiceParams
from workbench.video.utterances import DetectedVoice, OwnDetector, SoundtrackMeasure, utterances_in

PARAMS = VoiceParams(detector="given")
CURVE = level_curve(np.full((1, 48_000), 0.1, dtype=np.float32), 16_000)
SOUND = SoundtrackMeasure(CURVE, np.zeros(0), 0.032, path=Path("video.mp4"))


class Given:
    version = 1
    answer: Any = ()

    def reads(self, video: Path) -> Sequence[Path]:
        return ()

    def utterances(self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams) -> Iterable[Any]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return list(self.answer)


@pytest.fixture(autouse=True)
def given() -> Iterator[None]:
    extensions.register(extensions.VOICE_DETECTORS, "given", Given)
    yield
    extensions.unregister(extensions.VOICE_DETECTORS, "given")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (((2.0, 1.0),), "an utterance from 2.0 to 1.0 s"),
        (((-1.0, 1.0),), "an utterance from -1.0 to 1.0 s"),
        (((0.0, float("nan")),), "an utterance from 0.0 to nan s"),
        (((0.0, 2.0), (1.0, 3.0)), "one ends at 2.0 s, the next begins at 1.0"),
        (((1.0,),), "the voice detector given failed: ValueError"),
        (OSError("no such file"), "the voice detector given failed: OSError: no such file"),
    ],
)
def test_utterances_that_are_none_are_one_clear_error(answer: Any, complaint: str) -> None:
    Given.answer = answer
    with pytest.raises(ParameterError, match=complaint):
        ask_detector(SOUND, PARAMS)


def test_what_it_finds_ends_with_the_video_and_reads_a_file() -> None:
    Given.answer = [(0.5, 1.0004), (2.5, 9.0), (12.0, 13.0)]
    asked = replace(SOUND, detected=DetectedVoice(PARAMS, ask_detector(SOUND, PARAMS)))
    assert utterances_in(asked, 3.0, PARAMS) == ((0.5, 1.0), (2.5, 3.0))
    assert utterances_in(SoundtrackMeasure(None, np.zeros(0), 1.0), 3.0, PARAMS) == ()
    with pytest.raises(ParameterError, match="given reads files"):
        ask_detector(SoundtrackMeasure(CURVE, np.zeros(0), 0.032), PARAMS)
    with pytest.raises(ParameterError, match="no answer of the voice detector given for these parameters"):
        utterances_in(asked, 3.0, VoiceParams(detector="given", close_pause_seconds=0.1))


def test_ours_is_found_like_any_other() -> None:
    assert isinstance(extensions.find(extensions.VOICE_DETECTORS, "workbench"), OwnDetector)
    with pytest.raises(ParameterError, match="is no voice detector"):
        extensions.find(extensions.VOICE_DETECTORS, "workbench.beats.track:OwnTracker")
