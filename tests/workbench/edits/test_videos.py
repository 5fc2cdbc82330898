"""Two video files are matched to the frame: stored clips, cut anew, encoded again, with and without their sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.film import CLIPS, clip_cuts
from tests.videos import write_sounds, write_video
from workbench.edits.difference import EditDifference
from workbench.edits.reading import compare_files
from workbench.edits.traces import trace_video
from workbench.edits.videos import compare_videos
from workbench.errors import MediaError
from workbench.media.video import frames

RATE = 25
SOUND_RATE = 16_000
COUNT = 400
Pictures = NDArray[np.uint8]
Take = tuple[int, int]
"""first frame and one past the last of the clip"""


def spoken(count: int) -> NDArray[np.float32]:
    """Sound like speech for so many frames: short vowels at changing pitches, with pauses."""
    dice = np.random.default_rng(4)
    samples = np.zeros(count * SOUND_RATE // RATE, dtype=np.float32)
    at = 0
    while at < samples.size:
        length = int(dice.uniform(0.08, 0.3) * SOUND_RATE)
        t = np.arange(min(length, samples.size - at)) / SOUND_RATE
        hertz, colour = dice.uniform(90, 260), dice.uniform(0.5, 3)
        vowel = sum(np.sin(2 * np.pi * k * hertz * t) / k**colour for k in range(1, 20))
        samples[at : at + t.size] = 0.1 * np.hanning(t.size) * vowel * dice.uniform(0.2, 1.0)
        at += length + int(dice.uniform(0.0, 0.25) * SOUND_RATE)
    return samples


def encode(path: Path, pictures: Pictures, sound: NDArray[np.float32] | None, crf: int, rate: int = RATE) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate, options={"preset": "ultrafast", "crf": str(crf)})
        stream.height, stream.width = pictures.shape[1:3]
        stream.pix_fmt = "yuv420p"
        voice = None if sound is None else container.add_stream("aac", rate=SOUND_RATE, layout="mono")
        for pixels in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode(None))
        if voice is not None and sound is not None:
            block = av.AudioFrame.from_ndarray(sound[None, :], format="fltp", layout="mono")
            block.sample_rate = SOUND_RATE
            container.mux(voice.encode(block))
            container.mux(voice.encode(None))
    return path


@pytest.fixture(scope="module")
def drawn() -> dict[str, tuple[Pictures, tuple[int, ...]]]:
    """Frames of clips of three kinds, and those that open a shot."""
    found = {}
    for kind in ("hard", "static", "dark"):
        path = CLIPS / f"{kind}.mp4"
        pictures = np.stack([shown.pixels for shown in frames(path, width=320)])
        found[kind] = (pictures, tuple(round(at * RATE) for at in clip_cuts(path)))
    return found


@pytest.fixture
def compared(tmp_path: Path, drawn: dict[str, tuple[Pictures, tuple[int, ...]]]) -> Callable[..., EditDifference]:
    """`compared(kind, takes)` encodes a clip and a cut of it and compares the files."""

    def compare(kind: str, takes: Sequence[Take | Pictures], *, heard: bool = True) -> EditDifference:
        pictures, _ = drawn[kind]
        sound, step = spoken(len(pictures)), SOUND_RATE // RATE
        shown = [pictures[take[0] : take[1]] if isinstance(take, tuple) else take for take in takes]
        audible = [
            sound[take[0] * step : take[1] * step]
            if isinstance(take, tuple)
            else np.zeros(len(take) * step, np.float32)
            for take in takes
        ]
        old = encode(tmp_path / "old.mp4", pictures, sound if heard else None, 20)
        new = encode(tmp_path / "new.mp4", np.concatenate(shown), np.concatenate(audible) if heard else None, 26)
        return compare_videos(old, new)

    return compare


def in_frames(difference: EditDifference) -> list[tuple[int, int, int]]:
    return [
        (round(span.old_start * RATE), round(span.new_start * RATE), round(span.seconds * RATE))
        for span in difference.shared
    ]


def kinds(difference: EditDifference) -> list[str]:
    return [change.kind for change in difference.changes]


@pytest.mark.slow
def test_the_same_video_encoded_again(compared: Callable[..., EditDifference]) -> None:
    for kind in ("hard", "static", "dark"):
        assert compared(kind, [(0, COUNT)]).changes == (), kind


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "heard"), [("hard", False), ("dark", True)])
def test_an_insert_a_deletion_a_trim_and_a_swap(
    compared: Callable[..., EditDifference],
    drawn: dict[str, tuple[Pictures, tuple[int, ...]]],
    kind: str,
    heard: bool,
) -> None:
    _, cuts = drawn[kind]
    foreign = np.random.default_rng(1).integers(0, 255, (40, 9, 16, 3), dtype=np.uint8)
    foreign = foreign.repeat(20, axis=1).repeat(20, axis=2)
    a, b, c, d = cuts[1], cuts[2], cuts[3], cuts[4]
    insert = compared(kind, [(0, b), foreign, (b, COUNT)], heard=heard)
    assert (in_frames(insert), kinds(insert)) == ([(0, 0, b), (b, b + 40, COUNT - b)], ["insert"])
    deletion = compared(kind, [(0, b), (c, COUNT)], heard=heard)
    assert (in_frames(deletion), kinds(deletion)) == ([(0, 0, b), (c, b, COUNT - c)], ["delete"])
    trim = compared(kind, [(0, b - 3), (b, COUNT)], heard=heard)
    assert (in_frames(trim), kinds(trim)) == ([(0, 0, b - 3), (b, b - 3, COUNT - b)], ["trim"])
    swap = compared(kind, [(0, a), (c, d), (b, c), (a, b), (d, COUNT)], heard=heard)
    assert kinds(swap) == ["swap", "swap"]
    assert in_frames(swap) == [(0, 0, a), (b, a + d - c, c - b), (d, d, COUNT - d)]


def test_a_still_shot_follows_what_moves_beside_it_and_is_not_fetched(
    compared: Callable[..., EditDifference], drawn: dict[str, tuple[Pictures, tuple[int, ...]]]
) -> None:
    """Slides: a whole one taken out, one made shorter at its end, and a black stretch that matches nothing."""
    pictures, cuts = drawn["static"]
    a, b = cuts[1], cuts[2]
    deletion = compared("static", [(0, a), (b, COUNT)], heard=False)
    assert (in_frames(deletion), kinds(deletion)) == ([(0, 0, a), (b, a, COUNT - b)], ["delete"])
    trim = compared("static", [(0, b - 10), (b, COUNT)], heard=False)
    assert trim.shared_seconds == pytest.approx((COUNT - 10) / RATE)
    assert [round(change.delta_seconds * RATE) for change in trim.changes] == [-10]
    black = np.zeros((50, *pictures.shape[1:]), dtype=np.uint8)
    dark = compared("static", [(0, a), black, (a, COUNT)], heard=False)
    assert (in_frames(dark), kinds(dark)) == ([(0, 0, a), (a, a + 50, COUNT - a)], ["insert"])


def test_a_word_cut_out_of_a_still_shot_is_found_by_its_sound(
    compared: Callable[..., EditDifference], drawn: dict[str, tuple[Pictures, tuple[int, ...]]]
) -> None:
    _, cuts = drawn["static"]
    start, end = max(pairwise(cuts), key=lambda shot: shot[1] - shot[0])
    middle = (start + end) // 2
    found = compared("static", [(0, middle - 10), (middle + 10, COUNT)])
    (change,) = found.changes
    assert change.delta_seconds == pytest.approx(-20 / RATE)
    assert change.at == pytest.approx((middle - 10) / RATE, abs=0.25)


@pytest.mark.parametrize("first_slide", [295.0, 280.0, 312.0])
def test_one_cut_of_flat_slides_is_one_change(tmp_path: Path, first_slide: float) -> None:
    """37 s from 5:00 on, of plain slides, each as long as no other: whole slides, parts of two, or the middle of one.

    In the middle of a slide no picture says where.
    """
    colours = np.random.default_rng(7).integers(0, 256, (80, 1, 1, 3)).astype(np.uint8)
    shades = np.broadcast_to(colours, (80, 36, 64, 3))
    opens = [0.0, *np.cumsum(7.0 + 0.37 * np.arange(60) % 5.0).tolist()]
    opens = [at for at in opens if at < first_slide - 3.0] + [first_slide]
    if first_slide != 280.0:
        opens += (first_slide + np.array([9.0, 21.0, 47.0])).tolist()
    opens += (350.0 + np.cumsum(8.0 + 0.41 * np.arange(20) % 6.0)).tolist()

    def slides(keep: list[float]) -> Iterator[NDArray[np.uint8]]:
        return (shades[int(np.searchsorted(opens, at + 1e-6, side="right")) - 1] for at in keep)

    times = (np.arange(2250) / 5.0).tolist()
    old = write_video(tmp_path / "old.mp4", slides(times), 5)
    new = write_video(tmp_path / "new.mp4", slides([at for at in times if not 300.0 <= at < 337.0]), 5)
    found = compare_videos(old, new)
    (change,) = found.changes
    assert change.delta_seconds == pytest.approx(-37.0, abs=0.2)
    if first_slide == 280.0:
        assert found.unsure == pytest.approx((280.0, 321.0), abs=0.4)
        assert 280.0 <= change.at <= 321.0
    else:
        assert change.at == pytest.approx(300.0, abs=0.2)
        assert found.unsure is None


def test_videos_with_nothing_in_common(tmp_path: Path, drawn: dict[str, tuple[Pictures, tuple[int, ...]]]) -> None:
    old = encode(tmp_path / "old.mp4", drawn["hard"][0], None, 20)
    new = encode(tmp_path / "new.mp4", drawn["dark"][0], None, 20)
    found = compare_videos(old, new)
    assert found.shared == ()
    assert kinds(found) == ["replace"]


def test_another_frame_rate_and_size(tmp_path: Path, drawn: dict[str, tuple[Pictures, tuple[int, ...]]]) -> None:
    """Within a frame of the old video, whose grid counts."""
    pictures, cuts = drawn["hard"]
    old = encode(tmp_path / "old.mp4", pictures, None, 20)
    taken = np.concatenate([pictures[: cuts[1]], pictures[cuts[2] :]])
    twice = taken[:, ::2, ::2].repeat(2, axis=0)
    new = encode(tmp_path / "new.mp4", np.ascontiguousarray(twice), None, 20, rate=50)
    found = compare_files(old, new)
    assert in_frames(found) == [(0, 0, cuts[1]), (cuts[2], cuts[1], COUNT - cuts[2])]


def test_a_file_without_a_picture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.mp4"
    path.write_text("no video")
    with pytest.raises(MediaError, match=r"text\.mp4"):
        compare_videos(path, path)


def patterned(path: Path) -> Path:
    """Two seconds of one pattern, one of black, two of another."""
    dice = np.random.default_rng(2)
    one, other = (dice.integers(0, 255, (9, 16, 3), dtype=np.uint8).repeat(20, axis=0).repeat(20, axis=1) for _ in "ab")
    return write_video(path, [*[one] * 50, *[np.zeros_like(one)] * 25, *[other] * 50], RATE)


def test_frames_cuts_and_black(tmp_path: Path) -> None:
    trace = trace_video(patterned(tmp_path / "video.mp4"))
    assert (float(trace.frame_rate), trace.frames) == (RATE, 125)
    assert np.flatnonzero(trace.blank).tolist() == list(range(50, 75))
    assert trace.cuts.size >= 1
    assert set(trace.cuts.tolist()) <= {50, 75}
    same, unlike = (np.linalg.norm(trace.picture[k] - trace.picture[0]) for k in (40, 100))
    assert same < 0.1
    assert unlike > 0.5
    assert np.ptp(trace.sound) == 0  # there is none


def test_the_grid_of_another_video(tmp_path: Path) -> None:
    trace = trace_video(patterned(tmp_path / "video.mp4"), Fraction(30_000, 1001))
    assert trace.frames == round(5 * 30_000 / 1001)
    assert np.flatnonzero(trace.blank)[0] == 60


def test_a_file_of_sound_alone_is_refused(tmp_path: Path) -> None:
    path = write_sounds(tmp_path / "sound.m4a", [np.zeros((1, 48_000), np.float32)], picture=None)
    with pytest.raises(MediaError, match=r"sound\.m4a: has no moving picture"):
        trace_video(path)
