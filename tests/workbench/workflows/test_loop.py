"""A track under a video: lengths decide first, and the early refusal is the planner's own."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.videos import grey, write_video
from workbench.analysis.provenance import read_provenance
from workbench.analysis.sources import TrackSource
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import Track
from workbench.errors import MediaError
from workbench.media.audio import decode, write_audio
from workbench.params import CoverParams, WorkbenchParams
from workbench.plans.loop import plan_loop
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.plans.request import LOOP_ALONE
from workbench.store.home import Home
from workbench.workflows.plan import plan_track, planned_body, planned_json, save_plan

RATE = 22_050
EXCESS = CoverParams().required_excess_seconds


def noise(seconds: float) -> Iterator[np.ndarray]:
    generator = np.random.default_rng(5)
    for begin in range(0, round(seconds * RATE), RATE):
        count = min(RATE, round(seconds * RATE) - begin)
        yield (0.05 * generator.standard_normal((1, count))).astype(np.float32)


@pytest.fixture(scope="module")
def long_track(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_audio(tmp_path_factory.mktemp("long") / "long.flac", noise(100.0), RATE, 1)


def is_empty(home: Home) -> bool:
    return Workspace(home).arrays.stats().files == 0


def test_the_early_refusal_is_the_planners(track: Path, tmp_path: Path) -> None:
    """Before any analysis, after it, and from the planner itself: the same reason, hint and numbers."""
    seconds = decode(track).duration + EXCESS - 1.0
    home = Home(tmp_path)
    early = plan_track(Workspace(home), track, seconds, LOOP_ALONE).answer
    assert is_empty(home)
    analysis = analyze(Workspace(home), track)
    assert (
        early == plan_track(Workspace(home), track, seconds, LOOP_ALONE).answer == plan_loop(analysis.profile, seconds)
    )


@pytest.mark.parametrize(("missing_s", "refused"), [(0.0, False), (-1e-6, False), (1e-6, True), (0.4e-6, False)])
def test_the_border_is_the_reported_length_to_the_microsecond(
    track: Path, tmp_path: Path, missing_s: float, refused: bool
) -> None:
    home = Home(tmp_path)
    seconds = round(decode(track).duration, 6) + EXCESS - missing_s
    answer = plan_track(Workspace(home), track, seconds, LOOP_ALONE).answer
    assert (isinstance(answer, Refusal) and answer.reason is RefusalReason.VIDEO_NOT_LONGER) == refused
    assert is_empty(home) == refused


@pytest.mark.parametrize("suffix", [".mp3", ".aac"])
def test_a_file_that_states_no_length_is_counted(long_track: Path, tmp_path: Path, suffix: str) -> None:
    """Raw ADTS, and MP3 without a Xing tag, joined from two files so that no guess from the first frames holds."""
    import av

    track, home = tmp_path / f"track{suffix}", Home(tmp_path / "home")
    codec, container = {".mp3": ("libmp3lame", "mp3"), ".aac": ("aac", "adts")}[suffix]
    options = {"write_xing": "0", "id3v2_version": "0"} if suffix == ".mp3" else {}
    with av.open(str(long_track)) as source, av.open(str(track), "w", format=container, options=options) as file:
        stream = file.add_stream(codec, rate=RATE, layout="mono")
        assert isinstance(stream, av.AudioStream)
        for frame in source.decode(audio=0):
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    seconds = round(decode(track).duration, 6)
    assert seconds == pytest.approx(100.0, abs=0.2)
    refusal = plan_track(Workspace(home), track, seconds + EXCESS - 0.001, LOOP_ALONE).answer
    assert isinstance(refusal, Refusal)
    assert refusal.reason is RefusalReason.VIDEO_NOT_LONGER
    assert refusal.track_seconds == seconds
    assert is_empty(home)


def test_a_torn_file_is_torn_and_not_too_long(long_track: Path, tmp_path: Path) -> None:
    """Its head states 100 s, of which half is there: what it states decides nothing."""
    wave = write_audio(tmp_path / "whole.wav", noise(100.0), RATE, 1)
    content = wave.read_bytes()
    torn, home = tmp_path / "torn.wav", Home(tmp_path / "home")
    torn.write_bytes(content[: len(content) // 2])
    for seconds in (60.0, 300.0):
        with pytest.raises(MediaError, match="cut short"):
            plan_track(Workspace(home), torn, seconds, LOOP_ALONE)
        of_catalog = TrackSource("trk_torn", torn, Track("trk_torn", torn, "00"))
        answer = plan_track(Workspace(home), of_catalog, seconds, LOOP_ALONE).answer
        assert isinstance(answer, Refusal)
        assert answer.reason is RefusalReason.AUDIO_UNAVAILABLE
        assert "cut short" in answer.hint
    assert is_empty(home)


def test_the_length_that_decides_is_the_tracks_and_not_that_of_a_picture_beside_it(tmp_path: Path) -> None:
    """A sound of 10 s in a file whose picture lasts 60 s loops under 45 s of video."""

    track, home = tmp_path / "track.mp4", Home(tmp_path / "home")
    sound = np.concatenate(list(noise(10.0)), axis=1)
    write_video(track, (grey(k % 200) for k in range(300)), 5, sound=sound, sample_rate=RATE)
    answer = plan_track(Workspace(home), track, 45.0, LOOP_ALONE).answer
    assert not isinstance(answer, Refusal) or answer.reason is not RefusalReason.VIDEO_NOT_LONGER


def test_other_excesses_decide_early_too(track: Path, tmp_path: Path) -> None:
    params = WorkbenchParams(cover=CoverParams(required_excess_seconds=90.0))
    answer = plan_track(Workspace(Home(tmp_path), params), track, decode(track).duration + 89.0, LOOP_ALONE).answer
    assert isinstance(answer, Refusal)
    assert answer.required_excess_seconds == 90.0
    assert is_empty(Home(tmp_path))


def test_the_body_names_a_video_without_an_id_after_what_is_known_of_it(long_track: Path, tmp_path: Path) -> None:
    loop = plan_track(Workspace(Home(tmp_path)), long_track, 60.0, LOOP_ALONE)
    assert planned_body(loop).video_id == "60s"
    written = json.loads(save_plan(loop, tmp_path / "plan.json").read_text())
    assert written == json.loads(json.dumps(planned_json(loop)))
    assert read_provenance(written) == loop.provenance
    assert set(written) - {"provenance"} == set(planned_body(loop).to_json())
    assert planned_body(loop, "vid_1").video_id == "vid_1"
    assert planned_body(loop).track_id == long_track.name
