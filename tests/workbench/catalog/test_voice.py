"""What is said of a voice in a track."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.catalog.certainty import is_sung, voice_words


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (0.04, "a voice with a probability of 4 %"),
        (float(np.float32(0.3)), "a voice with a probability of 30 %"),
        (0.31, "perhaps a voice, with a probability of 31 %"),
        (0.6, "perhaps a voice, with a probability of 60 %"),
        (float(np.float32(0.9)), "a voice with a probability of 90 %"),
    ],
)
def test_what_is_not_sure_is_said_as_a_doubt(chance: float, words: str) -> None:
    assert voice_words(chance) == words


def test_a_track_is_sung_from_where_it_is_not_called_instrumental_any_more() -> None:
    assert is_sung(0.95)
    assert not is_sung(0.6)
