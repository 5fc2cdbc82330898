"""Every way to read a dataset passes one suite: the same two songs, written in each format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

import workbench as wb
from workbench.errors import GridError, InputError
from workbench.lab import datasets
from workbench.lab.datasets import Dataset

SONGS = {
    "first": [(0.5 * k, k % 4 + 1) for k in range(16)],
    "second": [(0.25 + 0.4 * k, k % 3 + 1) for k in range(12)],
}
SECTIONS = {"first": [(0.0, 4.0, "verse"), (4.0, 8.0, "chorus")], "second": [(0.25, 5.0, "all of it")]}


def _sounds(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in SONGS:
        soundfile.write(folder / f"{name}.wav", np.zeros(9 * 8000), 8000)


def _jams(name: str) -> str:
    beats = [{"time": at, "duration": 0.0, "value": place, "confidence": 1.0} for at, place in SONGS[name]]
    parts = [{"time": a, "duration": b - a, "value": label, "confidence": 1.0} for a, b, label in SECTIONS[name]]
    return json.dumps(
        {
            "annotations": [
                {"namespace": "beat", "data": beats},
                {"namespace": "segment_open", "data": parts},
            ]
        }
    )


def _lab(name: str) -> str:
    return "".join(f"{a}\t{b}\t{label}\n" for a, b, label in SECTIONS[name])


def write_jams(folder: Path) -> Path:
    _sounds(folder)
    for name in SONGS:
        (folder / f"{name}.jams").write_text(_jams(name))
    return folder


def write_beats_and_lab(folder: Path) -> Path:
    _sounds(folder / "audio")
    for name, beats in SONGS.items():
        (folder / f"{name}.beats").write_text("".join(f"{at}\t{place}\n" for at, place in beats))
        (folder / f"{name}.lab").write_text(_lab(name))
    return folder


def write_sonic_visualiser(folder: Path) -> Path:
    _sounds(folder)
    for name, beats in SONGS.items():
        (folder / f"{name}.csv").write_text("TIME,LABEL\n" + "".join(f"{at},{place}\n" for at, place in beats))
        (folder / f"{name}.lab").write_text(_lab(name))
    return folder


def write_mirdata(folder: Path) -> Path:
    _sounds(folder / "audio")
    (folder / "annotations").mkdir()
    tracks = {}
    for name in SONGS:
        (folder / "annotations" / f"{name}_truth.jams").write_text(_jams(name))
        tracks[name] = {
            "audio": [f"audio/{name}.wav", "0" * 32],
            "jams": [f"annotations/{name}_truth.jams", "0" * 32],
            "tabs": [None, None],
        }
    (folder / "index").mkdir()
    index = folder / "index" / "songs_index_1.0.json"
    index.write_text(json.dumps({"version": "1.0", "tracks": tracks}))
    return index


WRITERS: list[Callable[[Path], Path]] = [write_jams, write_beats_and_lab, write_sonic_visualiser, write_mirdata]


def check_dataset(dataset: Dataset) -> None:
    """What holds of every dataset, whoever reads it."""
    assert dataset.name
    assert len(dataset) == len({track.name for track in dataset}) > 0
    assert dataset.to_frame().index.tolist() == [track.name for track in dataset]
    for track in dataset:
        assert track.path.is_file()
        assert dataset[track.name] is track
        if track.beats is not None:
            assert np.all(np.diff(track.beats) > 0)
        if track.grid is not None:
            assert track.beats is not None
            np.testing.assert_array_equal(track.grid.beats, track.beats)
            assert np.isin(track.grid.downbeats, track.beats).all()
        for section in track.sections:
            assert 0.0 <= section.song_from < section.song_to
            assert section.label
    with pytest.raises(KeyError, match="there is no nothing"):
        dataset["nothing"]


@pytest.mark.parametrize("write", WRITERS)
def test_every_format_gives_the_same_two_songs(write: Callable[[Path], Path], tmp_path: Path) -> None:
    dataset = datasets.load(write(tmp_path / "songs"))
    check_dataset(dataset)
    assert dataset.faults == ()
    assert [track.name for track in dataset] == ["first", "second"]
    for name, beats in SONGS.items():
        track = dataset[name]
        assert track.beats is not None
        assert track.grid is not None
        np.testing.assert_allclose(track.beats, [at for at, _ in beats])
        assert track.grid.positions.tolist() == [place for _, place in beats]
        assert [tuple(section) for section in track.sections] == SECTIONS[name]


def test_the_bundled_catalog_is_a_dataset() -> None:
    dataset = wb.datasets.load("bundled")
    check_dataset(dataset)
    assert len(dataset) == 20
    song = dataset["hill_road"]
    assert song.facts["title"] == "Hill Road"
    assert song.grid is not None
    assert song.grid.beats_per_bar == 2
    assert song.sections
    assert len(dataset.only("silence", "hill_road")) == 2


def test_beats_without_bars_are_beats(tmp_path: Path) -> None:
    _sounds(tmp_path)
    (tmp_path / "first.beats").write_text("0.5\n1.0\n1.5\n")
    (tmp_path / "third.lab").write_text("0 1 verse\n")
    dataset = datasets.load(tmp_path)
    track = dataset["first"]
    assert track.grid is None
    assert track.beats is not None
    assert track.beats.tolist() == [0.5, 1.0, 1.5]
    assert dataset["second"].beats is None
    assert any("second.wav: nothing is annotated" in fault for fault in dataset.faults)
    assert any("third.lab: no sound file" in fault for fault in dataset.faults)


def test_a_region_of_sonic_visualiser_has_its_value_between(tmp_path: Path) -> None:
    _sounds(tmp_path)
    (tmp_path / "first.csv").write_text('TIME,VALUE,DURATION,LABEL\n0.0,1,4.0,verse\n4.0,2,4.5,"chorus, loud"\n')
    track = datasets.load(tmp_path)["first"]
    assert [tuple(section) for section in track.sections] == [(0.0, 4.0, "verse"), (4.0, 8.5, "chorus, loud")]
    assert track.beats is None


def test_a_text_that_holds_no_beats_is_not_read_as_one(tmp_path: Path) -> None:
    _sounds(tmp_path)
    (tmp_path / "first.txt").write_text("0.0\tverse\n4.0\tchorus\n")
    (tmp_path / "second.txt").write_text("I walked the line,\nthe line walked me\n")
    dataset = datasets.load(tmp_path)
    assert dataset["first"].beats is None
    assert dataset["second"].beats is None
    assert dataset.to_frame().fault.tolist() == ["", ""]
    assert any("second.txt: neither beats nor sections" in fault for fault in dataset.faults)
    (tmp_path / "first.txt").write_text("0.5\tdownbeat\n1.0\t\n1.5\t3\n2.0\n")
    beats = datasets.load(tmp_path)["first"].beats
    assert beats is not None
    assert beats.tolist() == [0.5, 1.0, 1.5, 2.0]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheet_with_decimal_commas_is_read(separator: str, tmp_path: Path) -> None:
    _sounds(tmp_path)
    rows = [("time", "beat"), ("0,5", "1"), ("1,0", "2"), ("1,5", "1"), ("2,0", "2")]
    (tmp_path / "first.csv").write_text("".join(f"{separator.join(row)}\n" for row in rows))
    (tmp_path / "second.lab").write_text("0,0\t4,0\tverse\n4,0\t8,5\tchorus\n")
    dataset = datasets.load(tmp_path)
    grid = dataset["first"].grid
    assert grid is not None
    assert grid.downbeats.tolist() == [0.5, 1.5]
    assert [tuple(one) for one in dataset["second"].sections] == [(0.0, 4.0, "verse"), (4.0, 8.5, "chorus")]
    (tmp_path / "second.csv").write_text("take;mood\nthe best;calm\n")
    assert any("second.csv: neither beats nor sections" in fault for fault in datasets.load(tmp_path).faults)


def test_milliseconds_are_not_taken_for_seconds(tmp_path: Path) -> None:
    _sounds(tmp_path)
    (tmp_path / "first.beats").write_text("".join(f"{500 * beat}\t{beat % 4 + 1}\n" for beat in range(20)))
    with pytest.raises(GridError, match="times are in seconds"):
        _ = datasets.load(tmp_path)["first"].beats


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([{"time": 0.0, "duration": 1.0}], "section 1 needs a time, a duration and a value"),
        ({"time": [0.0], "duration": [1.0], "value": ["a"]}, "of sections is no list"),
        (["verse"], "section 1 needs a time"),
    ],
)
def test_a_broken_jams_is_said_and_is_a_row(data: object, complaint: str, tmp_path: Path) -> None:
    _sounds(tmp_path)
    document = {"annotations": [{"namespace": "segment_open", "data": data}]}
    (tmp_path / "first.jams").write_text(json.dumps(document))
    dataset = datasets.load(tmp_path)
    with pytest.raises(GridError, match=rf"first\.jams: .*{complaint}"):
        _ = dataset["first"].sections
    assert complaint in dataset.to_frame().fault["first"]


def test_what_an_index_lacks_is_said(tmp_path: Path) -> None:
    index = write_mirdata(tmp_path / "songs")
    (tmp_path / "songs" / "audio" / "first.wav").unlink()
    (tmp_path / "songs" / "annotations" / "second_truth.jams").unlink()
    dataset = datasets.load_mirdata(index)
    assert [track.name for track in dataset] == ["second"]
    assert dataset.faults == (
        "first: audio/first.wav is missing",
        "first: no sound",
        "second: annotations/second_truth.jams is missing",
    )
    elsewhere = index.rename(tmp_path / "index.json")
    assert len(datasets.load_mirdata(elsewhere, data_home=tmp_path / "songs")) == 1


def test_what_is_no_dataset_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        datasets.load(tmp_path / "gone")
    with pytest.raises(InputError, match="no sound file"):
        datasets.load(tmp_path)
    index = tmp_path / "index.json"
    for text, complaint in (("{", "not JSON"), ("[]", "it has no tracks"), ('{"tracks": 3}', "it has no tracks")):
        index.write_text(text)
        with pytest.raises(InputError, match=complaint):
            datasets.load(index)


def test_a_broken_annotation_names_its_file(tmp_path: Path) -> None:
    _sounds(tmp_path)
    (tmp_path / "first.beats").write_text("0.5 1\n0.4 2\n")
    (tmp_path / "second.jams").write_text("{}")
    dataset = datasets.load(tmp_path)
    with pytest.raises(GridError, match=r"first\.beats: line 2: 0\.4 s is not later"):
        _ = dataset["first"].beats
    with pytest.raises(GridError, match=r"second\.jams: not JAMS"):
        _ = dataset["second"].sections
