"""A person's own grid, read from what taggers and editors write; bad files are named with line and fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mido
import numpy as np
import pytest

from workbench.analysis.grid_files import read_grid
from workbench.beats.grid import BeatGrid
from workbench.errors import GridError, InputError
from workbench.results.beats import beat_grid_body

SECONDS = 20.0
TIMES = np.arange(16) * 0.5 + 0.25
PLACES = np.tile([3, 1, 2], 6)[:16]
HEARD = BeatGrid(np.arange(40) * 0.5, np.arange(40) % 4 + 1, 4, 0.4)


def write(folder: Path, text: str, name: str = "own.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lines(pattern: str) -> str:
    return "".join(
        pattern.format(time=time, place=place, bar=k // 3 + 1, end=time) + "\n"
        for k, (time, place) in enumerate(zip(TIMES, PLACES, strict=True))
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("madmom.csv", lines("{time:.3f}\t{place}")),
        ("madmom.txt", lines("{time:.3f} {place}")),
        ("comma.csv", lines("{time:.3f},{place}")),
        ("numbers.csv", lines("{time:.3f}, {place}.00")),
        ("track.beats", "# time place\n\n" + lines("{time:.9e} {place}")),
        ("sonic.csv", "TIME,LABEL\n" + lines('{time:.9f},"{bar}.{place}"')),
        ("sonic-value.csv", lines("{time:.9f},120.0,{place}")),
        ("labels.txt", lines("{time:.6f}\t{end:.6f}\t{place}")),
        ("windows.csv", "\ufeff" + lines("{time:.3f},{place}").replace("\n", "\r\n")),
        ("headed.csv", "Beat time (s),Place in the bar\n" + lines("{time:.3f},{place}")),
        ("headed-semicolon.csv", "Time;Place\n" + lines("{time:.3f};{place}")),
        ("headed-semicolon-words.csv", "Beat time (s);Place in the bar\n" + lines("{time:.3f};{place}")),
        ("headed-space.txt", "Beat time (s) Place\n" + lines("{time:.3f} {place}")),
        ("exponents.csv", lines("{time:.9e};{place}")),
        ("quoted.csv", lines('"{time:.3f}";"{place}"').replace(".", ",")),
        ("spectral.txt", lines("{time:.6f}\t{end:.6f}\t{place}\n\\\t100.0\t200.0")),
        ("comma-tab.txt", lines("{time:.6f}\t{end:.6f}\t{place}").replace(".", ",")),
        ("comma-semicolon.csv", lines("{time:.3f};{place}").replace(".", ",")),
        ("comma-space.beats", lines("{time:.3f} {place}").replace(".", ",")),
        ("places-are-decimals.csv", lines("{time:.3f};{place}.0").replace(".", ",")),
    ],
)
def test_every_kind_of_text_is_the_same_grid(tmp_path: Path, name: str, text: str) -> None:
    grid = read_grid(write(tmp_path, text, name), SECONDS, HEARD)
    assert grid.beats == pytest.approx(TIMES)
    assert grid.positions.tolist() == PLACES.tolist()
    assert (grid.beats_per_bar, grid.confidence) == (3, 1.0)


def test_what_beats_prints_is_a_grid(tmp_path: Path) -> None:
    given = BeatGrid(TIMES, PLACES, 3)
    body = beat_grid_body(given, SECONDS, track_id="a.wav", cached=False)
    grid = read_grid(write(tmp_path, body.model_dump_json(indent=2), "beats.json"), SECONDS, HEARD)
    assert grid.beats == pytest.approx(TIMES)
    assert (grid.positions.tolist(), grid.beats_per_bar) == (PLACES.tolist(), 3)
    with pytest.raises(GridError, match=r"plan\.json: this JSON is not what `workbench beats` prints"):
        read_grid(write(tmp_path, '{"track_id": "a.wav", "plan": {}}', "plan.json"), SECONDS, HEARD)


def test_utf_16_is_text(tmp_path: Path) -> None:
    file = tmp_path / "excel.csv"
    file.write_bytes(lines("{time:.3f}\t{place}").encode("utf-16"))
    assert read_grid(file, SECONDS, HEARD).beats == pytest.approx(TIMES)


def test_whole_seconds_are_not_read_out_of_decimal_commas(tmp_path: Path) -> None:
    slow = "".join(f"{time:.2f};{place}\n" for time, place in ((1.5, 1), (3.25, 2), (5.5, 1), (7.25, 2)))
    grid = read_grid(write(tmp_path, slow.replace(".", ","), "slow.csv"), SECONDS, HEARD)
    assert grid.beats.tolist() == [1.5, 3.25, 5.5, 7.25]
    assert grid.positions.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("namespace", ["beat", "beat_position"])
def test_jams_is_the_same_grid(tmp_path: Path, namespace: str) -> None:
    jams = pytest.importorskip("jams")
    document = jams.JAMS()
    document.file_metadata.duration = SECONDS
    beats = jams.Annotation(namespace=namespace, duration=SECONDS)
    for time, place in zip(TIMES, PLACES, strict=True):
        whole = {"position": int(place), "measure": 1, "num_beats": 3, "beat_units": 4}
        beats.append(time=time, duration=0.0, value=float(place) if namespace == "beat" else whole)
    document.annotations.append(jams.Annotation(namespace="segment_open"))
    document.annotations.append(beats)
    path = tmp_path / "track.jams"
    document.save(str(path))
    grid = read_grid(path, SECONDS, HEARD)
    assert grid.beats == pytest.approx(TIMES)
    assert grid.positions.tolist() == PLACES.tolist()


def test_beats_between_marked_bar_lines_are_counted(tmp_path: Path) -> None:
    labels = ["", "downbeat", "", "New Point", "Downbeat", "", "", "1", "", "", "", ""]
    text = "".join(f"{k * 0.5:.2f}\t{k * 0.5:.2f}\t{label}\n" for k, label in enumerate(labels))
    grid = read_grid(write(tmp_path, text), SECONDS, HEARD)
    assert grid.positions.tolist() == [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]
    assert grid.beats_per_bar == 3


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_beats_alone_take_the_bars_that_were_heard(tmp_path: Path, shift: int) -> None:
    times = np.arange(shift, 30) * 0.5 + 0.03
    grid = read_grid(write(tmp_path, "".join(f"{time:.3f}\n" for time in times), "own.beats"), SECONDS, HEARD)
    assert grid.beats == pytest.approx(times)
    assert grid.downbeats == pytest.approx(times[(-shift) % 4 :: 4])
    assert grid.confidence == 1.0


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.txt", "", "a grid needs two beats, got 0"),
        ("a.txt", "0.5 1\n", "a grid needs two beats, got 1"),
        ("a.txt", "0.5 1\n\nabc 2\n", "line 3: 'abc' is no time in seconds"),
        ("a.txt", "0.5 1\nnan 2\n", "line 2: 'nan' is no time in seconds"),
        ("a.csv", "FRAME,LABEL\n4410,1\n", "line 1: 'FRAME' is no time in seconds"),
        ("a.txt", "0.5 1\n-1.0 2\n", "line 2: -1 s is before the track"),
        ("a.txt", "# mine\n0.5 1\n1.0 2\n0.9 3\n", "line 4: 0.9 s is not later than 1 s of line 3"),
        ("a.txt", "0.5 1\n1.0 2\n21.0 3\n", "line 3: 21 s is after the end of the track at 20.000 s"),
        ("a.txt", "0.5 1\n1.0 2\n1.5 4\n", "line 3: place 4 in the bar after 2; 3 or 1 comes next"),
        ("a.txt", "0.5 0\n1.0 1\n", "line 1: place 0 in the bar"),
        ("a.txt", "0.5 -1\n1.0 1\n", "line 1: '-1' is no place in a bar"),
        ("a.txt", "".join(f"{k * 0.5} {k + 1}\n" for k in range(36)), "line 33: place 33 in the bar"),
        ("a.txt", "0.5 2\n1.0 3\n", "no beat is marked as a bar line"),
        ("a.txt", "0.001 1\n0.002 2\n0.003 3\n", "a beat every 0.0010 s is more than 480 a minute"),
        ("a.txt", "0.2\n0.7\n1.2\n", "it does not say which beats open a bar, and no detected bar line"),
        ("a.jams", "{", "not JAMS, for it is not JSON"),
        ("a.jams", "{}", "not JAMS: it has no list of annotations"),
        ("a.jams", json.dumps({"annotations": [{"namespace": "chord"}]}), "no annotation of beats in it"),
        (
            "a.jams",
            json.dumps({"annotations": [{"namespace": "beat", "data": [{"time": 1, "value": 1}, {"time": None}]}]}),
            "beat 2: 'None' is no time in seconds",
        ),
    ],
)  # fmt: skip
def test_a_bad_file_is_named_with_its_fault(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    path = write(tmp_path, text, name)
    with pytest.raises(GridError) as caught:
        read_grid(path, SECONDS, HEARD)
    assert str(caught.value).startswith(f"{path}: {sentence}")
    assert "\n" not in str(caught.value)


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\x00\x80")
    with pytest.raises(GridError, match=r"a\.txt: this is no text"):
        read_grid(tmp_path / "a.txt", SECONDS, HEARD)
    with pytest.raises(InputError, match=r"none\.txt: cannot be read"):
        read_grid(tmp_path / "none.txt", SECONDS, HEARD)
    (tmp_path / "click.mid").write_bytes(b"MThd\x00\x00")
    with pytest.raises(GridError, match=r"click\.mid: this is not MIDI that can be read \(.+\)"):
        read_grid(tmp_path / "click.mid", SECONDS, HEARD)


def write_click(path: Path, *, notes: tuple[int, int] = (76, 77), loud: int = 100, metre: int | None = None) -> Path:
    """The click of `TIMES` and `PLACES`, at a tempo that changes in the middle; the first of `notes` on bar lines."""
    file, track = mido.MidiFile(ticks_per_beat=480), mido.MidiTrack()
    file.tracks.append(track)
    if metre is not None:
        track.append(mido.MetaMessage("time_signature", numerator=metre, denominator=4))
    tempo, reached, tick = 500_000, 0.0, 0
    track.append(mido.MetaMessage("set_tempo", tempo=tempo))
    for number, (time, place) in enumerate(zip(TIMES, PLACES, strict=True)):
        if number == 8:
            tempo = 400_000
            track.append(mido.MetaMessage("set_tempo", tempo=tempo, time=0))
        ticks = round(mido.second2tick(time - reached, 480, tempo))
        note, velocity = (notes[0], loud) if place == 1 else (notes[1], 100)
        track.append(mido.Message("note_on", note=note, velocity=velocity, time=ticks))
        track.append(mido.Message("note_off", note=note, time=0))
        reached, tick = time, tick + ticks
    file.save(path)
    return path


@pytest.mark.parametrize("click", [{"notes": (76, 77)}, {"notes": (33, 33), "loud": 127}])
def test_a_click_of_midi_is_the_same_grid(tmp_path: Path, click: dict[str, Any]) -> None:
    grid = read_grid(write_click(tmp_path / "click.mid", **click), SECONDS, HEARD)
    assert grid.beats == pytest.approx(TIMES, abs=2e-3)
    assert grid.positions.tolist() == PLACES.tolist()


def test_a_click_without_accents_takes_its_time_signature_or_the_bars_heard(tmp_path: Path) -> None:
    grid = read_grid(write_click(tmp_path / "three.mid", notes=(33, 33), metre=3), SECONDS, HEARD)
    assert grid.positions.tolist() == np.tile([1, 2, 3], 6)[:16].tolist()
    plain = write_click(tmp_path / "plain.mid", notes=(33, 33))
    heard = BeatGrid(TIMES, np.arange(TIMES.size) % 4 + 1, 4, 0.4)
    assert read_grid(plain, SECONDS, heard).positions.tolist() == heard.positions.tolist()
    empty = mido.MidiFile()
    empty.tracks.append(mido.MidiTrack())
    empty.save(tmp_path / "empty.mid")
    with pytest.raises(GridError, match="there is no note in it"):
        read_grid(tmp_path / "empty.mid", SECONDS, HEARD)


def test_beats_alone_need_bars_that_were_heard(tmp_path: Path) -> None:
    nothing = BeatGrid(np.zeros(0), np.zeros(0, np.int32), 4, 0.0)
    with pytest.raises(GridError, match="none were detected; write 1 behind those"):
        read_grid(write(tmp_path, "0.5\n1.0\n1.5\n"), SECONDS, nothing)
