"""One suite for every store: a folder, memory, and S3 as moto serves it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from workbench.errors import ParameterError, StoreError
from workbench.store.objects import BucketStore, FolderStore, ObjectStore, open_store

BLOCK = 8 * 2**20


class StoreSuite:
    """What every store passes; a subclass has the fixture `store`, an empty one."""

    def test_reads_what_was_written_last(self, store: ObjectStore, tmp_path: Path) -> None:
        store.write("videos/vid_1.mp4", b"first")
        store.write("videos/vid_1.mp4", b"second, longer")

        assert store.read("videos/vid_1.mp4") == b"second, longer"
        assert store.download("videos/vid_1.mp4", tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == b"second, longer"

    def test_names_size_and_time(self, store: ObjectStore) -> None:
        before = time.time()

        store.write("tracks/ab/A song - 1.mp3", b"12345")

        found = store.find("tracks/ab/A song - 1.mp3")
        assert found is not None
        assert (found.name, found.bytes) == ("tracks/ab/A song - 1.mp3", 5)
        assert abs(found.modified_at - before) < 60.0

    @pytest.mark.parametrize("size", [0, 1, BLOCK, 2 * BLOCK + 17])
    def test_a_file_comes_back_byte_by_byte(self, store: ObjectStore, tmp_path: Path, size: int) -> None:
        (tmp_path / "video").write_bytes(os.urandom(size))

        store.upload(tmp_path / "video", "videos/v")

        assert store.download("videos/v", tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == (tmp_path / "video").read_bytes()
        found = store.find("videos/v")
        assert found is not None
        assert found.bytes == size

    def test_reads_ranges(self, store: ObjectStore) -> None:
        store.write("a", bytes(range(100)))

        assert store.read("a", 10, 5) == bytes(range(10, 15))
        assert store.read("a", 95) == bytes(range(95, 100))
        assert store.read("a", 95, 50) == bytes(range(95, 100))
        assert store.read("a", 100) == b""

    def test_what_is_not_there_is_none(self, store: ObjectStore, tmp_path: Path) -> None:
        assert store.find("videos/none") is None
        assert store.read("videos/none") is None
        assert not store.download("videos/none", tmp_path / "copy")
        assert list(store.every()) == []
        store.delete("videos/none")

    def test_creates_what_is_not_there_once(self, store: ObjectStore) -> None:
        created = []

        def create(number: int) -> None:
            created.append((store.create("workbench-id", str(number).encode()), number))

        threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        (winner,) = [number for first, number in created if first]
        assert store.read("workbench-id") == str(winner).encode()

    def test_lists_a_folder_or_all(self, store: ObjectStore) -> None:
        for name in ("videos/a", "videos/b/c", "videos2/d", "e"):
            store.write(name, name.encode())

        assert {found.name: found.bytes for found in store.every("videos")} == {"videos/a": 8, "videos/b/c": 10}
        assert {found.name for found in store.every()} == {"videos/a", "videos/b/c", "videos2/d", "e"}

    def test_deletes(self, store: ObjectStore) -> None:
        store.write("videos/a", b"1")
        store.write("videos/b", b"2")

        store.delete("videos/a")

        assert [found.name for found in store.every()] == ["videos/b"]

    @pytest.mark.parametrize("name", ["", "/a", "a/../b", ".a", "a\0b", "a\\b"])
    def test_refuses_names_that_leave_the_store(self, store: ObjectStore, name: str) -> None:
        with pytest.raises(ParameterError, match="no name of an object"):
            store.write(name, b"")
        with pytest.raises(ParameterError, match="no name of an object"):
            store.find(name)

    def test_a_name_may_look_like_a_part_of_a_file(self, store: ObjectStore) -> None:
        store.write("tracks/song.part1.mp3", b"1")

        assert [found.name for found in store.every()] == ["tracks/song.part1.mp3"]

    def test_nobody_reads_a_part(self, store: ObjectStore, tmp_path: Path) -> None:
        versions = [bytes([number]) * (BLOCK + 3 + number) for number in range(4)]
        for number, version in enumerate(versions):
            (tmp_path / str(number)).write_bytes(version)
        store.upload(tmp_path / "0", "videos/v")
        done = threading.Event()

        def write() -> None:
            for number in range(4):
                store.upload(tmp_path / str(number), "videos/v")
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        seen = 0
        while not done.is_set() or seen == 0:
            assert store.download("videos/v", tmp_path / "copy")
            assert (tmp_path / "copy").read_bytes() in versions
            seen += 1
        writer.join()

    def test_a_file_that_is_missing_writes_nothing(self, store: ObjectStore, tmp_path: Path) -> None:
        with pytest.raises(StoreError):
            store.upload(tmp_path / "none", "videos/v")

        assert list(store.every()) == []


class TestFolder(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectStore:
        return open_store(str(tmp_path / "store"))

    def test_a_folder_that_cannot_be_written_says_so(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")

        with pytest.raises(StoreError, match="the store cannot be used"):
            FolderStore(tmp_path / "file").write("videos/a", b"")

    def test_parts_of_killed_writers_are_no_objects_and_go(self, tmp_path: Path) -> None:
        store = FolderStore(tmp_path)
        store.write("videos/a", b"1")
        left = tmp_path / "videos" / ".17-ab.part"
        left.write_bytes(b"half")
        os.utime(left, (1.0, 1.0))

        assert [found.name for found in store.every()] == ["videos/a"]
        assert not left.exists()


class TestMemory(StoreSuite):
    @pytest.fixture
    def store(self) -> ObjectStore:
        pytest.importorskip("obstore")
        return BucketStore("memory:///")


class TestS3(StoreSuite):
    @pytest.fixture
    def store(self, bucket: str) -> ObjectStore:
        return open_store(bucket)

    def test_a_bucket_that_is_missing_says_so(self, bucket: str) -> None:
        with pytest.raises(StoreError, match="s3://no-such-bucket/x: the store cannot be used"):
            open_store("s3://no-such-bucket/x").write("videos/a", b"")


@pytest.mark.parametrize(
    "url", ["ftp://host/x", "s3://", "s3:/bucket", "folder", "https://bucket.example", "file://host/x"]
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ParameterError, match="not a store"):
        open_store(url)


def test_a_file_address_is_a_folder(tmp_path: Path) -> None:
    assert open_store((tmp_path / "my store").as_uri()).url == str(tmp_path / "my store")


def test_an_incomplete_address_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("obstore")
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)

    with pytest.raises(StoreError, match="az://music/x: the store cannot be used"):
        open_store("az://music/x")
