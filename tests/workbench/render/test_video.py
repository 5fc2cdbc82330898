"""Videos: the picture stays as it is, flash and click stay together, the mix is applied in its order."""

import re
import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import av
import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.videos import read_numbers, write_divx, write_numbered
from tests.workbench.played import make_plan
from workbench.errors import MediaError, ParameterError, PlanError
from workbench.features.loudness import true_peak_db
from workbench.media.audio import decode
from workbench.media.probe import probe
from workbench.media.video import frames
from workbench.params import RenderParams
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.render.playback import render
from workbench.render.schedule import place_track
from workbench.render.sound_levels import measure_levels
from workbench.render.video import Playback, Stem, play_video, render_audio, render_video
from workbench.results.plan import plan_body

RATE, FPS, SECONDS = 48_000, 25, 12
EVENTS = (2.0, 6.0, 9.0)  # s of video time: a white frame and a click


@dataclass(frozen=True)
class Duck:
    envelope_points: tuple[tuple[float, float], ...] = ()
    speech_ranges: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Mix:
    music_gain_db: float | None = None
    video_gain_db: float | None = None
    duck: Duck | None = field(default=None)


def make_video(
    path: Path,
    *,
    codec: str = "libx264",
    shift_s: float = 0.0,
    sound: bool = True,
    sound_codec: str = "aac",
    options: dict[str, str] | None = None,
    audio_late_s: float = 0.0,
) -> Path:
    """A video of black frames; at each event one white frame and a click. All time stamps are moved by `shift_s`."""
    with av.open(str(path), "w") as video:
        picture = video.add_stream(codec, rate=FPS, options=options or {})
        assert isinstance(picture, av.VideoStream)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        track = video.add_stream(sound_codec, rate=RATE, layout="mono") if sound else None
        assert track is None or isinstance(track, av.AudioStream)
        samples = np.zeros((1, SECONDS * RATE), dtype=np.float32)
        for event in EVENTS:
            at = round(event * RATE)
            samples[0, at : at + 96] = 0.5 * np.sin(2 * np.pi * 3000 * np.arange(96) / RATE)
        samples = samples[:, round(audio_late_s * RATE) :]
        for n in range(SECONDS * FPS):
            white = any(round(event * FPS) == n for event in EVENTS)
            pixels = np.full((48, 64, 3), 255 if white else 0, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
            frame.pts = n + round(shift_s * FPS)
            video.mux(picture.encode(frame))
            if track and n % FPS == 0:
                piece = np.ascontiguousarray(samples[:, n // FPS * RATE : (n // FPS + 1) * RATE])
                audio = av.AudioFrame.from_ndarray(piece, format="fltp", layout="mono")
                audio.sample_rate, audio.pts = RATE, n // FPS * RATE + round((shift_s + audio_late_s) * RATE)
                video.mux(track.encode(audio))
        video.mux(picture.encode(None))
        if track:
            video.mux(track.encode(None))
    return path


def test_the_renderer_that_the_book_shows_clients_plays_what_is_played(
    reference: ModuleType, video: Path, plan: LoopPlan
) -> None:
    """Music at another channel count than the soundtrack, ducked, beside the soundtrack at its level."""
    noise = np.random.default_rng(1).standard_normal((1, 8 * RATE)).astype(np.float32)
    recording = Recording.from_samples(0.05 * noise, RATE)
    points = ((2.0, 0.0), (2.4, 12.0), (5.0, 12.0), (6.5, 0.0))
    levels = Mix(music_gain_db=-3.0, video_gain_db=2.5, duck=Duck(points, ((2.5, 4.9),)))
    played = np.concatenate(list(play_video(Playback(plan, recording, levels), video)), axis=1)
    music = np.repeat(reference.play(plan_body(plan).to_json(), recording.samples, RATE), 2, axis=0)
    soundtrack = np.repeat(decode(video).samples[:1], 2, axis=0)[:, : music.shape[1]]
    soundtrack = np.pad(soundtrack, ((0, 0), (0, music.shape[1] - soundtrack.shape[1])))
    body = {"music_gain_db": -3.0, "video_gain_db": 2.5, "duck": {"envelope_points": [list(one) for one in points]}}
    assert np.abs(reference.mix_down(music, soundtrack, RATE, body) - played).max() < 1e-4
    assert reference.LINES <= 60


def test_music_of_a_mix_and_its_soundtrack_add_up_to_the_mix(video: Path, plan: LoopPlan, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).standard_normal((1, 8 * RATE)).astype(np.float32)
    recording = Recording.from_samples(0.05 * noise, RATE)
    levels = Mix(music_gain_db=-3.0, video_gain_db=2.5, duck=Duck(((2.0, 0.0), (2.4, 12.0)), ((2.5, 4.9),)))
    music = decode(render_audio(Playback(plan, recording, levels), tmp_path / "music.wav")).samples
    silent = Recording.from_samples(0.0 * noise, RATE)
    soundtrack = np.concatenate(list(play_video(Playback(plan, silent, levels), video)), axis=1)[:, : music.shape[1]]
    mixed = np.concatenate(list(play_video(Playback(plan, recording, levels), video)), axis=1)[:, : music.shape[1]]
    assert music.shape == (2, round(plan.window_end * RATE))
    assert np.abs(music + soundtrack - mixed).max() < 2.0**-14  # a step of 16 bits and its dither


def stem_of(recording: Recording, out: Path, *, is_ducked: bool = True) -> Stem:
    return Stem(out.stem, out, recording, is_ducked, out)


@pytest.mark.parametrize("levels", [None, Mix(music_gain_db=9.0)], ids=["bare", "mixed"])
def test_stems_add_up_to_the_render_of_the_track(plan: LoopPlan, tmp_path: Path, levels: Mix | None) -> None:
    """Also where the limiter works: it lowers all of them by what their sum needs."""
    parts = 0.3 * np.random.default_rng(1).standard_normal((2, 2, 8 * RATE)).astype(np.float32)
    track = Recording.from_samples(parts.sum(axis=0), RATE)
    stems = [stem_of(Recording.from_samples(part, RATE), tmp_path / f"{k}.wav") for k, part in enumerate(parts)]
    whole = decode(render_audio(Playback(plan, track, levels), tmp_path / "track.wav", limit=True))
    mixed = decode(render_audio(Playback(plan, track, levels, stems=stems), tmp_path / "mix.wav", limit=True))
    added = np.sum([decode(tmp_path / f"{k}.wav").samples for k in (0, 1)], axis=0)
    assert true_peak_db(whole.samples) == pytest.approx(-1.0, abs=0.1), "it is limited"
    assert np.abs(mixed.samples - whole.samples).max() < 1e-4  # -80 dBFS
    assert np.abs(added - whole.samples).max() < 1e-4


def test_a_stem_that_is_not_ducked_stays_as_loud_as_it_is(plan: LoopPlan, tmp_path: Path) -> None:
    parts = 0.05 * np.random.default_rng(1).standard_normal((2, 1, 8 * RATE)).astype(np.float32)
    drums, rest = (Recording.from_samples(part, RATE) for part in parts)
    track = Recording.from_samples(parts.sum(axis=0), RATE)
    levels = Mix(music_gain_db=-3.0, duck=Duck(((2.0, 0.0), (2.4, 12.0), (6.0, 12.0), (7.0, 0.0)), ((2.5, 5.9),)))
    stems = (stem_of(drums, tmp_path / "drums.wav", is_ducked=False), stem_of(rest, tmp_path / "rest.wav"))
    render_audio(Playback(plan, track, levels, stems=stems), tmp_path / "mix.wav")
    for stem, alone in zip(stems, (replace(levels, duck=None), levels), strict=True):
        expected = decode(render_audio(Playback(plan, stem.recording, alone), tmp_path / "alone.wav")).samples
        assert (
            np.abs(decode(stem.out or tmp_path).samples - expected).max() < 2.0**-14
        )  # a step of 16 bits and its dither


def flashes(path: Path) -> list[float]:
    """Video times of the white frames."""
    return [picture.video_s for picture in frames(path, width=16) if picture.pixels.mean() > 128]


def clicks(path: Path) -> list[float]:
    """Video times of the sounds, on the clock that the pictures have."""
    sound = decode(path)
    level = np.abs(sound.mono())
    loud = np.flatnonzero(level > 0.3 * level.max())
    return [float(loud[0] / sound.sample_rate)] + [
        float(b / sound.sample_rate) for a, b in pairwise(loud) if b - a > RATE // 10
    ]


def packets(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


@pytest.fixture(scope="session")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_video(tmp_path_factory.mktemp("videos") / "video.mp4")


@pytest.fixture(scope="session")
def track() -> Recording:
    """Eight seconds of quiet noise at 44.1 kHz, mono, dull enough for AAC to keep its level."""
    noise = np.random.default_rng(0).standard_normal(8 * 44_100)
    dull = np.convolve(noise, np.hanning(33) / np.hanning(33).sum(), mode="same")
    return Recording.from_samples(0.05 * dull[None], 44_100)


@pytest.fixture(scope="session")
def plan() -> LoopPlan:
    return make_plan([(0.0, 6.0, 0.0, 0.0), (1.0, 7.0, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0, end_fade=1.0)


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv"])
def test_the_picture_is_copied_and_sound_stays_in_step(
    video: Path, plan: LoopPlan, track: Recording, tmp_path: Path, suffix: str
) -> None:
    told: list[float] = []
    out = render_video(Playback(plan, track), video, tmp_path / f"video{suffix}", progress=told.append)
    assert packets(out) == packets(video)
    assert flashes(out) == pytest.approx(EVENTS, abs=0.001)
    assert clicks(out) == pytest.approx(EVENTS, abs=0.001)
    info = probe(out)
    assert info.duration == pytest.approx(SECONDS, abs=0.001)
    assert info.audio_duration == pytest.approx(SECONDS, abs=0.03)
    assert (info.sample_rate, info.channels, info.audio_codec) == (48_000, 2, "aac")
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0, abs=0.02)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("late.mkv", {"shift_s": 3.2}),
        ("late.ts", {"shift_s": 0.4}),
        ("no_b_frames.mp4", {"options": {"bf": "0"}}),
        ("many_b_frames.mp4", {"options": {"bf": "6", "g": "50"}}),
        ("opus.mkv", {"sound_codec": "libopus"}),
        ("late_sound.mp4", {"audio_late_s": 0.5}),
        ("mpeg4.avi", {"codec": "mpeg4", "sound_codec": "libmp3lame"}),
    ],
)
def test_videos_with_clocks_of_their_own(
    plan: LoopPlan, track: Recording, tmp_path: Path, name: str, arguments: dict[str, Any]
) -> None:
    """Wherever a container lets its pictures start, flash and click meet in the result, at the time of the source."""
    source = make_video(tmp_path / name, **arguments)
    out = render_video(Playback(plan, track), source, tmp_path / "video.mp4")
    assert flashes(out) == pytest.approx(flashes(source), abs=0.001)
    assert clicks(out) == pytest.approx(clicks(source), abs=0.001)
    assert len(flashes(out)) == len(EVENTS)
    with av.open(str(out)) as container:
        assert container.streams.video[0].start_time == 0


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
@pytest.mark.parametrize(
    ("name", "codec", "sound"),
    [
        ("a.mp4", "libx264", "aac"),
        ("a.mov", "libx265", "pcm_s16le"),
        ("a.mkv", "libx264", "libopus"),
        ("a.webm", "libvpx-vp9", "libopus"),
        ("h264.avi", "libx264", "libmp3lame"),
        ("mpeg4.avi", "mpeg4", "libmp3lame"),
        ("divx.avi", "divx", None),
        ("a.ts", "libx264", "aac"),
        ("joined.ts", "libx264", "aac"),
        ("a.mpg", "mpeg2video", "mp2"),
        ("joined.vob", "mpeg2video", "mp2"),
        ("a.mxf", "mpeg2video", "pcm_s16le"),
        ("a.flv", "libx264", "aac"),
        ("a.h264", "libx264", None),
        ("a.h265", "libx265", None),
    ],
)
def test_all_pictures_come_in_their_order_and_at_their_times(
    name: str, codec: str, sound: str | None, suffix: str, track: Recording, tmp_path: Path
) -> None:
    source, count = tmp_path / name, 51
    if codec == "divx":
        write_divx(source, count)
    elif name.startswith("joined"):
        first = write_numbered(tmp_path / f"first{source.suffix}", 26, codec=codec, sound=sound)
        second = write_numbered(tmp_path / f"second{source.suffix}", 25, first=26, codec=codec, sound=sound)
        source.write_bytes(first.read_bytes() + second.read_bytes())
    else:
        write_numbered(source, count, codec=codec, sound=sound)
    short = make_plan([(0.0, 1.0, 0.0, 0.0), (0.5, 1.5, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
    out = render_video(Playback(short, track), source, tmp_path / f"out{suffix}")
    numbers, times = read_numbers(out)
    assert numbers == list(range(count))
    assert times == pytest.approx([number / 25 for number in numbers], abs=0.041 if name == "joined.vob" else 0.002)


@pytest.mark.parametrize(("suffix", "b_frames"), [(".mp4", 0), (".mp4", 2), (".mov", 2), (".mkv", 2)])
def test_the_last_picture_stays_while_sound_goes_on(
    suffix: str, b_frames: int, track: Recording, tmp_path: Path
) -> None:
    source = write_numbered(tmp_path / "a.mp4", 50, sound_seconds=5.0, b_frames=b_frames)
    music = make_plan([(0.0, 3.0, 0.0, 0.0), (1.0, 3.0, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
    out = render_video(Playback(music, track), source, tmp_path / f"out{suffix}")
    assert read_numbers(out)[0] == list(range(50))
    assert probe(out).duration == pytest.approx(5.0, abs=0.03)
    with av.open(str(out)) as container:
        assert container.duration is not None
        # A Matroska file of FFmpeg 8.1 counts the encoder's first 21 ms, which are not played, and its last packet.
        assert container.duration / av.time_base == pytest.approx(5.0, abs=0.04)
        picture = container.streams.video[0]
        if picture.duration is not None and picture.time_base is not None:
            assert float(picture.duration * picture.time_base) == pytest.approx(5.0, abs=0.03)


def test_pictures_that_only_serve_decoding_stay_hidden(plan: LoopPlan, track: Recording, tmp_path: Path) -> None:
    """A video cut out of a longer one between key pictures: MP4 hides the head, and its copy does too."""
    cut_s = 2.52
    source = make_video(tmp_path / "long.mp4", options={"g": "250"})
    with av.open(str(source)) as long, av.open(str(tmp_path / "cut.mp4"), "w") as cut:
        streams = {0: cut.add_stream_from_template(long.streams[0]), 1: cut.add_stream_from_template(long.streams[1])}
        for packet in long.demux():
            if not packet.size:
                continue
            assert packet.pts is not None
            assert packet.dts is not None
            if packet.stream_index == 0 or packet.pts * packet.time_base >= cut_s - 0.03:
                packet.pts -= round(cut_s / packet.time_base)
                packet.dts -= round(cut_s / packet.time_base)
                packet.stream = streams[packet.stream_index]
                cut.mux(packet)
    short = make_plan([(0.0, 5.0, 0.0, 0.0), (1.0, 5.4, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
    out = render_video(Playback(short, track), tmp_path / "cut.mp4", tmp_path / "video.mp4")
    assert flashes(out) == pytest.approx([3.48, 6.48], abs=0.001)
    assert clicks(out) == pytest.approx([3.48, 6.48], abs=0.001)
    assert probe(out).duration == pytest.approx(SECONDS - cut_s, abs=0.001)
    with pytest.raises(MediaError, match="hidden pictures"):
        render_video(Playback(short, track), tmp_path / "cut.mp4", tmp_path / "video.mkv")


def test_a_rotated_picture_stays_rotated(video: Path, plan: LoopPlan, track: Recording, tmp_path: Path) -> None:
    """Telephones write the sensor's picture and a matrix that turns it."""
    content = bytearray(video.read_bytes())
    matrix = content.index(b"tkhd") + 44
    content[matrix : matrix + 36] = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30)
    turned = tmp_path / "turned.mp4"
    turned.write_bytes(content)
    info = probe(render_video(Playback(plan, track), turned, tmp_path / "video.mp4"))
    assert (info.width, info.height) == (48, 64)


def test_h265_goes_by_the_name_that_apple_accepts(plan: LoopPlan, track: Recording, tmp_path: Path) -> None:
    source = make_video(tmp_path / "video.mkv", codec="libx265", options={"x265-params": "log-level=none"})
    with av.open(str(render_video(Playback(plan, track), source, tmp_path / "video.mp4"))) as rendered:
        assert rendered.streams.video[0].codec_context.codec_tag == "hvc1"


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The video without its sound."""
    return make_video(tmp_path_factory.mktemp("silent") / "silent.mp4", sound=False)


def test_music_starts_with_the_first_picture(silent: Path, plan: LoopPlan, tmp_path: Path) -> None:
    """A click in the music lands where the plan puts it."""
    samples = np.zeros((1, 8 * 44_100), dtype=np.float32)
    samples[0, 3 * 44_100 : 3 * 44_100 + 88] = 0.5 * np.sin(2 * np.pi * 3000 * np.arange(88) / 44_100)
    out = render_video(Playback(plan, Recording.from_samples(samples, 44_100)), silent, tmp_path / "video.mp4")
    assert clicks(out) == pytest.approx([3.0, 8.0], abs=0.001)


def test_the_mix_is_applied_in_its_order(video: Path, plan: LoopPlan, track: Recording, tmp_path: Path) -> None:
    """Music 6 dB down, 12 dB further from 4 to 8 s; soundtrack 3 dB up and not ducked."""
    mix = Mix(-6.0, 3.0, Duck(((3.5, 0.0), (4.0, 12.0), (8.0, 12.0), (8.5, 0.0))))
    dry = render(plan, track).samples[0]
    rendered = decode(render_video(Playback(plan, track, mix), video, tmp_path / "video.mp4")).samples

    def level_db(sound: NDArray[np.floating], rate: int, begin: float, end: float) -> float:
        return float(20 * np.log10(np.std(sound[round(begin * rate) : round(end * rate)])))

    for begin, end, gain_db in [(2.5, 3.4, -6.0), (4.2, 5.8, -18.0), (6.5, 7.8, -18.0), (9.5, 10.8, -6.0)]:
        heard = level_db(rendered[0], RATE, begin, end) - level_db(dry, 44_100, begin, end)
        assert heard == pytest.approx(gain_db, abs=0.2)
    assert np.max(np.abs(rendered[:, round(5.9 * RATE) : round(6.1 * RATE)])) == pytest.approx(0.5 * 10**0.15, rel=0.15)


def test_a_sum_is_limited_and_a_bare_plan_is_not(video: Path, silent: Path, plan: LoopPlan, tmp_path: Path) -> None:
    time = np.arange(8 * 44_100) / 44_100
    loud = Recording.from_samples(1.2 * np.sin(2 * np.pi * 441.0 * time)[None], 44_100)
    mixed = decode(render_video(Playback(plan, loud), video, tmp_path / "mixed.mp4")).samples
    bare = decode(render_video(Playback(plan, loud), silent, tmp_path / "bare.mp4")).samples
    assert -2.0 < true_peak_db(mixed) <= -1.0
    assert true_peak_db(bare) > 1.0


def test_what_a_decoder_gives_back_stays_under_the_ceiling(video: Path, plan: LoopPlan, tmp_path: Path) -> None:
    """Hard, bright noise, of which AAC at its lowest rate keeps no peak; the sound is made again until it fits."""
    noise = np.sign(np.random.default_rng(7).standard_normal((2, 8 * 44_100))).astype(np.float32)
    params = RenderParams(video_kbps=96, video_sample_rate=44_100)
    rendered = render_video(
        Playback(plan, Recording.from_samples(noise, 44_100)), video, tmp_path / "video.mp4", params
    )
    assert decode(rendered).sample_rate == 44_100
    assert -3.0 < measure_levels(rendered).true_peak_dbtp <= -1.0


def test_a_second_take_of_the_sound_neither_turns_progress_back_nor_writes_the_picture_again(
    video: Path, plan: LoopPlan, tmp_path: Path
) -> None:
    """Until the sound fits nothing of the picture is written; what is written then only grows."""
    hot = np.sign(np.random.default_rng(7).standard_normal((2, 8 * 44_100))).astype(np.float32)
    told: list[float] = []
    written: list[int] = []

    def progress(done: float) -> None:
        told.append(done)
        written.append(sum(path.stat().st_size for path in tmp_path.iterdir()))

    out = render_video(
        Playback(plan, Recording.from_samples(hot, 44_100)),
        video,
        tmp_path / "video.mp4",
        RenderParams(video_kbps=96, block_seconds=1.0),
        progress=progress,
    )
    takes = sum(done < 0.9 for done in told) / SECONDS
    assert takes >= 2
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    assert written == sorted(written)
    assert packets(out) == packets(video)
    assert measure_levels(out).true_peak_dbtp <= -1.0


def test_the_picture_is_refused_before_the_sound_is_made(plan: LoopPlan, track: Recording, tmp_path: Path) -> None:
    source = make_video(tmp_path / "video.webm", codec="libvpx", sound_codec="libopus")
    told: list[float] = []
    with pytest.raises(MediaError, match=r"vp8.*mkv"):
        render_video(Playback(plan, track), source, tmp_path / "video.mp4", progress=told.append)
    assert told == []


def test_soundtrack_goes_on_where_a_plan_ends_before_the_video(video: Path, track: Recording, tmp_path: Path) -> None:
    short = make_plan([(0.0, 4.0, 0.0, 0.0), (1.0, 4.0, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
    out = render_video(Playback(short, track), video, tmp_path / "video.mp4")
    assert clicks(out) == pytest.approx(EVENTS, abs=0.001)
    assert np.std(decode(out).samples[:, round(7.2 * RATE) : round(8.8 * RATE)]) < 1e-4


def test_a_video_without_sound(silent: Path, plan: LoopPlan, track: Recording, tmp_path: Path) -> None:
    out = render_video(Playback(plan, track), silent, tmp_path / "video.mp4")
    assert np.std(decode(out).samples[0, RATE : 10 * RATE]) == pytest.approx(np.std(track.samples), rel=0.02)


@pytest.mark.parametrize("channels", [1, 2, 6, 8])
def test_any_channels_fold_down_to_stereo(silent: Path, plan: LoopPlan, tmp_path: Path, channels: int) -> None:
    samples = np.zeros((channels, 8 * 44_100), dtype=np.float32)
    samples[0] = 0.1 * np.sin(2 * np.pi * 441.0 * np.arange(8 * 44_100) / 44_100)
    rendered = render_video(Playback(plan, Recording.from_samples(samples, 44_100)), silent, tmp_path / "video.mp4")
    left, right = decode(rendered).samples[:, RATE : 10 * RATE]
    assert np.std(left) == pytest.approx(0.1 / np.sqrt(2), rel=0.02)
    assert np.std(right) == pytest.approx(0.1 / np.sqrt(2) if channels == 1 else 0.0, abs=0.002)


ALL = (".mp4", ".mov", ".mkv")
HOLDING = {  # encoder, pixel format, where its source lies -> containers that a render writes
    ("libx264", "yuv420p", ".mp4"): ALL,
    ("libx265", "yuv420p", ".mkv"): ALL,
    ("libsvtav1", "yuv420p", ".mp4"): (".mp4", ".mkv"),
    ("libvpx", "yuv420p", ".webm"): (".mkv",),
    ("libvpx-vp9", "yuv420p", ".webm"): (".mp4", ".mkv"),
    ("mpeg2video", "yuv420p", ".ts"): ALL,
    ("mpeg4", "yuv420p", ".avi"): ALL,
    ("mjpeg", "yuvj420p", ".avi"): ALL,
    ("prores_ks", "yuv422p10le", ".mov"): (".mov", ".mkv"),
    ("dnxhd", "yuv422p", ".mxf"): (".mov",),
    ("ffv1", "yuv420p", ".mkv"): (".mp4", ".mkv"),
    ("png", "rgb24", ".mov"): (".mp4", ".mov"),
    ("dvvideo", "yuv420p", ".mov"): (".mov",),
    ("qtrle", "rgb24", ".mov"): (".mov",),
    ("huffyuv", "yuv422p", ".avi"): (),
    ("wmv2", "yuv420p", ".wmv"): (),
    ("rawvideo", "yuv420p", ".avi"): (),  # the MOV muxer writes it, and no reader knows its pixels
}


@pytest.mark.parametrize(("codec", "pixels", "suffix"), HOLDING)
def test_a_picture_is_written_where_it_reads_back_the_same_or_another_container_is_named(
    track: Recording, tmp_path: Path, codec: str, pixels: str, suffix: str
) -> None:
    source = tmp_path / f"source{suffix}"
    # SVT-AV1 gives the thread that opens it real-time priority, where it may, and never takes it back.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(encode_pictures, source, codec, pixels).result()
    named = HOLDING[codec, pixels, suffix]
    for written in ALL:
        out = tmp_path / f"video{written}"
        if written in named:
            render_video(Playback(place_track(0.0, 8.0, 0.2), track), source, out)
            assert decoded(out) == decoded(source)
        else:
            way = f"write {' or '.join(named)}$" if named else f'convert it: ffmpeg -i "{re.escape(str(source))}"'
            with pytest.raises(MediaError, match=rf"does not fit into \{written}; {way}"):
                render_video(Playback(place_track(0.0, 8.0, 0.2), track), source, out)
            assert not out.exists()


def encode_pictures(path: Path, codec: str, pixels: str) -> None:
    with av.open(str(path), "w") as video:
        options = {"x265-params": "log-level=none"} if codec == "libx265" else {}
        options |= {"profile": "dnxhr_lb"} if codec == "dnxhd" else {}
        picture = video.add_stream(codec, rate=FPS, options=options)
        assert isinstance(picture, av.VideoStream)
        picture.width, picture.height = (720, 576) if codec == "dvvideo" else (256, 128)
        picture.pix_fmt = pixels
        for n in range(6):
            shades = np.full((picture.height, picture.width, 3), 40 * n, dtype=np.uint8)
            shades[:, : 20 + 20 * n] = 200
            video.mux(picture.encode(av.VideoFrame.from_ndarray(shades, format="rgb24").reformat(format=pixels)))
        video.mux(picture.encode(None))


def decoded(path: Path) -> list[bytes]:
    """The pictures of a file, by FFmpeg alone."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray().tobytes() for frame in container.decode(video=0)]


def test_bad_input_is_one_error_and_leaves_nothing(
    video: Path, plan: LoopPlan, track: Recording, tmp_path: Path
) -> None:
    whole = video.read_bytes()
    bad = {
        "torn.mp4": whole[: len(whole) // 2],
        "text.mp4": b"not a video" * 100,
        "empty.mp4": b"",
    }
    work = tmp_path / "work"
    work.mkdir()
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(MediaError, match=name):
            render_video(Playback(plan, track), tmp_path / name, work / "video.mp4")
    with pytest.raises(MediaError, match=r"no such file"):
        render_video(Playback(plan, track), tmp_path / "absent.mp4", work / "video.mp4")
    render_audio(Playback(plan, track), tmp_path / "sound.wav")
    with pytest.raises(MediaError, match="no moving picture"):
        render_video(Playback(plan, track), tmp_path / "sound.wav", work / "video.mp4")
    with pytest.raises(ParameterError, match=r"\.xyz"):
        render_video(Playback(plan, track), video, work / "video.xyz")
    with pytest.raises(MediaError, match="cannot be written"):
        render_video(Playback(plan, track), video, work / "no" / "folder.mp4")
    assert list(work.iterdir()) == []


def test_a_damaged_picture_is_copied_as_far_as_it_reads(
    video: Path, plan: LoopPlan, track: Recording, tmp_path: Path
) -> None:
    """Bytes flipped inside the pictures: a copy keeps them, time and sound hold."""
    content = bytearray(video.read_bytes())
    middle = content.index(b"mdat") + 200
    content[middle : middle + 300] = bytes(300)
    damaged = tmp_path / "damaged.mp4"
    damaged.write_bytes(content)
    out = render_video(Playback(plan, track), damaged, tmp_path / "video.mp4")
    assert packets(out) == packets(damaged)


def test_a_plan_for_a_longer_video_is_refused(video: Path, track: Recording, tmp_path: Path) -> None:
    long = make_plan([(0.0, 7.0, 0.0, 0.0), (1.0, 7.0, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
    with pytest.raises(PlanError, match=r"13\.000 s, but video\.mp4 lasts 12\.000 s"):
        render_video(Playback(long, track), video, tmp_path / "video.mp4")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("suffix", "floor_db"), [(".wav", -90.0), (".flac", -90.0), (".mp3", -30.0)])
def test_sound_files(plan: LoopPlan, track: Recording, tmp_path: Path, suffix: str, floor_db: float) -> None:
    told: list[float] = []
    out = render_audio(Playback(plan, track), tmp_path / f"music{suffix}", progress=told.append)
    heard, expected = decode(out), render(plan, track)
    assert heard.sample_rate == 44_100
    assert heard.samples.shape == expected.samples.shape
    difference = np.std(heard.samples - expected.samples)
    assert 20 * np.log10(difference) < floor_db
    assert told[-1] == 1.0
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize(
    ("name", "subtype", "bits"),
    [
        ("a.wav", "PCM_24", 24), ("a.wav", "PCM_32", 24), ("a.wav", "FLOAT", 24), ("a.flac", "PCM_24", 24),
        ("a.wav", "PCM_16", 16), ("a.flac", "PCM_16", 16), ("a.ogg", "VORBIS", 16), ("a.mp3", "MPEG_LAYER_III", 16),
    ],
)  # fmt: skip
def test_a_sound_file_has_the_bits_of_its_track(
    plan: LoopPlan, tmp_path: Path, name: str, subtype: str, bits: int
) -> None:
    quiet = 1e-6 * np.sin(np.arange(8 * 44_100) / 20.0)  # two steps of 24 bits, a thirtieth of one of 16
    soundfile.write(tmp_path / name, quiet, 44_100, subtype=subtype)
    track = decode(tmp_path / name)
    for suffix in (".wav", ".flac"):
        out = render_audio(Playback(plan, track), tmp_path / f"out{suffix}")
        assert soundfile.info(out).subtype == f"PCM_{bits}"
        if bits == 24:
            np.testing.assert_allclose(decode(out).samples, render(plan, track).samples, atol=2.0**-24)
    assert soundfile.info(render_audio(Playback(plan, track), tmp_path / "out.mp3")).format == "MP3"


def test_sound_files_can_be_limited(plan: LoopPlan, tmp_path: Path) -> None:
    loud = Recording.from_samples(2 * np.sin(np.arange(8 * 44_100) / 20.0)[None], 44_100)
    out = render_audio(Playback(plan, loud), tmp_path / "music.wav", RenderParams(ceiling_dbtp=-3.0), limit=True)
    assert true_peak_db(decode(out).samples) == pytest.approx(-3.0, abs=0.06)
