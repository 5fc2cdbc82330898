"""The bundled catalog is whole: files, hashes, truth and manifest agree with each other."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path

import jams
import numpy as np
import pytest
import soundfile

DATA = Path(__file__).resolve().parents[2] / "data"
BUNDLED = DATA / "bundled"
MOST_BYTES = 35_000_000
LEAST_SONGS = 15
REFUSALS = 5
EXPECTED_REFUSALS = ("low_confidence", "no_viable_loop", "no_loop_profile")
FIELDS: dict[str, type | tuple[type, ...]] = {
    "path": str,
    "track_id": str,
    "catalog_song_id": str,
    "catalog_audio_file_id": str,
    "title": str,
    "artist_name": str,
    "description": str,
    "tags": list,
    "moods": list,
    "genres": list,
    "instruments": list,
    "energy": (int, float),
    "explicit": bool,
    "instrumental": bool,
    "kind": str,
    "batch": int,
}

LINES = [json.loads(line) for line in (BUNDLED / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
NAMES = [Path(line["path"]).stem for line in LINES]


def table() -> dict[str, list[str]]:
    """The rows of the table in data/README.md: by file its size, licence, origin and hash."""
    rows = {}
    for text in (DATA / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = [cell.strip("`") for cell in cells[1:]]
    return rows


def truth(name: str) -> jams.JAMS:
    return jams.load(str(BUNDLED / "truth" / f"{name}.jams"))


def observations(loaded: jams.JAMS, namespace: str) -> list[jams.Observation]:
    return list(loaded.annotations.search(namespace=namespace)[0].data)


def test_the_readme_lists_every_file_with_its_hash_origin_and_licence() -> None:
    rows = table()
    files = {path.relative_to(BUNDLED).as_posix(): path for path in BUNDLED.rglob("*") if path.is_file()}
    assert set(rows) == set(files)
    for name, path in files.items():
        size, licence, origin, digest = rows[name]
        body = path.read_bytes()
        assert (int(size), digest) == (len(body), hashlib.sha256(body).hexdigest()), name
        assert licence not in ("", "?"), name
        assert origin not in ("", "?"), name


def test_everything_that_ships_is_under_the_limit() -> None:
    assert sum(path.stat().st_size for path in BUNDLED.rglob("*") if path.is_file()) < MOST_BYTES


def test_there_are_enough_songs_and_all_refusals() -> None:
    assert sum(line["kind"] == "song" for line in LINES) >= LEAST_SONGS
    assert sum(line["kind"] == "refusal" for line in LINES) == REFUSALS


def test_manifest_ids_and_paths_are_unique_and_complete() -> None:
    for field in ("path", "track_id", "catalog_song_id", "catalog_audio_file_id", "title"):
        assert len({line[field] for line in LINES}) == len(LINES), field
    assert {f"music/{path.name}" for path in (BUNDLED / "music").iterdir()} == {line["path"] for line in LINES}
    assert {path.stem for path in (BUNDLED / "truth").iterdir()} == set(NAMES)


@pytest.mark.parametrize("line", LINES, ids=NAMES)
def test_manifest_fields(line: dict[str, object]) -> None:
    for field, kind in FIELDS.items():
        assert isinstance(line.get(field), kind), field
        assert line[field] != "", field
    assert str(line["track_id"]).startswith("trk_")
    assert 0 <= float(str(line["energy"])) <= 1
    if line["kind"] == "song":
        assert 60 <= float(str(line["bpm"])) <= 180
        assert line["musical_key_mode"] in ("major", "minor")
    else:
        assert line["expected_refusal"] in EXPECTED_REFUSALS


@pytest.mark.parametrize("line", LINES, ids=NAMES)
def test_audio_decodes_to_stereo_at_44100_hz_below_full_scale(line: dict[str, object]) -> None:
    samples, rate = soundfile.read(BUNDLED / str(line["path"]), dtype="float32", always_2d=True)
    assert rate == 44_100
    assert samples.shape[1] == 2
    assert np.abs(samples).max() <= 10 ** (-1 / 20)
    if line["kind"] == "song":
        assert 60 <= len(samples) / rate <= 150
    stated = truth(Path(str(line["path"])).stem).file_metadata.duration
    assert len(samples) / rate == pytest.approx(stated, abs=1e-3)


@pytest.mark.parametrize("line", LINES, ids=NAMES)
def test_only_silence_is_silent(line: dict[str, object]) -> None:
    samples, rate = soundfile.read(BUNDLED / str(line["path"]), dtype="float32", always_2d=True)
    if line.get("expected_refusal") == "no_loop_profile":
        assert len(samples) == 30 * rate
        assert not samples.any()
    else:
        assert np.sqrt(np.mean(samples**2)) > 10 ** (-30 / 20)


@pytest.mark.parametrize("refusal", EXPECTED_REFUSALS)
def test_every_refusal_of_the_music_has_a_piece(refusal: str) -> None:
    assert refusal in {line.get("expected_refusal") for line in LINES}


@pytest.mark.parametrize("line", LINES, ids=NAMES)
def test_truth_says_why_a_piece_is_refused(line: dict[str, object]) -> None:
    loaded = truth(Path(str(line["path"])).stem)
    assert (loaded.sandbox["kind"], loaded.sandbox["batch"]) == (line["kind"], line["batch"])
    expected = line.get("expected_refusal")
    assert (expected is None) == (line["kind"] == "song")
    assert loaded.sandbox["has_pulse"] == (expected in (None, "no_viable_loop"))
    if not loaded.sandbox["has_pulse"]:
        for namespace in ("beat_position", "segment_open", "tempo"):
            assert observations(loaded, namespace) == []
        assert loaded.sandbox["metres"] == []
    if expected is not None:
        assert loaded.sandbox["exact_repeats"] == []


@pytest.mark.parametrize("name", NAMES)
def test_truth_is_a_valid_grid_within_the_file(name: str) -> None:
    loaded = truth(name)
    assert loaded.validate(strict=True)
    duration = loaded.file_metadata.duration
    beats = observations(loaded, "beat_position")
    assert bool(beats) == loaded.sandbox["has_pulse"]
    times = np.array([beat.time for beat in beats])
    assert (np.diff(times) > 0).all()
    assert len(times) == 0 or (times[0] >= 0 and times[-1] < duration)
    for before, after in itertools.pairwise(beats):
        first, second = before.value, after.value
        if second["position"] == 1:
            assert second["measure"] == first["measure"] + 1
        else:
            assert (second["measure"], second["position"]) == (first["measure"], first["position"] + 1)
        assert second["position"] <= second["num_beats"]


@pytest.mark.parametrize("name", NAMES)
def test_sections_follow_each_other_on_downbeats(name: str) -> None:
    loaded = truth(name)
    sections = observations(loaded, "segment_open")
    downbeats = [beat.time for beat in observations(loaded, "beat_position") if beat.value["position"] == 1]
    for before, after in itertools.pairwise(sections):
        assert before.time + before.duration == pytest.approx(after.time, abs=1e-4)
    if loaded.sandbox["has_pulse"]:
        for section in sections:
            assert min(abs(section.time - beat) for beat in downbeats) < 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_exact_repeats_begin_on_downbeats_and_do_not_overlap(name: str) -> None:
    loaded = truth(name)
    downbeats = np.array([beat.time for beat in observations(loaded, "beat_position") if beat.value["position"] == 1])
    for repeat in loaded.sandbox["exact_repeats"]:
        first, second = repeat["first"], repeat["second"]
        assert first[1] <= second[0] + 1e-6
        assert second[1] <= loaded.file_metadata.duration + 1e-6
        for start in (first[0], second[0]):
            assert np.abs(downbeats - start).min() < 1e-4
