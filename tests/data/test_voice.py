"""The shipped narration: what the JSON says is where the sound is."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

FOLDER = Path(__file__).resolve().parents[2] / "data" / "bundled" / "voice"
EDGE_SECONDS = 0.04  # Vorbis smears an edge over a long block


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FOLDER / "narration.json").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def sound(facts: dict[str, Any]) -> np.ndarray[Any, Any]:
    samples, rate = soundfile.read(FOLDER / "narration.ogg", dtype="float32")
    assert rate == facts["sample_rate"]
    assert samples.ndim == 1
    return np.asarray(samples)


def seconds(sound: np.ndarray[Any, Any], facts: dict[str, Any], start: float, end: float) -> np.ndarray[Any, Any]:
    return sound[int(start * facts["sample_rate"]) : int(end * facts["sample_rate"])]


def peak_db(samples: np.ndarray[Any, Any]) -> float:
    return float(20 * np.log10(np.abs(samples).max() + 1e-9))


def test_files_are_small_and_as_long_as_the_video(facts: dict[str, Any], sound: np.ndarray[Any, Any]) -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_000_000
    assert sound.size == facts["clip_seconds"] * facts["sample_rate"]


def test_utterances_begin_and_end_where_the_json_says(facts: dict[str, Any], sound: np.ndarray[Any, Any]) -> None:
    for utterance in facts["phrases"]:
        start, end = utterance["start_s"], utterance["end_s"]
        floor = peak_db(seconds(sound, facts, start, end)) - 50
        assert peak_db(seconds(sound, facts, start, start + EDGE_SECONDS)) > floor
        assert peak_db(seconds(sound, facts, end - EDGE_SECONDS, end)) > floor
        assert peak_db(seconds(sound, facts, start - 0.3, start - EDGE_SECONDS)) < floor
        assert peak_db(seconds(sound, facts, end + EDGE_SECONDS, end + 0.3)) < floor


def test_nobody_speaks_outside_the_utterances(facts: dict[str, Any], sound: np.ndarray[Any, Any]) -> None:
    edges = [0.0, *(t for p in facts["phrases"] for t in (p["start_s"], p["end_s"])), facts["clip_seconds"]]
    for end, start in zip(edges[::2], edges[1::2], strict=True):
        assert peak_db(seconds(sound, facts, end + EDGE_SECONDS, start - EDGE_SECONDS)) < -70


def test_the_narration_leaves_room_for_music(facts: dict[str, Any]) -> None:
    utterances = facts["phrases"]
    assert 14 <= len(utterances) <= 18
    assert all(2 <= p["end_s"] - p["start_s"] <= 8 for p in utterances)
    gaps = [after["start_s"] - before["end_s"] for before, after in pairwise(utterances)]
    assert sum(gap > 20 for gap in gaps) == max(p["group"] for p in utterances) - 1
    assert all(0.3 < gap < 3 or gap > 20 for gap in gaps)


def test_utterances_are_as_loud_as_stated(facts: dict[str, Any], sound: np.ndarray[Any, Any]) -> None:
    pyloudnorm = pytest.importorskip("pyloudnorm")
    meter = pyloudnorm.Meter(facts["sample_rate"])
    for utterance in facts["phrases"]:
        loudness = meter.integrated_loudness(seconds(sound, facts, utterance["start_s"], utterance["end_s"]))
        assert loudness == pytest.approx(utterance["lufs"], abs=0.5)
    levels = sorted(utterance["lufs"] for utterance in facts["phrases"])
    assert levels[len(levels) // 2] == pytest.approx(-20, abs=1)
    assert levels[0] < -25, "one confidence is hardly more than a whisper"
