"""The extension point of voice detectors: another one in the place of ours, or a file that somebody labelled.

`VoiceParams.detector` names it; see `workbench.extensions` for how it is found. The music is lowered under what it
finds, in every plan, export and picture. What it found is kept, by the video's bytes, its name and version, the
parameters, and the bytes of the files that it says it reads. One that is tested inherits
`workbench.testing.voice_detector.VoiceDetectorSuite`.

    class Narrated:
        version = 1

        def reads(self, video):
            return ()

        def utterances(self, video, soundtrack, params):
            return [(2.0, 5.5), (8.0, 9.25)]

Class: `OwnDetector`. Protocol: `VoiceDetector`. Functions: `find_detector`, `ask_detector`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from workbench.errors import ParameterError
from workbench.extensions import VOICE_DETECTORS, find, has_version, work_of
from workbench.mix.balance import SoundtrackMeasure, heard_utterances
from workbench.params import VoiceParams
from workbench.video.speech_ranges import Utterances


@runtime_checkable
class VoiceDetector(Protocol):
    """Says when somebody speaks in the foreground of a soundtrack."""

    version: int
    """of its answers, from 1; raised when they change, so that no utterances of an older one are read"""

    def reads(self, video: Path) -> Sequence[Path]:
        """Files besides the video that its answer depends on; most read none.

        Parameters
        ----------
        video : the video or sound file
        """
        ...

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        """Find the utterances.

        Parameters
        ----------
        video : the video or sound file, which `workbench.media.audio.decode` reads
        soundtrack : what was measured on it: loudness, probabilities of speech, bands, pitches
        params : of the voice, as far as it can use them

        Returns
        -------
        (start, end) of each in video seconds, sorted and disjoint; what lies behind the end of the video is cut off
        """
        ...


class OwnDetector:
    """The detector of this package: probabilities of speech to utterances, `workbench.video.speech_ranges`."""

    version = 4

    def reads(self, video: Path) -> Sequence[Path]:
        """No further file."""
        return ()

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        """Find the utterances; it reads `soundtrack` alone."""
        return heard_utterances(soundtrack, params)


def find_detector(name: str) -> VoiceDetector:
    """Find a voice detector by name; raises `ParameterError` where there is none that keeps `VoiceDetector`."""
    found = find(VOICE_DETECTORS, name)
    if not isinstance(found, VoiceDetector) or not has_version(found):
        raise ParameterError(
            f"{name} is no voice detector: it needs a version, from 1, reads(video) and "
            "utterances(video, soundtrack, params)"
        )
    return found


def ask_detector(soundtrack: SoundtrackMeasure, params: VoiceParams) -> Utterances:
    """Utterances, in seconds, sorted and disjoint, by the detector that the parameters name, checked.

    Raises `ParameterError` where there is no such detector, the soundtrack has no file, or the detector fails or
    returns no proper utterances.
    """
    detector, by = find_detector(params.detector), f"the voice detector {params.detector}"
    if soundtrack.path is None:
        raise ParameterError(f"{by} needs a file, and this sound is in memory; take the detector workbench for it")
    with work_of(VOICE_DETECTORS, params.detector):
        found = tuple(
            (float(start), float(end)) for start, end in detector.utterances(soundtrack.path, soundtrack, params)
        )
    for start, end in found:
        if not (np.isfinite(start) and np.isfinite(end) and 0.0 <= start < end):
            raise ParameterError(f"{by} gave an utterance from {start} to {end} s")
    for (_, end), (start, _) in pairwise(found):
        if end > start:
            raise ParameterError(f"{by} must give utterances in order; one ends at {end} s, the next begins at {start}")
    return found
