"""Files are written whole or not at all, named without their folders; what ships is found."""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.errors import MediaError, ParameterError, ResourceMissing, StoreError
from workbench.files import (
    abandoned_parts,
    bundled_path,
    decode_text,
    hash_file,
    is_stream,
    model_path,
    open_model,
    read_numbers,
    stamps_of,
    without_folders,
    write_json,
    write_text,
    written_whole,
)
from workbench.params import WorkbenchParams


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    write_text(out, "old\n")

    def fail() -> None:
        with written_whole(out) as aside:
            aside.write_text("half")
            raise ParameterError("no")

    with pytest.raises(ParameterError, match="no"):
        fail()
    assert out.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [out]


def test_what_is_written_aside_is_hidden_and_keeps_its_suffix(tmp_path: Path) -> None:
    with written_whole(tmp_path / "track.wav") as aside:
        assert aside.parent == tmp_path
        assert aside.name.startswith(".")
        assert aside.suffix == ".wav"
        aside.write_bytes(b"new")
        assert list(tmp_path.iterdir()) == [aside]
    assert [path.name for path in tmp_path.iterdir()] == ["track.wav"]


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path: Path) -> None:
    out = tmp_path / ("a" * 251 + ".txt")
    write_text(out, "text")
    assert out.read_text() == "text"


@pytest.mark.parametrize("failure", [MediaError, StoreError])
def test_the_failure_is_the_one_asked_for(tmp_path: Path, failure: type[MediaError] | type[StoreError]) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder").mkdir()
    for out, reason in (
        (tmp_path / "missing" / "out.txt", "No such file or directory"),
        (tmp_path / "file" / "out.txt", "Not a directory"),
        (tmp_path / "folder", "Is a directory"),
    ):
        with pytest.raises(failure, match=rf"{out.name}: cannot be written \({reason}\)"):
            write_text(out, "text", failure)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


def test_parts_of_killed_writers_are_found_and_those_in_work_are_not(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a.txt") as killed, written_whole(tmp_path / "b.txt") as at_work:
        killed.write_text("half")
        at_work.write_text("half")
        os.utime(killed, (0, 0))
        assert list(abandoned_parts(tmp_path, 60.0)) == [killed]
    assert not list(abandoned_parts(tmp_path, -1.0))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("/home/me/uploads/track.mp3: not readable", "track.mp3: not readable"),
        ("no such file: '/srv/a/b.wav'", "no such file: 'b.wav'"),
        ("/srv/my videos/a/my video.mp4: no sound", "my video.mp4: no sound"),
        ("rename /tmp/a/x.wav to /tmp/b/y.wav", "rename x.wav to y.wav"),
        (r"C:\Users\me\a.wav: empty", "a.wav: empty"),
        ("4/4 and audio/mpeg from https://example.com/a/b; 3 m / 5 m", None),
    ],
)
def test_a_message_for_others_names_files_without_folders(text: str, named: str | None) -> None:
    assert without_folders(text, Path("/srv/my videos")) == (text if named is None else named)


def test_files_are_as_they_were_until_one_of_them_is_written_anew(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("one", encoding="utf-8")
    other.write_text("other", encoding="utf-8")
    before = stamps_of(one, other, None)
    assert stamps_of(one, other, None) == before
    assert hash(before) == hash(stamps_of(one, other, None))
    with written_whole(other) as aside:
        aside.write_text("new", encoding="utf-8")
    assert stamps_of(one, other, None) != before
    other.unlink()
    assert stamps_of(other) == ((other, None),)


def test_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"some bytes")
    assert hash_file(tmp_path / "a") == hashlib.sha256(b"some bytes").hexdigest()


def test_what_has_no_bytes_has_no_hash(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("none", "no such file"), ("empty", "empty"), (".", "a folder"), ("pipe", "not a regular file")):
        with pytest.raises(MediaError, match=why):
            hash_file(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_decoded_by_what_it_is(encoding: str) -> None:
    for text in ('{"a": "ü €"}', "x", ""):
        assert decode_text(text.encode(encoding)) == text
    assert decode_text("\ufeff{}".encode("utf-16-be")) == "{}"


def test_bytes_that_are_no_text_are_refused() -> None:
    for data in (b"caf\xe9", "ü".encode("utf-16") + b"x"):
        with pytest.raises(UnicodeDecodeError):
            decode_text(data)
    assert decode_text(b"caf\xe9", "surrogateescape") == "caf\udce9"
    for data in (b"\xff\xfeh\0e", b"h\0e"):
        assert decode_text(data, "replace") == "h\ufffd"


def test_the_target_of_a_link_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link, dangling = tmp_path / "there" / "real.txt", tmp_path / "link.txt", tmp_path / "dangling.txt"
    target.write_text("old")
    link.symlink_to(target)
    dangling.symlink_to("there/new.txt")
    for one in (link, dangling):
        write_text(one, "new")
        assert one.is_symlink()
    assert target.read_text() == (tmp_path / "there" / "new.txt").read_text() == "new"
    with pytest.raises(MediaError), written_whole(link):
        raise OSError(28, "No space left on device")
    assert target.read_text() == "new"
    assert sorted(path.name for path in target.parent.iterdir()) == ["new.txt", "real.txt"]


def test_pipes_devices_and_standard_output_are_written_through(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        write_text(pipe, "through")
        assert read.result() == b"through"
    assert pipe.is_fifo()
    write_text(Path(os.devnull), "nowhere")
    assert Path(os.devnull).is_char_device()
    for name in ("-", "-.txt"):
        with written_whole(Path(name)) as aside:
            assert aside.suffix == Path(name).suffix
            aside.write_bytes(b"\x00\xff")
    assert capfdbinary.readouterr().out == b"\x00\xff" * 2
    opened = os.open(tmp_path / "open.txt", os.O_WRONLY | os.O_CREAT)
    write_text(Path(f"/dev/fd/{opened}"), "by number")
    os.close(opened)
    assert (tmp_path / "open.txt").read_text() == "by number"


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="needs a folder below /dev")
def test_a_link_to_an_open_file_is_a_stream_and_one_that_only_lies_below_dev_is_none(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    lying, leading = Path("/dev/shm") / f"{tmp_path.parent.name}-{os.getpid()}", tmp_path / "leading"
    lying.symlink_to(tmp_path / "real.txt")
    try:
        assert not is_stream(lying)
    finally:
        lying.unlink()
    with (tmp_path / "open.txt").open("w") as opened:
        leading.symlink_to(f"/dev/fd/{opened.fileno()}")
        assert is_stream(leading)


def test_a_full_device_is_one_error_and_a_reader_that_has_left_another(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^/dev/full: cannot be written \(No space left on device\)"):
        write_text(Path("/dev/full"), "more", StoreError)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        reader.submit(lambda: pipe.open("rb").close())
        with pytest.raises(BrokenPipeError):
            write_text(pipe, "x" * 1_000_000)


def test_a_name_in_a_text_need_not_be_text(tmp_path: Path) -> None:
    write_text(tmp_path / "a.json", json.dumps("caf\udce9.ogg", ensure_ascii=False))
    assert json.loads((tmp_path / "a.json").read_bytes()) == "caf\udce9.ogg"


def test_a_number_that_json_does_not_have_is_not_written(tmp_path: Path) -> None:
    out = tmp_path / "plan.json"
    write_json(out, {"title": "Caf\u00e9", "seconds": 2.5})
    assert out.read_text(encoding="utf-8") == '{\n  "title": "Caf\u00e9",\n  "seconds": 2.5\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(out, {"seconds": float("nan")})
    assert json.loads(out.read_text(encoding="utf-8"))["seconds"] == 2.5


def test_what_is_not_shipped() -> None:
    with pytest.raises(ResourceMissing, match="data/bundled/none is not shipped"):
        bundled_path("data", "bundled", "none")


MODELS = sorted(path.name for path in model_path("").iterdir() if path.suffix in (".npz", ".json"))


@pytest.mark.parametrize("name", MODELS)
def test_each_model_has_a_card_that_names_it(name: str) -> None:
    card = model_path(name).with_suffix(".md").read_text()
    assert f"`{name}`" in card


def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(ResourceMissing, match=r"no_such\.npz"):
        open_model("no_such.npz")


@pytest.mark.parametrize("stage", ["cuts", "match", "seams", "underscore"])
def test_fitted_numbers_are_those_of_their_file(stage: str) -> None:
    params = getattr(WorkbenchParams(), stage)
    model = getattr(params, "model", params)
    for field, value in read_numbers(f"{stage}.json").items():
        assert getattr(model if hasattr(model, field) else params, field) == (
            tuple(value) if isinstance(value, list) else value
        ), field
