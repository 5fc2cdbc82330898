"""Every style of popular music composes a piece that can be played and counted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from data.recipes.training.composition import STYLES, Registered, load_styles

FAMILIES = ("rock", "pop", "electronic", "hiphop", "groove", "latin", "world")
PITCHES = {"drums": (27, 87), "bass": (24, 60)}
"""lowest and highest key by role; other parts lie on a piano"""


@pytest.fixture(scope="module")
def registered() -> Mapping[str, Registered]:
    load_styles()
    return {name: style for name, style in STYLES.items() if style.family in FAMILIES}


def test_every_family_has_styles_and_some_are_held_out(registered: Mapping[str, Registered]) -> None:
    assert {style.family for style in registered.values()} == set(FAMILIES)
    held_out = sum(style.held_out for style in registered.values())
    assert 0.1 < held_out / len(registered) < 0.25


def test_pieces_last_as_long_as_training_needs(registered: Mapping[str, Registered]) -> None:
    for name, style in registered.items():
        score = style.compose(np.random.default_rng(11))
        assert score.style == name
        assert 45 <= score.n_beats * 60 / score.bpm <= 101, name


def test_notes_are_in_order_in_range_and_within_the_piece(registered: Mapping[str, Registered]) -> None:
    for name, style in registered.items():
        score = style.compose(np.random.default_rng(12))
        for part in score.parts:
            notes = np.array([(note.at, note.beats, note.pitch, note.velocity) for note in part.notes], dtype=float)
            low, high = PITCHES.get(part.role, (21, 108))
            assert notes.size, name
            assert np.isfinite(notes).all(), name
            assert (np.diff(notes[:, 0]) >= 0).all(), name
            assert (notes[:, 1] > 0).all(), name
            assert low <= notes[:, 2].min() <= notes[:, 2].max() <= high, (name, part.role)
            assert 1 <= notes[:, 3].min() <= notes[:, 3].max() <= 127, name
            assert -score.bars[0] <= notes[0, 0] <= notes[-1, 0] < score.n_beats, name


@pytest.mark.slow
def test_a_generator_in_the_same_state_composes_the_same_piece(registered: Mapping[str, Registered]) -> None:
    for style in registered.values():
        assert style.compose(np.random.default_rng(3)) == style.compose(np.random.default_rng(3))


def test_house_has_a_kick_on_most_beats_of_its_drops(registered: Mapping[str, Registered]) -> None:
    score = registered["house"].compose(np.random.default_rng(4))
    kicks = [note.at for part in score.parts for note in part.notes if part.role == "drums" and note.pitch == 36]
    on_beat = np.isclose(np.mod(kicks, 1), 0)
    assert len(kicks) > 40
    assert on_beat.mean() > 0.75
