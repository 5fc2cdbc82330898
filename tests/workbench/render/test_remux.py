"""Copied streams: which containers take them, and what a render keeps of a video beside its picture."""

import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from shutil import copy

import av
import numpy as np
import pytest
from mutagen.id3 import APIC, CHAP, ID3, TDRC, TIT2, TPE1, TXXX

from tests.videos import grey, png_of, write_pictures, write_video
from workbench.media.audio import write_audio
from workbench.media.probe import probe
from workbench.recording import Recording
from workbench.render.remux import codec_name, containers_for, describe_left_out, suffix_for
from workbench.render.schedule import place_track
from workbench.render.video import Playback, render_audio, render_video

HERE = Path(__file__).parent
SUBTITLES = "1\n00:00:00,500 --> 00:00:01,500\nhello\n\n2\n00:00:01,600 --> 00:00:01,900\nbye\n"
FONT = bytes(range(256)) * 8


@pytest.fixture
def rendered(tmp_path: Path) -> Callable[[Path, str], Path]:
    def render(source: Path, suffix: str) -> Path:
        noise = Recording.from_samples(0.05 * np.random.default_rng(0).standard_normal((1, 5 * 44_100)), 44_100)
        placed = place_track(0.0, 5.0, probe(source).duration)
        return render_video(Playback(placed, noise), source, tmp_path / f"video{suffix}")

    return render


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Two seconds of Matroska with subtitles, a font, a cover, a further picture, two languages and chapters."""
    pictures = write_video(tmp_path / "pictures.mp4", [grey(40 * n % 256) for n in range(50)], 25,
                           sound=np.zeros((1, 96_000), dtype=np.float32))  # fmt: skip
    (tmp_path / "said.srt").write_text(SUBTITLES)
    cover = av.CodecContext.create("mjpeg", "w")
    cover.width, cover.height, cover.pix_fmt, cover.time_base = 64, 48, "yuvj420p", Fraction(1, 25)
    image = cover.encode(av.VideoFrame.from_ndarray(grey(200), format="rgb24").reformat(format="yuvj420p"))[0]
    with av.open(str(tmp_path / "film.mkv"), "w") as film, av.open(str(pictures)) as source, \
            av.open(str(tmp_path / "said.srt")) as said, av.open(str(pictures)) as again:  # fmt: skip
        film.metadata.update(title="My film", creation_time="2024-05-06T07:08:09.000000Z", mood="calm")
        copies = [film.add_stream_from_template(source.streams[0]), film.add_stream_from_template(source.streams[1])]
        french, third = film.add_stream_from_template(again.streams[1]), film.add_stream_from_template(said.streams[0])
        further = film.add_stream_from_template(again.streams[0])
        copies[0].disposition = copies[1].disposition = av.stream.Disposition.default
        french.disposition = further.disposition = av.stream.Disposition(0)
        for stream, language in ((copies[1], "deu"), (french, "fra"), (third, "eng")):
            stream.metadata["language"] = language
        copies[1].metadata["title"] = "Stereo"
        film.add_attachment("font.ttf", "font/ttf", FONT)
        film.add_attachment("cover.jpg", "image/jpeg", bytes(image))
        film.set_chapters([
            {"id": n, "start": n, "end": n + 1, "time_base": Fraction(1), "metadata": {"title": name}}
            for n, name in enumerate(("One", "Two"))
        ])  # fmt: skip
        for container, streams in ((source, copies), (again, [further, french]), (said, [third])):
            for packet in container.demux():
                if packet.size:
                    packet.stream = streams[packet.stream_index]
                    film.mux(packet)
    return tmp_path / "film.mkv"


def texts(path: Path) -> list[tuple[float, bytes]]:
    with av.open(str(path)) as container:
        packets = container.demux(container.streams.subtitles[0])
        return [(float((packet.pts or 0) * packet.time_base), bytes(packet)) for packet in packets if packet.size]


def test_containers_say_themselves_which_subtitles_they_take(tmp_path: Path) -> None:
    (tmp_path / "said.srt").write_text(SUBTITLES)
    with av.open(str(tmp_path / "said.srt")) as source:
        assert codec_name(source.streams[0]) == "subrip"
        assert containers_for(source.streams[0]) == (".mkv",)


def test_matroska_keeps_all_but_the_other_sound(film: Path, rendered: Callable[[Path, str], Path]) -> None:
    out = rendered(film, ".mkv")
    with av.open(str(out)) as container:
        kinds = [(stream.type, codec_name(stream)) for stream in container.streams]
        assert kinds[:4] == [("video", "h264"), ("audio", "aac"), ("subtitle", "subrip"), ("video", "h264")]
        fonts = [stream.data for stream in container.streams if isinstance(stream, av.stream.AttachmentStream)]
        assert fonts == [FONT]
        assert [stream.disposition for stream in container.streams.video][-1] == av.stream.Disposition.attached_pic
        assert container.metadata["title"] == "My film"
        assert container.metadata["creation_time"] == "2024-05-06T07:08:09.000000Z"
        assert [stream.language for stream in (container.streams[1], container.streams[2])] == ["deu", "eng"]
        assert [chapter["metadata"]["title"] for chapter in container.chapters()] == ["One", "Two"]
        # Matroska may move the film by the 21 ms of the head of AAC; the render counts from the first picture.
        assert container.chapters()[1]["start"] == pytest.approx(1e9, abs=25e6)
    assert [text for _, text in texts(out)] == [b"hello", b"bye"]
    assert [time for time, _ in texts(out)] == pytest.approx([0.5, 1.6], abs=0.025)
    said = "video.mkv leaves out of film.mkv: sound stream 2 (fra), which can be chosen"
    assert describe_left_out(film, out) == said


@pytest.mark.parametrize("early", [1.5, 0.04])
def test_sound_before_the_first_picture_is_named(
    tmp_path: Path, rendered: Callable[[Path, str], Path], early: float
) -> None:
    """As a file has that was cut without encoding its picture again."""
    pictures, sound = [grey(40 * n % 256) for n in range(50)], np.zeros((1, 168_000), dtype=np.float32)
    source = write_video(tmp_path / "cut.mkv", pictures, 25, sound=sound, sound_from=-early)
    said = "video.mkv leaves out of cut.mkv: 1.5 s of sound, before its first picture"
    assert describe_left_out(source, rendered(source, ".mkv")) == (said if early > 1.0 else None)


def test_a_cover_without_an_image_is_named(film: Path, rendered: Callable[[Path, str], Path]) -> None:
    source = rendered(film, ".mp4")
    raw = bytearray(source.read_bytes())
    tag = raw.index(b"covr")  # its box holds one box of data, with 16 bytes before the image
    (size,) = struct.unpack_from(">I", raw, tag + 4)
    struct.pack_into(">I", raw, tag - 4, 24)
    struct.pack_into(">I", raw, tag + 4, 16)
    struct.pack_into(">I4s", raw, tag + 20, size - 16, b"free")
    (empty := source.with_name("empty.mp4")).write_bytes(raw)
    for suffix in (".mkv", ".mp4"):
        left = describe_left_out(empty, rendered(empty, suffix))
        assert left is not None
        assert "picture 4 (mjpeg), held by no container that a render writes" in left


def test_texts_that_overlap_do_not_stop_a_render(film: Path, rendered: Callable[[Path, str], Path]) -> None:
    """The second text begins before the first, as the file lists them."""
    content = bytearray(film.read_bytes())
    second = content.index(b"bye")
    content[second - 3 : second - 1] = (100).to_bytes(2, "big")
    film.write_bytes(content)
    out = rendered(film, ".mkv")
    assert [text for _, text in texts(out)] == [b"hello", b"bye"]
    assert [time for time, _ in texts(out)] == pytest.approx([0.5, 0.5], abs=0.025)


def test_a_container_is_chosen_that_takes_the_picture(tmp_path: Path, film: Path) -> None:
    assert suffix_for(film) == ".mkv"
    with av.open(str(tmp_path / "camera.mxf"), "w") as camera:
        stream = camera.add_stream("dnxhd", rate=25, options={"profile": "dnxhr_lb"})
        stream.width, stream.height, stream.pix_fmt = 256, 128, "yuv422p"
        for shade in (0, 100, 200):
            picture = av.VideoFrame.from_ndarray(grey(shade, 256, 128), format="rgb24")
            camera.mux(stream.encode(picture.reformat(format="yuv422p")))
        camera.mux(stream.encode(None))
    assert suffix_for(tmp_path / "camera.mxf") == ".mov"


@pytest.mark.parametrize(("suffix", "language"), [(".mp4", "deu"), (".mov", "ger")])
def test_what_a_container_cannot_hold_is_named_with_one_that_can(
    film: Path, rendered: Callable[[Path, str], Path], suffix: str, language: str
) -> None:
    out = rendered(film, suffix)
    with av.open(str(out)) as container:
        assert container.metadata["title"] == "My film"
        assert container.metadata["creation_time"] == "2024-05-06T07:08:09.000000Z"
        assert container.streams[1].language == language
        assert [chapter["metadata"]["title"] for chapter in container.chapters()] == ["One", "Two"]
        further = container.streams.video[1]
        assert sum(1 for packet in container.demux(further) if packet.size) == 50
    line = describe_left_out(film, out)
    assert line is not None
    assert "subtitles 3 (subrip, eng), attachment 5 (font.ttf), tags (MOOD), held by .mkv" in line
    assert ("cover" in line or "picture 6 (mjpeg), held by .mp4 or .mkv" in line) == (suffix == ".mov")


@pytest.mark.parametrize(("language", "kept"), [("fre", "fra"), ("ger", "ger"), ("nld", "dut"), ("ces", "ces")])
def test_quicktime_has_a_language_under_the_code_that_it_knows(
    rendered: Callable[[Path, str], Path], tmp_path: Path, language: str, kept: str
) -> None:
    pictures = write_video(tmp_path / "pictures.mp4", [grey(40 * n) for n in range(5)], 25,
                           sound=np.zeros((1, 9_600), dtype=np.float32))  # fmt: skip
    with av.open(str(pictures)) as source, av.open(str(tmp_path / "spoken.mkv"), "w") as spoken:
        copies = [spoken.add_stream_from_template(stream) for stream in source.streams]
        copies[1].metadata["language"] = language
        for packet in source.demux():
            if packet.size:
                packet.stream = copies[packet.stream_index]
                spoken.mux(packet)
    with av.open(str(rendered(tmp_path / "spoken.mkv", ".mov"))) as container:
        assert container.streams[1].language == kept


@pytest.mark.parametrize("suffix", [".mp4", ".mov"])
def test_subtitles_of_quicktime_are_kept(rendered: Callable[[Path, str], Path], tmp_path: Path, suffix: str) -> None:
    source = Path(copy(HERE / "subtitles_and_chapters.mp4", tmp_path))
    out = rendered(source, suffix)
    assert texts(out) == texts(source)
    assert describe_left_out(source, out) is None
    assert describe_left_out(source, rendered(source, ".mkv")) == (
        "video.mkv leaves out of subtitles_and_chapters.mp4: subtitles 2 (mov_text), held by .mp4 or .mov"
    )


def test_dolby_vision_is_kept_or_named(rendered: Callable[[Path, str], Path]) -> None:
    source = HERE / "dolby_vision.mp4"
    record = source.read_bytes()[source.read_bytes().index(b"dvvC") :][:28]
    for suffix in (".mp4", ".mkv"):
        out = rendered(source, suffix)
        assert describe_left_out(source, out) is None
        assert record[4:] in out.read_bytes()
    assert describe_left_out(source, rendered(source, ".mov")) == (
        "video.mov leaves out of dolby_vision.mp4: the record of Dolby Vision, held by .mp4 or .mkv"
    )


@pytest.mark.parametrize("timecode", ["14:09:42:00", "01:02:03;04"])
@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv"])
def test_time_code_of_the_camera_is_kept(
    rendered: Callable[[Path, str], Path], tmp_path: Path, timecode: str, suffix: str
) -> None:
    source = write_camera_file(tmp_path / "camera.mov", timecode)
    out = rendered(source, suffix)
    assert probe(source).timecode == probe(out).timecode == timecode
    assert describe_left_out(source, out) is None


def test_a_title_of_the_sound_is_not_that_of_the_file(film: Path, rendered: Callable[[Path, str], Path]) -> None:
    untitled = film.with_name("untitled.mkv")
    untitled.write_bytes(film.read_bytes().replace(b"My film", b"       "))
    assert probe(film).title == "My film"
    assert probe(untitled).title is None
    assert probe(rendered(untitled, ".mp4")).title is None


@pytest.mark.parametrize(("suffix", "lost"), [
    (".mp3", ""),
    (".flac", "; chapters, held by .mp3"),
    (".wav", "; chapters, tags (mood), held by .mp3"),
])  # fmt: skip
def test_music_under_a_podcast_has_its_tags_and_chapters(tmp_path: Path, suffix: str, lost: str) -> None:
    talk = write_audio(tmp_path / "talk.mp3", [np.zeros((1, 96_000), np.float32)], 48_000, 1)
    tags = ID3()
    tags.add(TIT2(text="Episode 1"))
    tags.add(TPE1(text="Host"))
    tags.add(TDRC(text="2024-05-06"))
    tags.add(TXXX(desc="mood", text="calm"))
    tags.add(TXXX(desc="REPLAYGAIN_TRACK_GAIN", text="-3 dB"))  # of the voice alone
    tags.add(APIC(mime="image/png", type=3, data=png_of(grey(90))))
    for number, name in enumerate(("Intro", "Main")):
        frames = [TIT2(text=name)]
        tags.add(CHAP(element_id=name, start_time=1000 * number, end_time=1000 * (number + 1), sub_frames=frames))
    tags.save(talk)
    music = Recording.from_samples(0.05 * np.random.default_rng(0).standard_normal((1, 5 * 44_100)), 44_100)
    out = render_audio(Playback(place_track(0.0, 5.0, 2.0), music), tmp_path / f"out{suffix}", voice=talk)
    with av.open(str(out)) as container:
        known = {key.lower(): text for key, text in container.metadata.items() if key != "encoder"}
        chapters = sorted((chapter["start"], chapter["metadata"]["title"]) for chapter in container.chapters())
    kept = {"title": "Episode 1", "artist": "Host", "date": "2024-05-06"}
    assert known == kept | ({} if "mood" in lost else {"mood": "calm"})
    assert chapters == ([] if "chapters" in lost else [(0, "Intro"), (1000, "Main")])
    assert describe_left_out(talk, out) == (
        f"out{suffix} leaves out of talk.mp3: picture 1 (png), held by no container that a render writes{lost}"
    )


def test_a_podcast_in_ogg_has_its_tags_with_its_sound(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "talk.ogg"), "w") as talk:
        talk.metadata["title"] = "Episode 1"
        sound = talk.add_stream("libopus", rate=48_000, layout="stereo")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 96_000), np.float32), "flt", "stereo")
        frame.sample_rate = 48_000
        talk.mux(sound.encode(frame))
        talk.mux(sound.encode(None))
    music = Recording.from_samples(0.05 * np.random.default_rng(0).standard_normal((1, 5 * 44_100)), 44_100)
    placed = place_track(0.0, 5.0, probe(tmp_path / "talk.ogg").duration)
    assert (
        probe(render_audio(Playback(placed, music), tmp_path / "out.mp3", voice=tmp_path / "talk.ogg")).title
        == "Episode 1"
    )


def test_names_of_telephones_and_data_of_cameras_are_kept(
    rendered: Callable[[Path, str], Path], tmp_path: Path
) -> None:
    pictures = write_video(tmp_path / "pictures.mp4", [grey(40 * n % 256) for n in range(50)], 25)
    with (
        av.open(str(pictures)) as source,
        av.open(str(tmp_path / "phone.mp4"), "w", container_options={"movflags": "use_metadata_tags"}) as phone,
    ):
        phone.metadata["com.apple.quicktime.make"] = "Apple"
        picture, data = phone.add_stream_from_template(source.streams[0]), phone.add_data_stream("bin_data")
        data.time_base = Fraction(1, 1000)
        for packet in source.demux():
            if packet.size:
                packet.stream = picture
                phone.mux(packet)
        for second in (0, 1):
            sample = av.Packet(b"DEVC" + bytes(60))
            sample.stream, sample.pts, sample.dts, sample.duration = data, 1000 * second, 1000 * second, 1000
            sample.time_base = Fraction(1, 1000)
            phone.mux(sample)
    for suffix in (".mov", ".mp4"):
        out = rendered(tmp_path / "phone.mp4", suffix)
        with av.open(str(out)) as container:
            assert container.metadata["com.apple.quicktime.make"] == "Apple"
            samples = [bytes(packet) for packet in container.demux(container.streams.data[0]) if packet.size]
        assert samples == [b"DEVC" + bytes(60)] * 2
        assert describe_left_out(tmp_path / "phone.mp4", out) is None


def test_data_that_would_not_be_read_are_left_out(rendered: Callable[[Path, str], Path], tmp_path: Path) -> None:
    """The MOV muxer writes a track of any data, but a description of it for the kinds alone that it knows."""
    pictures = write_video(tmp_path / "pictures.mp4", [grey(40 * n % 256) for n in range(50)], 25)
    with av.open(str(pictures)) as source, av.open(str(tmp_path / "drone.ts"), "w") as drone:
        picture, data = drone.add_stream_from_template(source.streams[0]), drone.add_data_stream("klv")
        for packet in source.demux():
            if packet.size:
                packet.stream = picture
                drone.mux(packet)
        sample = av.Packet(bytes(64))
        sample.stream, sample.pts, sample.dts, sample.time_base = data, 0, 0, Fraction(1, 90_000)
        drone.mux(sample)
    for suffix in (".mov", ".mp4", ".mkv"):
        out = rendered(tmp_path / "drone.ts", suffix)
        with av.open(str(out)) as container:
            assert [stream.type for stream in container.streams] == ["video", "audio"]
        line = f"{out.name} leaves out of drone.ts: data 1 (klv), held by no container that a render writes"
        assert describe_left_out(tmp_path / "drone.ts", out) == line


def write_camera_file(path: Path, timecode: str) -> Path:
    rate = Fraction(30_000, 1001) if ";" in timecode else Fraction(25)
    return write_pictures(path, [float(n / rate) for n in range(30)], {"timecode": timecode}, rate)
