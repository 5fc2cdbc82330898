"""Our own detector and a reader of RTTM, written as a stranger would, pass one suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from workbench import extensions
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.mix import find_utterances, measure_mix_inputs
from workbench.media.audio import write_audio
from workbench.mix.balance import SoundtrackMeasure
from workbench.params import VoiceParams, WorkbenchParams
from workbench.store.home import Home
from workbench.store.profiles import load_profile, save_profile
from workbench.testing.voice_detector import SPOKEN, VoiceDetectorSuite, narration
from workbench.video.speech_ranges import Utterances, join_utterances
from workbench.workflows.mix import measure_soundtrack


class Rttm:
    """The turns of an RTTM file beside the video, of whoever speaks; video.mp4 has video.rttm."""

    version = 1

    def reads(self, video: Path) -> Sequence[Path]:
        return [video.with_suffix(".rttm")]

    def utterances(
        self, video: Path, soundtrack: SoundtrackMeasure, params: VoiceParams
    ) -> Iterable[tuple[float, float]]:
        lines = self.reads(video)[0].read_text(encoding="utf-8").splitlines()
        turns = [line.split()[3:5] for line in lines if line.startswith("SPEAKER")]
        spoken = sorted((float(start), float(start) + float(seconds)) for start, seconds in turns)
        return join_utterances(tuple(spoken), params.close_pause_seconds)


@pytest.fixture(scope="module", autouse=True)
def rttm() -> Iterator[None]:
    extensions.register(extensions.VOICE_DETECTORS, "rttm", Rttm)
    yield
    extensions.unregister(extensions.VOICE_DETECTORS, "rttm")


def write_rttm(video: Path, spoken: Utterances) -> None:
    turns = [f"SPEAKER sound 1 {a:.3f} {b - a:.3f} <NA> <NA> anna <NA> <NA>\n" for a, b in spoken]
    video.with_suffix(".rttm").write_text("".join(turns), encoding="utf-8")


class TestOwn(VoiceDetectorSuite):
    detector = "workbench"


class TestRttm(VoiceDetectorSuite):
    detector = "rttm"

    def prepare(self, video: Path, spoken: Utterances) -> None:
        write_rttm(video, spoken)


def test_a_detector_is_in_profiles_cache_keys_and_mixes(tmp_path: Path) -> None:
    samples, rate = narration()
    video = write_audio(tmp_path / "sound.wav", [samples], rate, 1)
    write_rttm(video, SPOKEN)
    params = WorkbenchParams(voice=VoiceParams(detector="rttm"))
    assert load_profile(save_profile(params, tmp_path / "rttm.toml")) == params
    with Workspace(Home(tmp_path / "home"), params) as workspace:

        def found() -> tuple[Utterances, bool]:
            misses = workspace.arrays.stats().misses
            detected = measure_soundtrack(workspace, video).detected
            assert detected is not None
            times = tuple((round(start, 3), round(end, 3)) for start, end in detected.utterances)
            return times, workspace.arrays.stats().misses == misses

        assert found() == (SPOKEN, False)
        assert found() == (SPOKEN, True)
        Rttm.version = 2
        assert not found()[1]
        Rttm.version = 1
        write_rttm(video, SPOKEN[:1])
        assert found() == (SPOKEN[:1], False)
        inputs = measure_mix_inputs(workspace, video, video, 12.0)
        assert inputs.utterances == SPOKEN[:1]
        ours, _ = find_utterances(workspace.with_params(WorkbenchParams()), inputs)
        assert len(ours) == 2
        assert find_utterances(workspace, inputs) == (SPOKEN[:1], ())
