"""Videos as phones, editors, cameras and bad days make them: each is read right, or refused with one clear line."""

from __future__ import annotations

import resource
import struct
import time
import zipfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
from av.stream import Disposition
from numpy.typing import NDArray

from tests.videos import write_sounds
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError
from workbench.media.probe import MediaInfo
from workbench.media.video import frames, still
from workbench.media.video_reader import PictureBlock, VideoLimits, fitting_thoroughness, open_video, pictures_within
from workbench.store.home import Home
from workbench.video.picture import Picture
from workbench.video.picture_meter import PictureMeter

RATE = 48_000
LIMITS = VideoLimits(seconds=3600.0, pictures_per_second=500.0)
CUTS = (2.0, 3.2)
"""where the scenes of `scene` change, video seconds"""


def scene(t: float, width: int = 160, height: int = 90) -> NDArray[np.uint8]:
    """Three unlike textures that drift slowly, RGB."""
    number = sum(t >= cut - 1e-6 for cut in CUTS)
    dice = np.random.default_rng(number)
    coarse = dice.uniform(20, 235, (12, 20, 3))
    rows = (np.arange(height) * 10 / height + 0.5 * t).astype(int) % 12
    columns = (np.arange(width) * 18 / width + 0.3 * t).astype(int) % 20
    pixels: NDArray[np.uint8] = coarse[rows][:, columns].astype(np.uint8)
    return pixels


def write(
    path: Path,
    times: list[Fraction],
    *,
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    size: tuple[int, int] = (160, 90),
    sounds: tuple[tuple[float, float], ...] = ((0.0, 5.0),),
    options: dict[str, str] | None = None,
    prepare: Callable[[av.VideoStream], None] | None = None,
    sound_codec: str = "aac",
    default_sound: int = 0,
    sound_first: bool = False,
) -> Path:
    """A video that shows `scene` at those times; of each sound (start, seconds) with a click every second of video."""
    with av.open(str(path), "w") as output:
        tracks = [output.add_stream(sound_codec, rate=RATE, layout="stereo") for _ in sounds if sound_first]
        video = output.add_stream(codec, rate=25, options={"g": "25", **_quick(codec), **(options or {})})
        assert isinstance(video, av.VideoStream)
        video.width, video.height, video.pix_fmt = *size, pix_fmt
        video.codec_context.time_base = Fraction(1, 1000)
        if prepare is not None:
            prepare(video)
        tracks = tracks or [output.add_stream(sound_codec, rate=RATE, layout="stereo") for _ in sounds]
        for number, track in enumerate(tracks if len(tracks) > 1 else ()):
            track.disposition = Disposition.default if number == default_sound else Disposition(0)
        for at in times:
            frame = av.VideoFrame.from_ndarray(scene(float(at - times[0]), *size), "rgb24").reformat(format=pix_fmt)
            frame.pts, frame.time_base = int(at * 1000), Fraction(1, 1000)
            output.mux(video.encode(frame))
        for track, (start, seconds) in zip(tracks, sounds, strict=True):
            assert isinstance(track, av.AudioStream)
            samples = np.zeros((2, round(seconds * RATE)), np.float32)
            for second in range(1, 10):
                place = round((second - start) * RATE)
                if 0 <= place < samples.shape[1] - 40:
                    samples[:, place : place + 40] = 0.8
            for at_sample in range(0, samples.shape[1], 1024):
                block = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[:, at_sample : at_sample + 1024]),
                                                   "fltp", "stereo")  # fmt: skip
                block.sample_rate, block.time_base = RATE, Fraction(1, RATE)
                block.pts = at_sample + round(start * RATE)
                output.mux(track.encode(block))
            output.mux(track.encode(None))
        output.mux(video.encode(None))
    return path


def _quick(codec: str) -> dict[str, str]:
    return {"preset": "ultrafast"} if codec == "libx264" else {}


def steady(fps: int = 25, seconds: float = 5.0, start: float = 0.0) -> list[Fraction]:
    return [Fraction(round(start * 1000), 1000) + Fraction(k, fps) for k in range(round(seconds * fps))]


def measured(path: Path) -> tuple[MediaInfo, Picture | None, NDArray[np.float32], int]:
    """What one pass finds: facts, picture, and the sound with its rate."""
    meter, sounds, rate = PictureMeter(), [np.zeros(0, np.float32)], 0
    with open_video(path, LIMITS) as video:
        for block in video.blocks():
            if isinstance(block, PictureBlock):
                meter.add(block.times, block.luma, block.chroma)
            else:
                rate = block.sample_rate
                sounds.append(np.asarray(block.samples.mean(axis=0), np.float32))
        info = video.info()
    return info, meter.picture(info.duration) if info.has_video else None, np.concatenate(sounds), rate


def cuts_of(path: Path) -> list[float]:
    picture = measured(path)[1]
    assert picture is not None
    return [round(float(at), 3) for at in picture.cuts]


def clicks(sound: NDArray[np.float32], rate: int) -> list[float]:
    """Seconds at which something is heard after silence."""
    loud = np.flatnonzero(np.abs(sound) > 0.2)
    firsts = loud[np.diff(loud, prepend=-rate) > rate // 4]
    return [float(first) / rate for first in firsts]


def test_cuts_and_clicks_of_a_plain_video(tmp_path: Path) -> None:
    info, picture, sound, rate = measured(write(tmp_path / "plain.mp4", steady()))
    assert picture is not None
    assert [round(float(at), 3) for at in picture.cuts] == list(CUTS)
    assert info.duration == pytest.approx(5.0, abs=0.002)
    assert clicks(sound, rate) == pytest.approx([1, 2, 3, 4], abs=0.002)


def test_streams_may_come_in_any_order(tmp_path: Path) -> None:
    """Decoders of pictures that refer to later ones hold some back until the end of the file: none may be lost."""
    held_back = {"preset": "medium", "bf": "3"}
    usual, other = (
        measured(write(tmp_path / f"{order}.mp4", steady(), options=held_back, sound_first=order == "sound-first"))
        for order in ("picture-first", "sound-first")
    )
    assert usual[1] is not None
    assert other[1] is not None
    assert other[1].times.size == usual[1].times.size == 125
    assert other[1].cuts.tolist() == usual[1].cuts.tolist()
    assert clicks(other[2], other[3]) == clicks(usual[2], usual[3])


def test_a_changing_frame_rate_keeps_its_time_stamps(tmp_path: Path) -> None:
    times = steady(30, 2.0)
    times += [2 + Fraction(k, 10) for k in range(12)]
    times += [Fraction(32, 10) + Fraction(k, 60) for k in range(90)]
    for name in ("variable.mp4", "variable.mkv"):
        info, picture, _, _ = measured(write(tmp_path / name, times, sounds=()))
        assert picture is not None
        assert picture.cuts == pytest.approx(CUTS, abs=0.002)
        assert picture.times[-1] == pytest.approx(float(times[-1]), abs=0.002)
        assert info.fps == pytest.approx(len(times) / info.duration, rel=0.01)


def test_a_rotated_video_has_its_shown_size(tmp_path: Path) -> None:
    path = write(tmp_path / "upright.mp4", steady(), sounds=())
    data = bytearray(path.read_bytes())
    box = data.index(b"tkhd") + 4
    version = data[box]
    matrix = box + (52 if version == 1 else 40)
    data[matrix : matrix + 36] = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30)
    path.write_bytes(data)
    info, picture, _, _ = measured(path)
    assert (info.width, info.height) == (90, 160)
    assert picture is not None
    assert picture.cuts == pytest.approx(CUTS, abs=0.002)


def test_an_edit_list_that_skips_the_beginning_moves_the_clock(tmp_path: Path) -> None:
    path = write(tmp_path / "edited.mp4", steady(), sounds=((0.0, 5.0),), options={"bf": "0"})
    data = bytearray(path.read_bytes())
    movie_timescale = struct.unpack_from(">I", data, data.index(b"mvhd") + 16)[0]
    at = -1
    for _ in range(data.count(b"elst")):
        at = data.index(b"elst", at + 1)
        assert struct.unpack_from(">I", data, at + 8)[0] == 1
        length, media = struct.unpack_from(">Ii", data, at + 12)
        timescale = struct.unpack_from(">I", data, data.index(b"mdhd", at) + 16)[0]
        struct.pack_into(">Ii", data, at + 12, length - movie_timescale, media + timescale)
    path.write_bytes(data)
    info, picture, sound, rate = measured(path)
    assert picture is not None
    assert info.duration == pytest.approx(4.0, abs=0.05)
    assert picture.cuts == pytest.approx([at - 1.0 for at in CUTS], abs=0.002)
    assert clicks(sound, rate)[-3:] == pytest.approx([1, 2, 3], abs=0.03)


@pytest.mark.parametrize(
    ("name", "start", "sound_start"),
    [("late.mp4", 0.0, 0.5), ("late.mkv", 0.0, 0.5), ("early.mkv", 0.7, 0.0), ("both.ts", 0.4, 0.9)],
)
def test_sound_stays_on_the_pictures_clock(tmp_path: Path, name: str, start: float, sound_start: float) -> None:
    path = write(tmp_path / name, steady(start=start), sounds=((sound_start, 6.0),))
    _, picture, sound, rate = measured(path)
    assert picture is not None
    assert picture.times[0] == 0.0
    assert picture.cuts == pytest.approx(CUTS, abs=0.002)
    expected = [second - start for second in range(1, 6) if second > max(sound_start, start) + 0.01]
    # MPEG-TS has no field for the encoder's delay, one AAC frame.
    assert clicks(sound, rate)[: len(expected)] == pytest.approx(expected, abs=0.025 if name.endswith(".ts") else 0.003)


def test_odd_pixels_are_shown_square(tmp_path: Path) -> None:
    def widen(stream: av.VideoStream) -> None:
        stream.codec_context.sample_aspect_ratio = Fraction(64, 45)

    info = measured(write(tmp_path / "pal.mkv", steady(), sounds=(), prepare=widen))[0]
    assert (info.width, info.height) == (round(160 * 64 / 45), 90)


@pytest.mark.parametrize("pix_fmt", ["yuv420p10le", "yuv444p", "yuv422p10le", "nv12", "gray"])
def test_planes_of_all_kinds_give_the_same_cuts(tmp_path: Path, pix_fmt: str) -> None:
    plain = measured(write(tmp_path / "plain.mkv", steady(), sounds=()))[1]
    other = measured(write(tmp_path / "other.mkv", steady(), sounds=(), pix_fmt=pix_fmt))[1]
    assert plain is not None
    assert other is not None
    assert other.cuts == pytest.approx(CUTS, abs=0.002)
    assert other.brightness == pytest.approx(plain.brightness, abs=0.02)
    if pix_fmt == "gray":
        assert other.colourfulness.max() < 0.01
    else:
        assert other.colourfulness == pytest.approx(plain.colourfulness, abs=0.03)


@pytest.mark.parametrize(
    ("codec", "pix_fmt"),
    [("ffv1", "bgr0"), ("mjpeg", "yuvj420p"), ("qtrle", "rgb24"), ("mpeg4", "yuv420p")],
)
def test_other_codecs_and_colour_models(tmp_path: Path, codec: str, pix_fmt: str) -> None:
    suffix = "mov" if codec == "qtrle" else "mkv"
    assert cuts_of(write(tmp_path / f"video.{suffix}", steady(), codec=codec, pix_fmt=pix_fmt, sounds=())) == list(CUTS)


def test_interlaced_pictures_have_no_false_cuts(tmp_path: Path) -> None:
    def broadcast(stream: av.VideoStream) -> None:
        stream.codec_context.time_base = Fraction(1, 25)

    path = write(tmp_path / "interlaced.mkv", steady(), codec="mpeg2video", sounds=(), prepare=broadcast,
                 options={"flags": "+ildct+ilme"})  # fmt: skip
    assert cuts_of(path) == list(CUTS)


@pytest.mark.parametrize(("default", "heard"), [(0, [1, 2, 3, 4]), (1, [1, 2])])
def test_of_several_sounds_the_default_is_heard(tmp_path: Path, default: int, heard: list[int]) -> None:
    path = write(tmp_path / "two.mkv", steady(), sounds=((0.0, 5.0), (0.0, 2.5)), default_sound=default)
    _, _, sound, rate = measured(path)
    assert clicks(sound, rate) == pytest.approx(heard, abs=0.003)


def test_a_file_of_sound_alone_has_no_picture(tmp_path: Path) -> None:
    path = write_sounds(tmp_path / "track.m4a", [np.zeros((1, RATE), np.float32)], picture=None)
    info, picture, sound, rate = measured(path)
    assert not info.has_video
    assert picture is None
    assert sound.size == pytest.approx(rate, rel=0.03)


def test_a_long_video_is_read_in_part_and_again_where_it_matters(tmp_path: Path) -> None:
    path = write(tmp_path / "long.mp4", steady(), options={"bf": "2"})
    pixels = 160 * 90 * 125 / 1e9
    assert fitting_thoroughness(path, 1.1 * pixels) == "all"
    assert fitting_thoroughness(path, 0.9 * pixels) == "references"
    early, late = pictures_within(path, [(0.0, 0.08), (3.12, 3.24)], most=1000)
    assert early.times == pytest.approx([0.0, 0.04, 0.08], abs=0.002)
    assert late.times == pytest.approx([3.12, 3.16, 3.2, 3.24], abs=0.002)
    assert np.abs(np.diff(late.luma, axis=0)).mean(axis=(1, 2)).argmax() == 1
    assert not list(pictures_within(path, [(1.0, 1.2)], most=-1))


def test_a_torn_video_is_what_is_there(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.ts", steady(), sounds=())
    torn = tmp_path / "torn.ts"
    torn.write_bytes(whole.read_bytes()[: whole.stat().st_size * 7 // 10])
    info, picture, _, _ = measured(torn)
    assert picture is not None
    assert 2.0 < info.duration < 4.9
    assert picture.cuts[0] == pytest.approx(2.0, abs=0.002)


@pytest.fixture
def spent() -> Iterator[None]:
    """Holds a test to bounded time and memory."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    yield
    assert time.process_time() - started < 20.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024


def _refused(path: Path) -> str:
    with pytest.raises(MediaError) as caught:
        measured(path)
    text = str(caught.value)
    assert path.name in text
    assert "\n" not in text
    return text


@pytest.mark.usefixtures("spent")
def test_what_is_no_video_is_refused_in_one_line(tmp_path: Path) -> None:
    archive = tmp_path / "holiday.mp4"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("readme.txt", "not a video" * 1000)
    _refused(archive)
    noise = tmp_path / "noise.mkv"
    noise.write_bytes(np.random.default_rng(3).bytes(1 << 20))
    _refused(noise)
    headless = tmp_path / "headless.mp4"
    headless.write_bytes(write(tmp_path / "whole.mp4", steady(), sounds=()).read_bytes()[:6000])
    _refused(headless)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["headless.mp4", "holiday.mp4", "noise.mkv", "whole.mp4"]


@pytest.mark.usefixtures("spent")
def test_a_thousand_million_claimed_pictures_reserve_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "boast.mp4", steady(), sounds=())
    data = bytearray(path.read_bytes())
    table = data.index(b"stts")
    assert struct.unpack_from(">I", data, table + 8)[0] >= 1
    struct.pack_into(">I", data, table + 12, 1_000_000_000)
    sizes = data.index(b"stsz")
    struct.pack_into(">I", data, sizes + 12, 1_000_000_000)
    path.write_bytes(data)
    outcome = _outcome(path)
    assert path.name in outcome if isinstance(outcome, str) else outcome.duration < 10.0


@pytest.mark.usefixtures("spent")
def test_time_stamps_that_never_end_are_refused(tmp_path: Path) -> None:
    times = [Fraction(k * 100) for k in range(60)]
    assert "more than 3600 s" in _refused(write(tmp_path / "endless.mkv", times, sounds=()))


@pytest.mark.usefixtures("spent")
def test_sound_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "drone.mkv", steady(seconds=1.0), sounds=((0.0, 20.0),))
    with (
        pytest.raises(MediaError, match="its sound goes on for more than 5 s"),
        open_video(path, VideoLimits(5.0, 500.0)) as video,
    ):
        list(video.blocks(sound_seconds=1.0))


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize("suffix", ["mp4", "mkv", "ts", "avi"])
def test_a_video_cut_short_is_what_is_left_or_refused_and_nothing_stays(tmp_path: Path, suffix: str) -> None:
    codec, sound_codec = ("mpeg4", "mp2") if suffix == "avi" else ("libx264", "aac")
    whole = write(tmp_path / f"whole.{suffix}", steady(), codec=codec, sound_codec=sound_codec).read_bytes()
    for share in (0.02, 0.3, 0.6):
        path, home = tmp_path / f"short.{suffix}", tmp_path / f"home-{share}"
        path.write_bytes(whole[: round(share * len(whole))])
        try:
            seconds, refusal = analyze_video(Workspace(Home(home)), path).duration, ""
        except MediaError as error:
            seconds, refusal = None, str(error)
        if seconds is not None:
            assert 0.0 < seconds < 5.0
            continue
        assert path.name in refusal
        assert "\n" not in refusal
        # The store counts what it did not have; nothing else is kept of a video that was refused.
        assert {left.name for left in home.rglob("*") if left.is_file()} <= {"misses.count"}


@pytest.mark.usefixtures("spent")
def test_more_pictures_than_a_second_holds_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "swarm.mkv", steady(250, 4.0), size=(32, 32), sounds=())
    with (
        pytest.raises(MediaError, match="more than 60 pictures a second"),
        open_video(path, VideoLimits(60.0, 60.0)) as video,
    ):
        list(video.blocks())


@pytest.mark.usefixtures("spent")
def test_pictures_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wall.avi"
    with av.open(str(path), "w") as output:
        video = output.add_stream("ffv1", rate=25)
        assert isinstance(video, av.VideoStream)
        video.width, video.height, video.pix_fmt = 64, 64, "yuv420p"
        output.mux(video.encode(av.VideoFrame.from_ndarray(np.zeros((96, 64), np.uint8), "yuv420p")))
        output.mux(video.encode(None))
    data = bytearray(path.read_bytes())
    header = data.index(b"strf") + 8
    struct.pack_into("<ii", data, header + 4, 30_000, 30_000)
    path.write_bytes(data)
    _refused(path)


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize("seed", range(6))
def test_damaged_bytes_give_an_answer_or_one_line(tmp_path: Path, seed: int) -> None:
    suffix = ("mp4", "mkv", "ts")[seed % 3]
    path = write(tmp_path / f"hurt.{suffix}", steady())
    data = bytearray(path.read_bytes())
    dice = np.random.default_rng(seed)
    places = dice.integers(0, 4000 if seed < 3 else len(data), 60)
    if suffix == "mp4" and seed < 3:
        places = data.index(b"moov") + dice.integers(0, 1500, 60)
    for place in places:
        data[int(place) % len(data)] = int(dice.integers(256))
    path.write_bytes(data)
    outcome = _outcome(path)
    assert isinstance(outcome, MediaInfo) or (path.name in outcome and "\n" not in outcome)


def _outcome(path: Path) -> MediaInfo | str:
    try:
        return measured(path)[0]
    except MediaError as error:
        return str(error)


class TestPictures:
    @pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
    def test_each_picture_with_its_time(self, tmp_path: Path, suffix: str, video: Callable[..., Path]) -> None:
        seen = list(frames(video(tmp_path / f"a{suffix}"), width=80))
        assert [picture.video_s for picture in seen] == pytest.approx([i / 25 for i in range(75)], abs=1e-3)
        assert seen[0].pixels.shape == (45, 80, 3)
        brightness = [float(picture.pixels.mean()) for picture in seen]
        np.testing.assert_allclose(brightness, np.arange(75) + 20, atol=3)

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
