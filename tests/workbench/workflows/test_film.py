"""The demo's film: what its truth says is what one sees and hears, at any length that is taken of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import pytest

from tests.film import FilmTruth, film_truth
from workbench.errors import MediaError, ParameterError
from workbench.features.levels import LevelCurve, level_curve
from workbench.files import bundled_path
from workbench.media.audio import decode
from workbench.workflows.demo import FILM, FILM_SECONDS, FRAME_RATE, write_film

SECONDS = 30.0
FULL = bundled_path(*FILM)
NARRATION = bundled_path("data", "bundled", "voice", "narration.ogg")


@dataclass(frozen=True, eq=False)
class Taken:
    """The beginning of the film and what was read back from it."""

    path: Path
    truth: FilmTruth
    pictures: np.ndarray  # shape (n, 45, 80), grey
    levels: LevelCurve


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Taken:
    path = write_film(tmp_path_factory.mktemp("video") / "video.mp4", SECONDS)
    with av.open(str(path)) as container:
        pictures = [f.reformat(80, 45, "gray").to_ndarray().astype(float) for f in container.decode(video=0)]
    sound = decode(path)
    return Taken(path, film_truth(SECONDS), np.stack(pictures), level_curve(sound.samples, sound.sample_rate))


def pictures_of(path: Path, from_s: float, to_s: float) -> dict[float, str]:
    """A digest of each picture of a part, by its time."""
    found = {}
    with av.open(str(path)) as container:
        container.seek(round(from_s * av.time_base))
        for frame in container.decode(video=0):
            at = round(float(frame.time or 0.0), 6)
            if at >= to_s:
                break
            if at >= from_s:
                found[at] = hashlib.sha256(frame.to_ndarray().tobytes()).hexdigest()
    return found


def test_it_is_a_video_of_the_stated_length_to_the_frame(video: Taken) -> None:
    assert len(video.pictures) == SECONDS * FRAME_RATE
    with av.open(str(video.path)) as container:
        picture, sound = container.streams.video[0], container.streams.audio[0]
        assert (picture.width, picture.height, picture.codec_context.name) == (640, 360, "h264")
        assert picture.average_rate == FRAME_RATE
        assert (sound.rate, sound.channels, sound.codec_context.name) == (48_000, 2, "aac")
        assert container.metadata["title"] == "The Six-Ten"
        assert picture.start_time == 0
    assert video.levels.duration == pytest.approx(SECONDS, abs=0.03)


def test_cuts_are_where_they_are_declared_and_nowhere_else(video: Taken) -> None:
    change = np.abs(np.diff(video.pictures, axis=0)).mean(axis=(1, 2))
    seen = np.flatnonzero(change > 8) + 1
    assert (seen / FRAME_RATE).tolist() == list(video.truth.cuts)
    assert video.truth.cuts == (15.0, 20.0, 25.2, 28.4)


def test_a_dissolve_changes_little_from_picture_to_picture_but_much_in_all(video: Taken) -> None:
    ((start, end),) = video.truth.dissolves
    first, last = round(start * FRAME_RATE), round(end * FRAME_RATE)
    steps = np.abs(np.diff(video.pictures[first - 1 : last + 1], axis=0)).mean(axis=(1, 2))
    assert steps.max() < 4
    assert np.abs(video.pictures[last] - video.pictures[first - 1]).mean() > 8


def test_it_rises_from_black(video: Taken) -> None:
    ((start, end),) = video.truth.fades
    assert start == 0.0
    assert video.pictures[0].mean() < 18  # 16 is black
    assert video.pictures[round(end * FRAME_RATE)].mean() > video.pictures[0].mean() + 10


def test_a_title_is_on_screen_when_it_should_be(video: Taken) -> None:
    ((start, end, words),) = video.truth.titles
    assert words == "THE SIX-TEN"
    card = video.pictures[round((start + end) / 2 * FRAME_RATE)]
    assert card[17:24].max() > card[:10].max() + 60


def test_someone_speaks_when_the_narration_says_so_and_at_about_its_loudness(video: Taken) -> None:
    facts = json.loads(NARRATION.with_suffix(".json").read_text(encoding="utf-8"))
    first = facts["phrases"][0]
    assert video.truth.speech[0] == (first["start_s"], first["end_s"])
    assert video.truth.speech[-1][1] == SECONDS
    assert video.levels.lufs(*video.truth.speech[0]) == pytest.approx(first["lufs"], abs=1.0)


def test_the_soundtrack_is_heard_under_and_between_the_phrases(video: Taken) -> None:
    for start, end in ((3.0, 14.0), (20.0, 20.3), (25.3, 25.9)):
        assert -46 < video.levels.lufs(start, end) < -26


def test_nothing_is_left_beside_the_video(video: Taken) -> None:
    assert [path.name for path in video.path.parent.iterdir()] == ["video.mp4"]


def test_more_than_the_film_is_the_film_and_its_beginning_again(tmp_path: Path) -> None:
    """To the picture and to the sample: a part is copied, its sound encoded again."""
    seconds = FILM_SECONDS + 12.0
    path = write_film(tmp_path / "long.mp4", seconds)
    with av.open(str(path)) as container:
        packets = [packet for packet in container.demux(video=0) if packet.pts is not None]
        shown = sorted(float(packet.pts * packet.time_base) for packet in packets)  # type: ignore[operator]
    assert shown == pytest.approx(np.arange(round(seconds * FRAME_RATE)) / FRAME_RATE)
    head, tail = pictures_of(FULL, 0.0, 12.0), pictures_of(FULL, FILM_SECONDS - 3.0, FILM_SECONDS)
    assert len(head) == 12 * FRAME_RATE
    again_s = {round(at + FILM_SECONDS, 6): digest for at, digest in head.items()}
    assert pictures_of(path, FILM_SECONDS - 3.0, seconds) == tail | again_s
    sound, again = decode(FULL), decode(path)
    end, rate = round(FILM_SECONDS * sound.sample_rate), sound.sample_rate
    assert again.duration == pytest.approx(seconds, abs=0.022)
    for first in (20 * rate, end - 2 * rate, end + 2 * rate):
        span = np.arange(first, first + 6 * rate)
        true = sound.samples[:, span % end]
        loss = [np.mean((again.samples[:, span + late] - true) ** 2) for late in (-8, -1, 0, 1, 8)]
        assert np.argmin(loss) == 2
        assert loss[2] < 0.02 * np.mean(true**2)


def test_the_full_length_is_the_file_that_ships(tmp_path: Path) -> None:
    assert FULL.stat().st_size <= 10_000_000
    assert write_film(tmp_path / "video.mp4").read_bytes() == FULL.read_bytes()


def test_a_failed_writing_leaves_the_old_video_alone(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "video.mp4"
    path.mkdir(parents=True)
    with pytest.raises(MediaError, match=r"video\.mp4"):
        write_film(path, 2.0)
    assert [p.name for p in path.parent.iterdir()] == ["video.mp4"]


def test_the_whole_film_lasts_five_minutes_and_is_cut_as_a_video_is() -> None:
    truth = film_truth()
    faded = {round(end, 2) for _, end in truth.fades} & {round(start, 2) for start, _ in truth.fades}
    edges = sorted({0.0, *truth.cuts, *(at for at, _ in truth.dissolves), *faded, 300.0})
    assert all(abs(at * FRAME_RATE - round(at * FRAME_RATE)) < 1e-6 for at in (*edges, *truth.flashes))
    lengths = np.diff(edges)
    assert lengths.min() >= 1.0
    assert 10 < lengths.max() <= 14
    assert len(truth.cuts) > 40
    assert len(truth.dissolves) >= 4
    assert len(truth.fades) >= 6
    assert len(truth.flashes) >= 2
    assert len(truth.titles) == 4
    assert len(truth.speech) == 18
    assert truth.seconds == 300.0


@pytest.mark.parametrize("seconds", [0.5, 36_001.0, float("nan")])
def test_a_length_that_it_cannot_have_is_refused(seconds: float, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="1 to 36000"):
        write_film(tmp_path / "video.mp4", seconds)
