"""Which sound streams of a file are its sound, by default and by choice, and how several become one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.videos import write_sounds
from workbench.errors import MediaError, ParameterError
from workbench.media.audio import count_seconds, decode, decode_blocks
from workbench.media.containers import open_media
from workbench.media.sound_streams import SoundChoice, SoundStreams, fold_down, sound_streams
from workbench.media.video_reader import PictureBlock, VideoLimits, open_video

RATE = 48_000
STEP = 2 / 32_768
"""of 16 bits, and a little"""


def tones(count: int, seconds: float = 2.0, rate: int = RATE) -> list[NDArray[np.float32]]:
    """Mono tones, no two of one pitch and loudness."""
    times = np.arange(round(seconds * rate)) / rate
    return [(0.1 * k * np.sin(2 * np.pi * 200 * k * times)).astype(np.float32)[None] for k in range(1, count + 1)]


def streams(path: Path, choice: str | None = None) -> SoundStreams:
    """The sound streams of a file."""
    with open_media(path) as container:
        return sound_streams(container, path, None if choice is None else SoundChoice.parse(choice))


def samples_of(path: Path, choice: str, rate: int | None = None, block_seconds: float = 10.0) -> NDArray[np.float32]:
    """The sound of streams that were chosen, and the same as a reader of videos gives it."""
    chosen = SoundChoice.parse(choice)
    blocks = list(decode_blocks(path, block_seconds, rate, chosen))
    for before, block in pairwise(blocks):
        assert block.start == pytest.approx(before.start + block_seconds)
    samples = np.concatenate([block.samples for block in blocks], axis=1)
    if rate is None:
        with open_video(path, VideoLimits(seconds=600.0, pictures_per_second=500.0), "none", chosen) as reader:
            read = [block.samples for block in reader.blocks(sound_seconds=block_seconds)
                    if not isinstance(block, PictureBlock)]  # fmt: skip
        np.testing.assert_array_equal(np.concatenate(read, axis=1), samples)
    return samples


def test_a_choice_is_read_as_it_is_written() -> None:
    for text, written in (("2", "2"), (" 3, 1 ,3", "1,3"), ("all", "all")):
        choice = SoundChoice.parse(text)
        assert (str(choice), SoundChoice.parse(str(choice))) == (written, choice)
    for wrong in ("", "0", "-1", "1,", "mic", "1-2", "1,all", "9" * 5000, "²"):
        with pytest.raises(ParameterError, match="chooses no sound streams; give 2, or 1,2, or all"):
            SoundChoice.parse(wrong)


def test_of_several_streams_a_player_plays_the_default_one(tmp_path: Path) -> None:
    named = [{"title": "Desktop"}, {"title": "Mic"}, {"language": "ger"}]
    path = write_sounds(tmp_path / "obs.mkv", tones(3), codec="pcm_s16le", tags=named)
    found = streams(path)
    assert found.in_words == "of 3 sound streams 1 (Desktop) is used"
    assert (dict(found.unused), found.choosable) == ({2: "2 (Mic)", 3: "3 (ger)"}, (2, 3))
    np.testing.assert_allclose(decode(path).samples, tones(1)[0], atol=STEP)
    assert streams(path, "1,3").in_words == "of 3 sound streams 1 (Desktop) and 3 (ger) are used"


def test_streams_that_are_chosen_are_added_up_in_stereo(tmp_path: Path) -> None:
    first, second, third = tones(3)
    stereo = np.concatenate([second, third])
    path = write_sounds(tmp_path / "a.mkv", [first, stereo, third], codec="pcm_s16le")
    np.testing.assert_allclose(samples_of(path, "2"), stereo, atol=STEP)
    np.testing.assert_allclose(samples_of(path, "all"), first + stereo + third, atol=3 * STEP)
    np.testing.assert_allclose(samples_of(path, "1,3"), np.repeat(first + third, 2, axis=0), atol=2 * STEP)


@pytest.mark.parametrize(("suffix", "count"), [(".mov", 2), (".mov", 4), (".mxf", 2), (".mxf", 8)])
def test_mono_streams_of_a_camera_are_left_and_right_in_turn(tmp_path: Path, suffix: str, count: int) -> None:
    tracks = tones(count)
    picture = "mpeg2video" if suffix == ".mxf" else "libx264"
    path = write_sounds(tmp_path / f"camera{suffix}", tracks, codec="pcm_s16le", picture=picture)
    pair = np.concatenate(tracks[:2])
    np.testing.assert_allclose(decode(path).samples, pair, atol=STEP)
    assert count_seconds(path) == decode(path).duration
    assert streams(path).choosable == tuple(range(3, count + 1))
    every = np.concatenate([sum(tracks[0::2]), sum(tracks[1::2])])
    np.testing.assert_allclose(samples_of(path, "all"), every, atol=count * STEP)
    np.testing.assert_allclose(samples_of(path, "2"), tracks[1], atol=STEP)
    if count > 3:
        np.testing.assert_allclose(samples_of(path, "3,4"), np.concatenate(tracks[2:4]), atol=STEP)


def test_languages_and_streams_of_other_kinds_are_no_pair(tmp_path: Path) -> None:
    mono = tones(2)
    languages = write_sounds(tmp_path / "a.mov", mono, tags=[{"language": "eng"}, {"language": "fra"}])
    delivery = write_sounds(tmp_path / "a.mp4", mono)
    music = write_sounds(tmp_path / "b.mov", [*tones(1), np.repeat(mono[1], 2, axis=0)], codec="pcm_s16le")
    short = write_sounds(tmp_path / "c.mov", [mono[0], mono[1][:, : RATE // 2]], codec="pcm_s16le")
    for path in (languages, delivery, music, short):
        assert len(streams(path).used) == 1
        assert decode(path).channels == 1


def test_streams_of_other_rates_and_starts_are_on_one_clock(tmp_path: Path) -> None:
    rates, times = (48_000, 44_100), np.arange(2 * RATE) / RATE
    sounds = [np.zeros((1, 2 * RATE), np.float32), tones(2, 1.0, 44_100)[1]]
    path = write_sounds(tmp_path / "a.mkv", sounds, codec="pcm_s16le", rates=rates, starts=(0.0, 1.0))
    samples = samples_of(path, "all")
    due = np.where(times >= 1, 0.2 * np.sin(2 * np.pi * 400 * (times - 1)), 0)
    assert samples.shape == (2, 2 * RATE)
    assert np.abs(samples[:, 200:-200] - due[200:-200]).max() < 0.01
    bare = write_sounds(tmp_path / "a.mka", sounds, codec="pcm_s16le", rates=rates, starts=(0.0, 1.0), picture=None)
    np.testing.assert_allclose(samples_of(bare, "all"), samples, atol=0.01)
    assert samples_of(path, "all", rate=16_000).shape == (2, 32_000)


def test_a_stream_may_end_long_before_another_or_begin_late(tmp_path: Path) -> None:
    long, short = tones(2, 20.0)
    path = write_sounds(tmp_path / "a.mkv", [long, short[:, :RATE]], codec="pcm_s16le", starts=(0.0, 15.0))
    samples = samples_of(path, "all", block_seconds=0.5)
    due = long.copy()
    due[:, 15 * RATE : 16 * RATE] += short[:, :RATE]
    np.testing.assert_allclose(samples, np.repeat(due, 2, axis=0), atol=2 * STEP)


@pytest.mark.parametrize("late", [80, 125])
def test_a_stream_may_stand_late_in_the_file(late: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Two streams of 130 s, of which the second one is written later than the first."""
    path, seconds = tmp_path / "a.mkv", 130
    with av.open(str(path), "w", container_options={"max_interleave_delta": "1"}) as container:
        packets = []
        for level in (1000, 2000):
            stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
            frame = av.AudioFrame.from_ndarray(np.full((1, 8000), level, np.int16), "s16", "mono")
            frame.sample_rate, frame.time_base = 8000, Fraction(1, 8000)
            for second in range(seconds):
                frame.pts = 8000 * second
                packets += [(second + late * (level > 1000), packet) for packet in stream.encode(frame)]
        for _, packet in sorted(packets, key=lambda timed: timed[0]):
            container.mux_one(packet)
    sound = samples_of(path, "all", block_seconds=1.0)
    levels = np.rint(32768 * sound[0, RATE // 2 :: RATE]).astype(int).tolist()
    lost = levels.index(3000)
    assert levels == lost * [1000] + (seconds - lost) * [3000]
    assert lost in (range(4, 11) if late > 120 else [0])
    assert ("sound stream 2 comes more than 120 s after another one" in caplog.text) == bool(lost)


def test_a_stream_that_there_is_not_is_named_with_those_there_are(tmp_path: Path) -> None:
    path = write_sounds(tmp_path / "a.mkv", tones(2), tags=[{"title": "Desktop"}, {"title": "Mic"}])
    with pytest.raises(MediaError, match=r"no sound stream 3 to use; its sound streams are 1 \(Desktop\), 2 \(Mic\)"):
        samples_of(path, "2,3")


def test_centre_and_surrounds_fold_down_as_broadcasters_do() -> None:
    folded = fold_down(np.eye(6, dtype=np.float32))
    half = 0.5**0.5
    np.testing.assert_allclose(folded, [[1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half]], atol=1e-6)
    np.testing.assert_array_equal(fold_down(np.ones((1, 3), np.float32)), np.ones((2, 3)))
