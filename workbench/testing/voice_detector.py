"""What any voice detector must keep: inherit `VoiceDetectorSuite` in a test and name the detector.

In a file `test_mine.py` beside your module::

    from workbench.testing.voice_detector import VoiceDetectorSuite


    class TestMine(VoiceDetectorSuite):
        detector = "my_module:MyDetector"

Run it there with `python -m pytest test_mine.py`; `pip install pytest` suffices, which of our extras `dev` brings.

One that reads labels overrides `prepare`, which writes the labels of a video.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.media.audio import decode, write_audio
from workbench.mix.balance import utterances_in
from workbench.mix.detectors import find_detector
from workbench.params import VoiceParams, WorkbenchParams
from workbench.recording import FloatArray
from workbench.store.home import Home
from workbench.video.speech_ranges import Utterances
from workbench.workflows.mix import measure_soundtrack

SPOKEN: Utterances = ((0.4, 5.2), (6.0, 11.17))  # s, when two sentences are spoken in `narration`
_FIRST, _SECONDS = 20.0, 12.0


def narration() -> tuple[FloatArray, int]:
    """Twelve seconds of the bundled narration, two sentences and a pause: samples of shape (1, n), rate in Hz."""
    voice = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    rate = voice.sample_rate
    return voice.mono()[np.newaxis, round(_FIRST * rate) : round((_FIRST + _SECONDS) * rate)], rate


class VoiceDetectorSuite:
    """Tests that every voice detector passes."""

    detector: str  # its name, as parameters take it
    least_overlap = 0.8  # shared part of what is spoken and what is found, of both together

    def prepare(self, video: Path, spoken: Utterances) -> None:
        """Write what the detector reads beside the video; most need nothing.

        `spoken` are its utterances, in seconds.
        """

    def _found(self, folder: Path, samples: FloatArray, rate: int, spoken: Utterances) -> Utterances:
        video = write_audio(folder / "sound.wav", [samples], rate, samples.shape[0])
        self.prepare(video, spoken)
        voice = VoiceParams(detector=self.detector)
        with Workspace(Home(folder / "home"), WorkbenchParams(voice=voice)) as workspace:
            return utterances_in(measure_soundtrack(workspace, video), samples.shape[1] / rate, voice)

    def test_it_is_found_and_has_a_version(self) -> None:
        """Whether the name leads to a detector."""
        assert find_detector(self.detector).version >= 1

    def test_speech_is_found(self) -> None:
        """Whether two sentences are detected where they are spoken, and the pause between them is none of them."""
        with TemporaryDirectory() as folder:
            found = self._found(Path(folder), *narration(), SPOKEN)
        hundredths = np.arange(0.0, _SECONDS, 0.01)
        spoken, heard = (
            np.any([(hundredths >= start) & (hundredths < end) for start, end in which], axis=0)
            for which in (SPOKEN, found or ((0.0, 0.0),))
        )
        assert np.sum(spoken & heard) >= self.least_overlap * np.sum(spoken | heard), found

    def test_silence_and_noise_are_no_speech(self) -> None:
        """Whether a soundtrack without speech has no utterance, and a very short one is no error."""
        rate = 16_000
        noise = 0.02 * np.random.default_rng(3).standard_normal((1, 4 * rate)).astype(np.float32)
        for samples in (np.zeros_like(noise), noise, noise[:, : rate // 20]):
            with TemporaryDirectory() as folder:
                assert self._found(Path(folder), samples, rate, ()) == ()

    def test_channels_do_not_matter_and_the_answer_is_the_same(self) -> None:
        """Whether a stereo sound has the same utterances, and nothing is drawn by chance."""
        samples, rate = narration()
        with TemporaryDirectory() as one, TemporaryDirectory() as other:
            mono = self._found(Path(one), samples, rate, SPOKEN)
            stereo = self._found(Path(other), np.repeat(samples, 2, axis=0), rate, SPOKEN)
        np.testing.assert_allclose(np.array(mono), np.array(stereo), atol=0.05)
