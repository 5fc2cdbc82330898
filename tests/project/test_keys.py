"""How pieces with a key by others are read, played and counted."""

from __future__ import annotations

from pathlib import Path

import mido
import numpy as np
import pytest

from tests.benchmarks.elsewhere.keys import (
    PROFILES,
    KeyedPiece,
    drawn_pieces,
    measure,
    nearness,
    notes_of,
    parts_of,
    pitch_class,
    scores_by,
)

C_MAJOR = (0, 4, 7, 0, 5, 9, 7, 11, 2, 0)


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    """A piece or two of each source, laid out as the repositories are."""
    pop, folk, bach = tmp_path / "POP909-Dataset", tmp_path / "nottingham-dataset", tmp_path / "asap-dataset"
    for name, labels in (("001", "0.5 190.0 Gb:maj\n"), ("002", "0.5 90.0 C:min\n90.0 200.0 D:min\n")):
        (pop / "POP909" / name).mkdir(parents=True)
        (pop / "POP909" / name / "key_audio.txt").write_text(labels)
    (folk / "ABC_cleaned").mkdir(parents=True)
    (folk / "MIDI").mkdir()
    tunes = "X: 1\nT:One\nK:Am\nabc\n\nX: 2\nT:Modal\nK:Edor\nabc\n\nX: 3\nT:Not rendered\nK:G\nabc\n"
    (folk / "ABC_cleaned" / "jigs.abc").write_text(tunes)
    for number in (1, 2):
        (folk / "MIDI" / f"jigs{number}.mid").touch()
    for name in ("Prelude/bwv_847", "Prelude/bwv_806", "Fugue/bwv_893"):
        (bach / "Bach" / name).mkdir(parents=True)
        (bach / "Bach" / name / "midi_score.mid").touch()
        (bach / "Bach" / name / "Player01.mid").touch()
    return tmp_path


def test_only_pieces_with_one_key_in_major_or_minor_are_taken(checkouts: Path) -> None:
    assert [(piece.source, piece.path.name, piece.tonic, piece.mode) for piece in drawn_pieces(checkouts)] == [
        ("pop songs", "001.mid", 6, 0),
        ("folk tunes", "jigs1.mid", 9, 1),
        ("preludes and fugues", "Player01.mid", 11, 1),
        ("preludes and fugues", "Player01.mid", 0, 1),
    ]


def test_a_source_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn_pieces(tmp_path) == []
    assert "POP909-Dataset is not in" in capsys.readouterr().err


def test_notes_come_at_their_time_whatever_the_tempo(tmp_path: Path) -> None:
    file = mido.MidiFile(ticks_per_beat=100)
    tempo, tune = mido.MidiTrack(), mido.MidiTrack()
    tempo.append(mido.MetaMessage("set_tempo", tempo=500_000, time=0))
    tempo.append(mido.MetaMessage("set_tempo", tempo=1_000_000, time=200))
    tune.append(mido.Message("note_on", note=60, velocity=90, time=100))
    tune.append(mido.Message("note_off", note=60, time=200))
    file.tracks.extend((tempo, tune))
    path = tmp_path / "tune.mid"
    file.save(str(path))
    assert [(time, track, message.type) for time, track, message in notes_of(path)] == [
        (0.5, 1, "note_on"),
        (2.0, 1, "note_off"),
    ]


def test_a_part_has_whole_notes_and_drums_are_none(tmp_path: Path) -> None:
    file, tune, drums = mido.MidiFile(ticks_per_beat=100), mido.MidiTrack(), mido.MidiTrack()
    for time, kind in ((0, "note_on"), (100, "note_on"), (100, "note_off")):  # struck again while it sounds
        tune.append(mido.Message(kind, note=60, velocity=90, time=time))
    drums.append(mido.Message("note_on", channel=9, note=36, velocity=90))
    drums.append(mido.Message("note_off", channel=9, note=36, time=100))
    file.tracks.extend((tune, drums))
    path = tmp_path / "tune.mid"
    file.save(str(path))
    assert parts_of(path) == [[(0.0, 0.5, 60, 90), (0.5, 0.5, 60, 90)]]


@pytest.mark.parametrize(
    ("key", "true", "worth"),
    [
        ((0, 0), (0, 0), 1.0),
        ((7, 0), (0, 0), 0.5),
        ((5, 1), (0, 1), 0.5),
        ((9, 1), (0, 0), 0.3),
        ((0, 0), (9, 1), 0.3),
        ((0, 1), (0, 0), 0.2),
        ((2, 0), (0, 0), 0.0),
        ((4, 1), (0, 0), 0.0),
    ],
)
def test_a_key_that_is_near_counts_in_part(key: tuple[int, int], true: tuple[int, int], worth: float) -> None:
    assert nearness(*key, *true) == worth


def test_each_rule_finds_a_plain_key_and_says_how_sure_it_is() -> None:
    tones = np.bincount(C_MAJOR, minlength=12).astype(np.float64)
    profile = np.log1p(20.0 * np.stack([tones, tones, tones]) / tones.sum())
    for major, minor in PROFILES.values():
        assert int(scores_by(major, minor)(np.roll(profile, 3, axis=1)).argmax()) == 2 * 3
    piece = KeyedPiece("pop songs", Path("x.mid"), pitch_class("Eb"), 0)
    found = measure([piece], [np.roll(profile, 3, axis=1)])
    assert [row[0] for row in found.rows] == ["ours", "Temperley", "Krumhansl"]
    assert [row[3] for row in found.rows] == [1.0, 1.0, 1.0]
