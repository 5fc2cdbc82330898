"""The array store gives back what was put in, or makes it again; never anything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.damage import WAYS, Way, damage
from workbench.errors import ParameterError, StoreError
from workbench.files import abandoned_parts
from workbench.params import Params
from workbench.store.arrays import ArrayStore, Variable
from workbench.store.fingerprint import StageKey
from workbench.store.home import Home
from workbench.store.objects import FolderStore
from workbench.store.stored_files import StoredFiles

HASH = "0123456789abcdef" * 4


class Toy(Params):
    """Parameters of the stage that these tests pretend to be."""

    size: int = 4


KEY = StageKey.of(HASH, "beats", 1, Toy())


_DECLARED = (
    Variable("power", ("band", "frame"), "float32", "1", "power in bands"),
    Variable("beats", ("beat",), "float64", "s", "beat times"),
    Variable("beats_per_bar", (), "int32", "1", "a name that begins like another"),
    Variable("zeros", ("beat",), "int32", "1", "nothing but zeros"),
    Variable("none", ("hole",), "float64", "s", "no value at all"),
    Variable("metre", (), "int32", "1", "beats in a bar"),
)
NOTES = {variable.name: variable for variable in _DECLARED}


def arrays() -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(7)
    return {
        "power": rng.random((8, 50), dtype=np.float32),
        "beats": np.arange(20) * 0.5,
        "beats_per_bar": np.array(3, np.int32),
        "zeros": np.zeros(20, np.int32),
        "none": np.zeros(0),
        "metre": np.array(4, np.int32),
    }


class Counted:
    """Computes the arrays, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> dict[str, NDArray[Any]]:
        self.calls += 1
        return arrays()


def assert_same(found: dict[str, NDArray[Any]], expected: dict[str, NDArray[Any]]) -> None:
    assert set(found) == set(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def never() -> dict[str, NDArray[Any]]:
    raise AssertionError("computed although it is in the store")


@pytest.fixture
def store(tmp_path: Path) -> ArrayStore:
    return ArrayStore(tmp_path / "arrays", NOTES)


class TestKeeping:
    def test_computed_once_then_read(self, store: ArrayStore) -> None:
        assert_same(store.load_or_compute(KEY, arrays), arrays())
        assert_same(store.load_or_compute(KEY, never), arrays())
        stats = store.stats()
        assert (stats.files, stats.hits, stats.misses, stats.rebuilt) == (1, 1, 1, 0)
        assert stats.bytes == store.path(KEY).stat().st_size

    def test_read_or_computed_the_arrays_are_locked(self, store: ArrayStore) -> None:
        for found in (store.load_or_compute(KEY, arrays), store.load_or_compute(KEY, never)):
            with pytest.raises(ValueError, match="read-only"):
                found["beats"][0] = 1.0

    def test_another_key_is_another_file(self, store: ArrayStore) -> None:
        store.save(KEY, arrays())
        assert store.load(StageKey.of(HASH, "beats", 2, Toy())) is None
        assert store.load(StageKey.of(HASH, "beats", 1, Toy(size=5))) is None

    def test_deleting_the_store_changes_no_result(self, store: ArrayStore) -> None:
        before = store.load_or_compute(KEY, arrays)
        store.path(KEY).unlink()
        assert_same(store.load_or_compute(KEY, arrays), before)

    def test_what_is_read_again_comes_from_memory_until_somebody_touches_the_file(self, store: ArrayStore) -> None:
        store.save(KEY, arrays())
        first, again = store.load(KEY), store.load(KEY)
        assert first is not None
        assert again is not None
        assert again["beats"] is first["beats"]
        again.clear()  # whoever takes it may do as they like
        assert_same(store.load(KEY) or {}, arrays())
        os.utime(store.path(KEY), (0, 0))
        read = store.load(KEY)
        assert store.path(KEY).stat().st_mtime_ns > 0, "it was used, and is pruned later"
        assert read is not None
        assert read["beats"] is not first["beats"]

    def test_the_memory_forgets_what_was_read_longest_ago(self, store: ArrayStore) -> None:
        keys = [StageKey.of(HASH, "beats", 1, Toy(size=size)) for size in range(1, 6)]
        for key in keys:
            store.save(key, arrays())
        found = {key: store.load(key) or {} for key in keys}
        for key in keys[1:]:
            assert (store.load(key) or {})["beats"] is found[key]["beats"]
        assert (store.load(keys[0]) or {})["beats"] is not found[keys[0]]["beats"]

    def test_a_file_reads_without_this_code(self, store: ArrayStore) -> None:
        store.save(KEY, arrays())
        import xarray
        from zarr.storage import ZipStore

        with ZipStore(store.path(KEY), mode="r") as archive:
            dataset = xarray.open_zarr(archive, chunks=None, consolidated=False).load()
        assert dataset["power"].dims == ("band", "frame")
        assert dataset["beats"].attrs == {"units": "s", "long_name": "beat times"}
        assert (dataset.attrs["stage"], dataset.attrs["stage_version"]) == ("beats", 1)
        assert dataset.attrs["params"] == KEY.params
        np.testing.assert_array_equal(dataset["power"], arrays()["power"])

    def test_members_are_stored_not_compressed_twice(self, store: ArrayStore) -> None:
        store.save(KEY, arrays())
        with zipfile.ZipFile(store.path(KEY)) as archive:
            assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_STORED}

    @pytest.mark.parametrize(
        ("name", "array"),
        [
            ("unheard_of", np.zeros(3)),
            ("beats", np.zeros(3, np.float32)),
            ("beats", np.zeros((3, 3))),
            ("zeros", np.zeros(21, np.int32)),
        ],
    )
    def test_what_is_not_as_declared_is_refused(self, store: ArrayStore, name: str, array: NDArray[Any]) -> None:
        with pytest.raises(ParameterError):
            store.save(KEY, {**arrays(), name: array})
        assert store.load(KEY) is None

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(StoreError, match="cannot be"):
            ArrayStore(tmp_path / "file", NOTES).load_or_compute(KEY, arrays)


class TestDamage:
    @pytest.mark.slow
    def test_any_flipped_byte_is_found(self, store: ArrayStore) -> None:
        store.save(KEY, arrays())
        path, whole = store.path(KEY), store.path(KEY).read_bytes()
        caught = 0
        for at in range(0, len(whole), 37):
            damaged = bytearray(whole)
            damaged[at] ^= 0xFF
            path.write_bytes(damaged)
            compute = Counted()
            assert_same(store.load_or_compute(KEY, compute), arrays())
            caught += compute.calls
        assert caught == len(range(0, len(whole), 37))
        assert store.stats().rebuilt == caught

    @pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
    def test_a_cut_file_is_made_again(self, store: ArrayStore, share: float) -> None:
        store.save(KEY, arrays())
        whole = store.path(KEY).read_bytes()
        store.path(KEY).write_bytes(whole[: int(share * len(whole))])
        assert_same(store.load_or_compute(KEY, arrays), arrays())
        assert_same(store.load_or_compute(KEY, never), arrays())
        assert (store.stats().rebuilt, store.stats().hits) == (1, 1)

    @pytest.mark.parametrize("way", WAYS)
    def test_a_damaged_file_is_made_again_and_said(
        self, store: ArrayStore, way: Way, caplog: pytest.LogCaptureFixture
    ) -> None:
        store.save(KEY, arrays())
        store.load(KEY)  # into memory
        assert damage([store.path(KEY)], way)
        assert_same(store.load_or_compute(KEY, arrays), arrays())
        assert f"{store.path(KEY)} is damaged" in caplog.text
        assert_same(store.load_or_compute(KEY, never), arrays())

    def test_a_file_under_another_s_name_is_not_taken_for_it(self, store: ArrayStore) -> None:
        other = StageKey.of("f" * 64, "beats", 1, Toy())
        store.save(other, arrays())
        store.path(KEY).parent.mkdir(parents=True)
        os.replace(store.path(other), store.path(KEY))
        assert store.load(KEY) is None


WRITER = """
import sys
sys.path.insert(0, {folder!r})
from test_arrays import KEY, NOTES, arrays
from pathlib import Path
from workbench.store.arrays import ArrayStore
store = ArrayStore(Path({root!r}), NOTES)
print("ready", flush=True)
sys.stdin.readline()
for _ in range({times}):
    store.save(KEY, arrays())
    found = store.load(KEY)
    assert found is not None and (found["beats"] == arrays()["beats"]).all()
"""


class TestProcesses:
    def start(self, root: Path, times: int) -> subprocess.Popen[str]:
        code = WRITER.format(folder=str(Path(__file__).parent), root=str(root), times=times)
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def test_two_may_write_the_same_key(self, store: ArrayStore) -> None:
        writers = [self.start(store.root, times=15) for _ in range(2)]
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
        for writer in writers:
            writer.communicate()
        assert_same(store.load_or_compute(KEY, never), arrays())
        assert store.stats().rebuilt == 0
        assert [path.suffix for path in store.path(KEY).parent.iterdir()] == [".zip"]

    def test_a_killed_writer_leaves_no_half_file(self, store: ArrayStore) -> None:
        writer = self.start(store.root, times=100_000)
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
        while not list(store.root.glob("*/*")):  # until it is at work
            assert writer.poll() is None
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert_same(store.load_or_compute(KEY, arrays), arrays())
        assert store.stats().rebuilt == 0
        for left in abandoned_parts(store.root, 0.0):
            os.utime(left, (0, 0))
        store.prune(10**9)
        assert [path.name for path in store.path(KEY).parent.iterdir()] == [store.path(KEY).name]


class TestPruning:
    def keys(self, store: ArrayStore) -> list[StageKey]:
        keys = [StageKey.of(f"{i:064x}", "beats", 1, Toy()) for i in range(4)]
        for age, key in enumerate(keys):
            store.save(key, arrays())
            os.utime(store.path(key), (1e9 + age, 1e9 + age))
        return keys

    def test_the_longest_unused_go_first_and_zero_empties_it(self, store: ArrayStore) -> None:
        assert store.prune(0) == 0
        keys = self.keys(store)
        assert store.prune(10**9) == 0
        store.load(keys[0])  # used now
        size = store.path(keys[0]).stat().st_size
        assert store.prune(2 * size) == 2 * size
        assert [store.path(key).exists() for key in keys] == [True, False, False, True]
        assert store.stats().files == 2
        store.prune(0)
        assert (store.stats().files, store.stats().bytes) == (0, 0)


def test_a_store_that_machines_share_has_what_one_of_them_computed(tmp_path: Path) -> None:
    objects = FolderStore(tmp_path / "store")
    machines = []
    for name in ("one", "other"):
        files = StoredFiles(Home(tmp_path / name), objects)
        machines.append(ArrayStore(files.folder("arrays"), NOTES, files))
    one, other = machines
    computed = one.load_or_compute(KEY, arrays)

    assert other.has(KEY)
    found = other.load_or_compute(KEY, lambda: pytest.fail("computed again"))

    assert {name: array.tolist() for name, array in found.items()} == {
        name: array.tolist() for name, array in computed.items()
    }
    assert other.stats().hits == 1


def test_a_damaged_file_of_a_shared_store_is_made_again_for_all(tmp_path: Path) -> None:
    objects = FolderStore(tmp_path / "store")
    files = StoredFiles(Home(tmp_path / "one"), objects)
    store = ArrayStore(files.folder("arrays"), NOTES, files)
    store.load_or_compute(KEY, arrays)
    (found,) = objects.every("arrays")
    objects.write(found.name, b"damaged")
    files = StoredFiles(Home(tmp_path / "other"), objects)
    other = ArrayStore(files.folder("arrays"), NOTES, files)

    assert other.load(KEY) is None
    assert list(objects.every("arrays")) == []
    other.load_or_compute(KEY, arrays)
    assert [one.name for one in objects.every("arrays")] == [found.name]
