"""The library keeps what is known about tracks and notices what became of their files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from workbench.catalog.library import Library, Measurement
from workbench.errors import MediaError, ParameterError, UnknownTrack
from workbench.features.descriptors import CONTOUR_PARTS, SOUND_DIMS
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def library(home: Home) -> Iterator[Library]:
    database = Database.at(home, WorkbenchSettings(database_url=None))
    yield Library(database)
    database.close()


@pytest.fixture
def track_file(tmp_path: Path) -> Path:
    path = tmp_path / "track.ogg"
    path.write_bytes(b"the sound of a track")
    return path


def test_a_new_track_has_an_id_and_a_hash(library: Library, track_file: Path) -> None:
    track = library.add(track_file, {"title": "Sea", "bpm": 92, "tags": ["calm"]})
    assert track.track_id.startswith("trk_")
    assert len(track.track_id) == 4 + 26  # a ULID
    assert track.content_hash == hashlib.sha256(track_file.read_bytes()).hexdigest()
    assert library.get(track.track_id) == track
    assert (track.title, track.bpm, track.tags) == ("Sea", 92.0, ("calm",))


def test_the_same_path_again_is_the_same_track(library: Library, track_file: Path) -> None:
    first = library.add(track_file, {"title": "Sea", "bpm": 92})
    again = library.add(track_file, {"bpm": 93})
    assert again.track_id == first.track_id
    assert (again.title, again.bpm) == ("Sea", 93.0)
    assert len(library.list()) == 1


def test_an_id_from_a_manifest_is_kept(library: Library, track_file: Path) -> None:
    assert library.add(track_file, track_id="mine").track_id == "mine"
    assert library.add(track_file, {"bpm": 90}, track_id="mine").bpm == 90.0
    assert [track.track_id for track in library.list()] == ["mine"]


def test_equal_bytes_under_two_ids_stay_two_tracks(library: Library, track_file: Path) -> None:
    one, other = library.add(track_file, track_id="one"), library.add(track_file, track_id="other")
    assert one.audio_id == other.audio_id
    assert [track.track_id for track in library.list()] == ["one", "other"]


def test_a_table_names_the_tracks_of_a_folder_that_was_added_before(library: Library, track_file: Path) -> None:
    named = library.add(track_file, {"title": "By hand"})
    since = library.revision()[1]
    given = library.add(track_file, {"licence": "CC0-1.0"}, track_id="a")
    assert library.list() == [given]
    assert (given.track_id, given.title, given.licence) == ("a", "By hand", "CC0-1.0")
    assert library.changes(since, 10).removed == (named.track_id,)


def test_equal_bytes_without_ids_are_one_track_by_whatever_path(library: Library, track_file: Path) -> None:
    first = library.add(track_file, {"title": "Sea"})
    copy = track_file.with_name("copy.ogg")
    copy.write_bytes(track_file.read_bytes())
    linked = track_file.with_name("linked.ogg")
    linked.symlink_to(track_file)
    for path in (copy, linked, track_file.parent / ".." / track_file.parent.name / track_file.name):
        again = library.add(path, {"bpm": 92})
        assert (again.track_id, again.path, again.title) == (first.track_id, track_file, "Sea")
    track_file.unlink()
    assert library.add(copy).path == copy  # it has moved
    assert len(library.list()) == 1


def test_a_file_that_moved_is_followed_though_other_music_is_in_its_place(library: Library, track_file: Path) -> None:
    first = library.add(track_file)
    moved = track_file.with_name("archive.ogg")
    track_file.rename(moved)
    track_file.write_bytes(b"a new mix")
    assert (library.add(moved).track_id, library.add(moved).path) == (first.track_id, moved)
    fresh = library.add(track_file)
    assert fresh.track_id != first.track_id
    assert len(library.list()) == 2


def test_a_link_to_a_folder_is_that_folder_and_a_link_to_a_file_a_name_of_its_own(
    library: Library, track_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "x" / "y").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "x" / "y")
    (tmp_path / "x" / "s.ogg").write_bytes(b"beside the target of the link")
    assert library.add(tmp_path / "link" / ".." / "s.ogg").path == tmp_path / "x" / "s.ogg"


def test_an_id_can_move_to_another_file(library: Library, track_file: Path, tmp_path: Path) -> None:
    library.add(track_file, {"title": "Sea"}, track_id="one")
    (tmp_path / "new.ogg").write_bytes(b"another master")
    moved = library.add(tmp_path / "new.ogg", track_id="one")
    assert (moved.path, moved.title) == (tmp_path / "new.ogg", "Sea")
    assert len(library.list()) == 1


def test_the_record_survives_the_process(library: Library, track_file: Path, home: Home) -> None:
    track = library.add(track_file, {"instrumental": True})
    database = Database.at(home, WorkbenchSettings(database_url=None))
    assert Library(database).list() == [track]
    database.close()


def test_fields_can_be_set_later(library: Library, track_file: Path) -> None:
    track = library.add(track_file, {"title": "Sea"})
    updated = library.update(track.track_id, {"duration_seconds": 91.5, "bpm": 120.0})
    assert (updated.title, updated.duration_seconds, updated.bpm) == ("Sea", 91.5, 120.0)
    assert library.get(track.track_id) == updated


def test_removing_forgets_the_record_not_the_file(library: Library, track_file: Path) -> None:
    track = library.add(track_file)
    library.remove(track.track_id)
    assert library.list() == []
    assert track_file.exists()


@pytest.mark.parametrize(
    "act",
    [
        Library.get,
        Library.remove,
        lambda library, name: library.update(name, {}),
    ],
)
def test_an_unknown_id_is_said(library: Library, act: Callable[[Library, str], object]) -> None:
    with pytest.raises(UnknownTrack, match=r"no track 'nobody'"):
        act(library, "nobody")


def test_a_file_that_is_not_there_adds_nothing(library: Library, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="no such file"):
        library.add(tmp_path / "missing.ogg")
    assert library.list() == []


def test_a_wrong_field_changes_nothing(library: Library, track_file: Path) -> None:
    track = library.add(track_file, {"bpm": 90})
    with pytest.raises(ParameterError, match="energy"):
        library.add(track_file, {"bpm": 100, "energy": 7})
    assert library.get(track.track_id).bpm == 90.0


def test_reindexing_notices_changed_and_missing_files(library: Library, tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.ogg" for name in ("same", "changed", "gone")}
    for name, path in paths.items():
        path.write_bytes(name.encode())
        library.add(path, {"title": name}, track_id=name)
    paths["changed"].write_bytes(b"a new master")
    paths["gone"].unlink()
    found = library.reindex()
    assert (found.unchanged, found.changed, found.missing) == (("same",), ("changed",), ("gone",))
    assert library.get("changed").content_hash == hashlib.sha256(b"a new master").hexdigest()
    assert library.get("gone").title == "gone"
    assert library.reindex().unchanged == ("same", "changed")


def measured(digest: str, **facts: object) -> Measurement:
    return Measurement(digest, "v1", facts, np.zeros(CONTOUR_PARTS, np.float16), np.zeros(SOUND_DIMS, np.float16))


class TestGivenAndMeasured:
    def test_given_wins_and_the_two_are_told_apart(self, library: Library, track_file: Path) -> None:
        track = library.add(track_file, {"bpm": 92, "title": "Sea"})
        library.record(measured(track.content_hash, bpm=92.3, energy=0.4, lufs=-14.0))
        track = library.get(track.track_id)
        assert (track.bpm, track.energy) == (92.0, 0.4)
        assert track.measured == {"energy"}
        assert track.contradictions == ()

    def test_half_a_heard_key_is_not_put_beside_half_a_given_one(self, library: Library, track_file: Path) -> None:
        track = library.add(track_file, {"musical_key_mode": "minor"})
        library.record(measured(track.content_hash, musical_key_name="C", musical_key_mode="major"))
        assert library.get(track.track_id).musical_key_name is None

    @pytest.mark.parametrize(
        ("given", "heard", "part"),
        [
            ({"bpm": 90}, {"bpm": 120.0}, "bpm 90 was given, 120 was measured, another tempo"),
            ({"bpm": 70}, {"bpm": 140.2}, "its double"),
            ({"bpm": 140}, {"bpm": 70.0}, "its half"),
            ({"instrumental": True}, {"instrumental": False}, "a voice was detected"),
            ({"duration_seconds": 100}, {"duration_seconds": 180.0}, "180 s"),
            (
                {"musical_key_name": "A", "musical_key_mode": "minor"},
                {"musical_key_name": "C", "musical_key_mode": "major"},
                "its relative",
            ),
        ],
    )
    def test_a_contradiction_is_said_in_words(
        self, library: Library, track_file: Path, given: dict[str, object], heard: dict[str, object], part: str
    ) -> None:
        track = library.add(track_file, given)
        library.record(measured(track.content_hash, **heard))
        (said,) = library.get(track.track_id).contradictions
        assert part in said

    def test_enharmonic_keys_and_rounded_numbers_agree(self, library: Library, track_file: Path) -> None:
        given = {"bpm": 120, "musical_key_name": "C#", "musical_key_mode": "minor", "duration_seconds": 61}
        heard = {"bpm": 121.5, "musical_key_name": "Db", "musical_key_mode": "minor", "duration_seconds": 60.4}
        track = library.add(track_file, given)
        library.record(measured(track.content_hash, **heard))
        assert library.get(track.track_id).contradictions == ()

    def test_equal_bytes_share_what_was_measured(self, library: Library, track_file: Path) -> None:
        first, second = library.add(track_file, track_id="a"), library.add(track_file, track_id="b")
        library.record(measured(first.content_hash, bpm=100.0))
        assert [library.get(name).bpm for name in "ab"] == [100.0, 100.0]
        assert library.measured([second.content_hash], "v1") == {first.content_hash}
        assert library.measured([second.content_hash], "v2") == set()


class TestChanges:
    def test_only_what_changed_since_is_told(self, library: Library, track_file: Path) -> None:
        for name in "abc":
            library.add(track_file, {"title": name}, track_id=name)
        first = library.changes(0, 100)
        assert [change.track.track_id for change in first.changed] == ["a", "b", "c"]
        library.update("b", {"title": "other"})
        library.remove("c")
        later = library.changes(first.revision, 100)
        assert [change.track.title for change in later.changed] == ["other"]
        assert later.removed == ("c",)
        assert library.revision()[1] == later.revision

    def test_steps_lose_nothing(self, library: Library, track_file: Path) -> None:
        for number in range(7):
            library.add(track_file, track_id=str(number))
        seen, at = [], 0
        while (step := library.changes(at, 2)).revision > at:
            seen += [change.track.track_id for change in step.changed]
            at = step.revision
        assert seen == [str(number) for number in range(7)]

    def test_a_removed_id_may_come_back(self, library: Library, track_file: Path) -> None:
        library.add(track_file, track_id="a")
        library.remove("a")
        library.add(track_file, track_id="a")
        assert library.changes(0, 100).removed == ()
