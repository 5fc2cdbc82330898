"""Files in a home folder, and in a store of which home folders are caches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.damage import WAYS, Way, damage
from workbench.errors import MediaError, StoreError
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.settings import WorkbenchSettings
from workbench.store.stored_files import StoredFiles, is_stored, open_files


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "store")


def machine(tmp_path: Path, name: str, store: FolderStore, cache_bytes: int = 2**20) -> StoredFiles:
    return StoredFiles(Home(tmp_path / name), store, cache_bytes)


def written(files: StoredFiles, content: bytes) -> Path:
    """A file in the home folder, as a job leaves one."""
    path = files.home.prepared(files.home.scratch) / "made"
    path.write_bytes(content)
    return path


def cached(files: StoredFiles) -> dict[str, int]:
    """Name and size of every copy."""
    found = files.home.cached.rglob("*")
    return {path.name: path.stat().st_size for path in found if path.is_file() and path.name[0] != "."}


class TestWithoutStore:
    def test_files_are_in_the_folders_of_the_home(self, tmp_path: Path) -> None:
        files = open_files(Home(tmp_path / "home"), WorkbenchSettings(store_url=None))

        place = files.keep(written(files, b"1"), "videos", "vid_1")

        assert place == tmp_path / "home" / "videos" / "vid_1"
        assert files.fetch(place) == place
        assert [found.name for _, found in files.every("videos")] == ["videos/vid_1"]
        assert files.delete(place) == 1
        assert not files.has(place)

    def test_a_file_of_the_user_stays_where_it_is(self, tmp_path: Path) -> None:
        files = StoredFiles(Home(tmp_path / "home"))

        assert files.add(tmp_path / "song.mp3", "tracks", "ab/song.mp3") == tmp_path / "song.mp3"

    def test_a_file_of_a_store_says_what_is_missing(self, tmp_path: Path, store: FolderStore) -> None:
        there = machine(tmp_path, "there", store)
        place = there.keep(written(there, b"1"), "videos", "vid_1")

        with pytest.raises(StoreError, match="set WORKBENCH_STORE_URL"):
            StoredFiles(Home(tmp_path / "here")).fetch(place)


def test_what_one_machine_keeps_another_fetches(tmp_path: Path, store: FolderStore) -> None:
    one, other = machine(tmp_path, "one", store), machine(tmp_path, "other", store)

    place = one.keep(written(one, b"the video"), "videos", "vid_1")

    assert is_stored(place)
    assert other.has(place)
    assert other.fetch(place).read_bytes() == b"the video"
    assert other.fetch(place).is_relative_to(tmp_path / "other")


def test_deleted_for_all(tmp_path: Path, store: FolderStore) -> None:
    one, other = machine(tmp_path, "one", store), machine(tmp_path, "other", store)
    place = one.keep(written(one, b"12345"), "uploads", "upl_1")

    assert other.delete(place) == 5

    assert list(store.every()) == []
    assert list(one.every("uploads")) == []
    with pytest.raises(MediaError, match="upl_1: no such file in the store"):
        machine(tmp_path, "third", store).fetch(place)


def test_a_track_of_the_user_is_copied_to_the_store_and_stays(tmp_path: Path, store: FolderStore) -> None:
    (tmp_path / "song.mp3").write_bytes(b"music")
    one, other = machine(tmp_path, "one", store), machine(tmp_path, "other", store)

    place = one.add(tmp_path / "song.mp3", "tracks", "ab/song.mp3")

    assert (tmp_path / "song.mp3").exists()
    assert one.add(place, "tracks", "cd/other.mp3") == place
    assert other.fetch(place).read_bytes() == b"music"


def test_other_paths_are_left_alone(tmp_path: Path, store: FolderStore) -> None:
    assert machine(tmp_path, "one", store).fetch(Path("/home/me/song.mp3")) == Path("/home/me/song.mp3")


def test_the_copies_used_longest_ago_make_room(tmp_path: Path, store: FolderStore) -> None:
    for number in range(8):
        store.write(f"videos/v{number}", bytes(100))
    files = machine(tmp_path, "home", store, cache_bytes=550)

    for number in (0, 1, 2, 3, 4):
        copy = files.fetch(files.place("videos", f"v{number}"))
        os.utime(copy, (1000.0 + number, 1000.0 + number))
    files.release()
    files.fetch(files.place("videos", "v0"))  # used again: now the newest
    files.release()
    files.fetch(files.place("videos", "v5"))

    assert set(cached(files)) == {"v0", "v4", "v3", "v5"}


def test_what_is_in_use_is_not_deleted(tmp_path: Path, store: FolderStore) -> None:
    for number in range(4):
        store.write(f"videos/v{number}", bytes(100))
    reader, other = (machine(tmp_path, "home", store, cache_bytes=250) for _ in range(2))
    used = reader.fetch(reader.place("videos", "v0"))

    for number in (1, 2, 3):
        other.fetch(other.place("videos", f"v{number}"))
        other.release()

    assert used.exists()
    reader.release()
    other.fetch(other.place("videos", "v2"))
    other.release()
    other.fetch(other.place("videos", "v1"))
    assert not used.exists()


def test_a_file_larger_than_the_cache_is_still_read(tmp_path: Path, store: FolderStore) -> None:
    store.write("videos/v", bytes(1000))

    assert machine(tmp_path, "home", store, cache_bytes=10).fetch(Path("/workbench-store/videos/v")).stat().st_size


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_copy_is_fetched_again(
    tmp_path: Path, store: FolderStore, way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = machine(tmp_path, "one", store), machine(tmp_path, "other", store)
    place = one.keep(written(one, b"the video"), "videos", "vid_1")
    for files in (one, other):
        assert damage([files.fetch(place)], way)
        assert files.fetch(place).read_bytes() == b"the video"
    assert caplog.text.count("is damaged") == 2


def test_a_copy_that_somebody_removed_is_fetched_again(tmp_path: Path, store: FolderStore) -> None:
    store.write("videos/v", b"1")
    files = machine(tmp_path, "home", store)
    files.fetch(files.place("videos", "v")).unlink()

    assert files.fetch(files.place("videos", "v")).read_bytes() == b"1"


_HAMMER = """
import random, sys, zlib
from pathlib import Path
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.stored_files import StoredFiles
home, root, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
files, draw = StoredFiles(Home(home), FolderStore(root), 40_000), random.Random(seed)
most = 0
for turn in range(250):
    number = draw.randrange(20)
    content = files.fetch(files.place("videos", f"v{number}")).read_bytes()
    assert content == bytes([number]) * (4000 + number), (number, len(content))
    if turn % 3 == 0:
        files.release()
"""


def test_many_processes_share_one_cache(tmp_path: Path, store: FolderStore) -> None:
    """Each reads whole files though the others delete and download; killed ones hold nothing up."""
    for number in range(20):
        store.write(f"videos/v{number}", bytes([number]) * (4000 + number))
    command = [sys.executable, "-c", _HAMMER, str(tmp_path / "home"), str(tmp_path / "store")]
    killed = subprocess.Popen([*command, "0"])
    running = [subprocess.Popen([*command, str(seed)], stderr=subprocess.PIPE) for seed in range(1, 5)]
    killed.kill()
    killed.wait()

    for process in running:
        _, problem = process.communicate(timeout=120)
        assert process.returncode == 0, problem.decode()

    files = machine(tmp_path, "home", store, cache_bytes=40_000)
    files.fetch(files.place("videos", "v0"))
    store.write("videos/new", bytes(30_000))
    files.release()
    files.fetch(files.place("videos", "new"))
    assert sum(cached(files).values()) <= 40_000


def test_a_cache_that_cannot_be_used_is_an_error_of_the_store(tmp_path: Path, store: FolderStore) -> None:
    files = machine(tmp_path, "a", store, cache_bytes=1000)
    place = files.keep(written(files, b"1" * 10), "videos", "one")
    copy = files.home.cached / "videos" / "one"
    copy.unlink()
    copy.symlink_to(copy)  # whoever opens it goes round in circles

    with pytest.raises(StoreError, match="the cache cannot be used"):
        files.fetch(place)


def test_one_copy_is_released_and_the_others_are_kept(tmp_path: Path, store: FolderStore) -> None:
    files = machine(tmp_path, "a", store, cache_bytes=1000)
    one, other = (files.keep(written(files, b"1" * 400), "previews", name) for name in ("one", "other"))
    for place in (one, other):
        files.fetch(place)

    files.release(one)
    files.release(tmp_path / "no file of the store")
    files.keep(written(files, b"1" * 400), "previews", "third")

    assert set(cached(files)) == {"other", "third"}
