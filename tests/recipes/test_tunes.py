"""Every tune can be read, its bars add up, and it can be dressed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.recipes.training.abc_notation import TuneError, read_tune, read_tunes
from data.recipes.training.orchestration import OUTFITS, arrange, metre_class

TUNES = Path(__file__).resolve().parents[2] / "data" / "recipes" / "training" / "tunes"
FILES = sorted(TUNES.glob("*.abc"))
ALL = [tune for path in FILES for tune in read_tunes(path)]
HEAD = "C:nobody\nY:1800\nS:test\nR:song\nL:1/4\nM:3/4\nQ:1/4=120\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_tune_of_a_file_adds_up(path: Path) -> None:
    tunes = read_tunes(path)
    assert len({tune.title for tune in tunes}) == len(tunes)
    for tune in tunes:
        assert tune.public_domain
        assert 0 <= tune.pickup < tune.bars[0]
        assert all(note.at + note.beats <= sum(tune.bars) for note in tune.notes)
        assert all(50 <= note.pitch <= 90 for note in tune.notes)


def test_repeats_endings_and_pickups_are_written_out() -> None:
    tune = read_tune(f'T:a\n{HEAD}K:D\nA|"D"f3|1 c2:|2 "A"c3||"D"d2')
    assert [(float(note.at), note.pitch) for note in tune.notes] == [
        (-1, 69), (0, 78), (3, 73), (5, 69), (6, 78), (9, 73), (12, 74),
    ]  # fmt: skip
    assert tune.bars == (3, 3, 3, 3, 3)
    assert tune.sections == (0, 2, 4)


def test_lengths_ties_tuplets_and_accidentals() -> None:
    tune = read_tune(f'T:a\n{HEAD}K:F\n"F"(3B/=B/B/ c>d-|d z _e|')
    assert [note.pitch for note in tune.notes] == [70, 71, 71, 72, 74, 75]
    assert [float(note.beats) for note in tune.notes[3:]] == [1.5, 1.5, 1.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [('"C"ccc|cc|ccc|', "bar 2"), ('"C"ccc|cccc|', "bar 2"), ('"H"ccc|', "chord"), ('"C"c?c|', "cannot read")],
)  # fmt: skip
def test_errors_name_the_tune_and_the_bar(body: str, message: str) -> None:
    with pytest.raises(TuneError, match="odd") as caught:
        read_tune(f"T:odd\n{HEAD}K:C\n{body}")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", sorted(OUTFITS))
def test_an_outfit_dresses_tunes_of_every_metre_it_allows(name: str) -> None:
    outfit = OUTFITS[name]
    tunes = [tune for tune in ALL if metre_class(tune) in outfit.metres.split()]
    for number, tune in enumerate(tunes[::23]):
        score = arrange(np.random.default_rng(number), "test", tune, outfit)
        assert 44 <= score.n_beats * 60 / score.bpm <= 101
        assert all(note.beats > 0 and 0 < note.pitch < 128 for part in score.parts for note in part.notes)
