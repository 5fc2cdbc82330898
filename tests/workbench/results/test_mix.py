from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from workbench.results.mix import DuckBody, MixBody, mix_body

DUCK: dict[str, Any] = {
    "envelope_points": [[0.0, 0.0], [0.5, 12.0]],
    "envelope_hz": 100,
    "speech_ranges": [[0.5, 2.0]],
    "depth_db": 12.0,
    "attack_ms": 300,
    "release_ms": 800,
}


def test_without_a_voice_there_are_no_gains_and_duck_is_null() -> None:
    silent = MixBody(voiceover=False, classification="silent", duck=None)
    assert silent.to_json() == {"voiceover": False, "classification": "silent", "duck": None}


@pytest.mark.parametrize(
    "given",
    [
        {"voiceover": False, "duck": DuckBody(**DUCK)},
        {"voiceover": False, "duck": None, "music_gain_db": -1.0},
        {"voiceover": True, "duck": None, "music_gain_db": -1.0, "video_gain_db": 0.0},
        {"voiceover": True, "duck": DuckBody(**DUCK)},
    ],
)
def test_gains_and_duck_go_with_the_voiceover(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="voiceover"):
        MixBody(classification="voice", **given)


@pytest.mark.parametrize(
    "damage",
    [
        {"envelope_points": [[0.5, 0.0], [0.5, 1.0]]},
        {"envelope_points": [[0.5, -1.0]]},
        {"envelope_points": [[0.5]]},
        {"speech_ranges": [[2.0, 1.0]]},
        {"speech_ranges": [[1.0, 3.0], [2.0, 4.0]]},
        {"depth_db": -1.0},
        {"attack_ms": 1.5},
    ],
)
def test_a_curve_that_cannot_be_played_is_refused(damage: dict[str, Any]) -> None:
    DuckBody(**DUCK)
    with pytest.raises(ValidationError):
        DuckBody(**(DUCK | damage))


def test_a_body_is_made_of_a_mix_and_rounded_after_the_curve_is_known() -> None:
    measured = MixBody(
        voiceover=True,
        classification="voice",
        music_gain_db=-3.14159,
        video_gain_db=0.0,
        duck=DuckBody(**(DUCK | {"envelope_points": [[0.12345678, 0.001], [0.5, 12.3456]], "depth_db": 12.3456})),
    )
    body = mix_body(measured)
    assert body.music_gain_db == -3.14
    assert body.duck is not None
    assert body.duck.envelope_points == [[0.123457, 0.0], [0.5, 12.35]]
    assert body.duck.depth_db == 12.35
    assert mix_body(body) == body
    silent = MixBody(voiceover=False, classification="ambient", duck=None)
    assert mix_body(silent).to_json() == silent.to_json()
