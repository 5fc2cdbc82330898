"""What the stages measure on the bundled tracks and the demo's film, and the answers made of it, in short.

`python -m tests.service.jobs.digests` stores it in `digests.json`. Versions of numpy differ in the last digits of a
number, so nothing here is a hash of numbers. Of an answer every number is stored. Of an array of a stage the count,
mean, deviation and some of its values are. Words are hashed.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.storage import ZipStore

from service.jobs import runs
from service.jobs.kind import Context
from service.jobs.revision import ANSWER_VERSIONS, STAGE_VERSIONS
from service.settings import ServiceSettings
from service.store import jobs, tables
from service.store.jobs import Job, NewJob
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path, hash_file
from workbench.recording import FloatArray
from workbench.store import videos
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

STORED = Path(__file__).with_name("digests.json")
FILM = "vid_film"
REVISION = "revision of the digests"
VALUES = 8
"""of an array that are stored"""

PLAIN = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL",
}
"""environment in which newer processors compute as older ones do: with AVX-512 the last digits of a logarithm are
others, near ties fall otherwise, and bars and placements with them"""

Digest = dict[str, Any]


def read() -> dict[str, Any]:
    """The stored digests, by kind of result and name: {version, digests}."""
    found: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def measure() -> dict[str, Any]:
    """What this code gives, in a process that computes alike on every processor."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run(
            [sys.executable, "-m", "tests.service.jobs.digests", file.name], check=True, env=os.environ | PLAIN
        )
        return dict(json.load(file))


def _measure() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        answers = _answers(home)
        return {
            "stages": {
                stage: {"version": STAGE_VERSIONS[stage], "digests": {name: _of_array(one) for name, one in arrays}}
                for stage, arrays in _stages(home).items()
            },
            "answers": {
                kind: {"version": ANSWER_VERSIONS[kind], "digests": {name: _of_body(body) for name, body in bodies}}
                for kind, bodies in sorted(answers.items())
            },
        }


def _answers(home: Home) -> dict[str, list[tuple[str, Any]]]:
    """The stored answers of all kinds, for each bundled track under the film, with what was asked."""
    manifest = bundled_path("data", "bundled", "manifest.jsonl")
    command = [sys.executable, "-m", "workbench", "catalog", "add", str(manifest), "--home", str(home.root)]
    subprocess.run(command, check=True, capture_output=True)
    workspace = Workspace(home, settings=WorkbenchSettings(database_url=None), schemas=(tables.SCHEMA,))
    film = bundled_path("data", "bundled", "film", "the_six_ten.mp4")
    with workspace.database.write() as connection:
        seconds = float(json.loads(film.with_suffix(".json").read_text(encoding="utf-8"))["seconds"])
        videos.put(connection, FILM, film, content_hash=hash_file(film), title="", seconds=seconds)
    found: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    context = Context(
        workspace=workspace,
        settings=ServiceSettings(),
        revision=REVISION,
        scratch=home.prepared(home.scratch),
        stage=lambda name: None,
        abandoned=lambda: False,
    )
    tracks = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
    asked = [(kind, one) for one in tracks for kind in ("loop", "align")] + [("match", tracks[0]), ("beats", tracks[0])]
    for kind, track in asked:
        job = _job(workspace, kind, track["track_id"])
        if kind == "beats":  # as if it were fetched
            sound = context.scratch / "fetched"
            sound.write_bytes((manifest.parent / track["path"]).read_bytes())
            workspace.files.keep(sound, "fetched", job.job_id)
        for one in runs.run(job, context).stored:
            found[one.kind].append((f"{kind} {track['track_id']}", one.body))
    workspace.close()
    return found


def _job(workspace: Workspace, kind: str, track_id: str) -> Job:
    new = NewJob(kind, jobs.MAIN, "ada", f"{kind}:{track_id}", video_id=FILM, track_id=track_id)
    with workspace.database.write() as connection:
        return jobs.submit(connection, replace(new, request={"auto_mix": kind in ("loop", "align")}))


def _stages(home: Home) -> dict[str, list[tuple[str, Any]]]:
    """All arrays of the store with the recording and their name, by stage."""
    found: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for path in home.root.rglob("*.zarr.zip"):
        with ZipStore(path, mode="r") as store:
            group = zarr.open_group(store, mode="r")
            stage, of = str(group.attrs["stage"]), path.name[:12]
            found[stage] += [(f"{of} {name}", np.asarray(array[...])) for name, array in group.arrays()]
    return {stage: sorted(arrays, key=lambda one: one[0]) for stage, arrays in sorted(found.items())}


def _of_body(body: Any) -> Digest:
    numbers, words = _parts(body)
    return {"words": words, "numbers": numbers.tolist()}


def _of_array(array: NDArray[Any]) -> Digest:
    numbers, words = _parts(_read_text(array))
    some = np.unique(np.linspace(0, numbers.size - 1, VALUES).astype(int)) if numbers.size else np.empty(0, int)
    mean, deviation = (float(numbers.mean()), float(numbers.std())) if numbers.size else (0.0, 0.0)
    return {"words": words, "count": numbers.size, "numbers": _rounded([mean, deviation, *numbers[some]])}


def _read_text(array: NDArray[Any]) -> Any:
    """The array, or what the JSON says that its bytes are."""
    return json.loads(array.tobytes()) if array.dtype == np.uint8 and array.tobytes()[:1] in (b"{", b"[") else array


def _parts(value: Any) -> tuple[FloatArray, str]:
    """All numbers of an array or a body, in order, and a hash of the words between them."""
    numbers: list[FloatArray] = [np.empty(0)]
    words = hashlib.sha256()
    for leaf in _leaves(value):
        if isinstance(leaf, str):
            words.update(leaf.encode() + b"\0")
        else:
            numbers.append(leaf)
    found = np.nan_to_num(np.concatenate(numbers), posinf=1e9, neginf=-1e9)
    return np.array(_rounded(found)), words.hexdigest()[:16]


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [float(f"{number:.7g}") for number in numbers]


def _leaves(value: Any) -> Iterator[FloatArray | str]:
    """Numbers and words of an array or a body, in order; keys are words."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biuf":
            yield value.astype(np.float64).ravel()
        else:
            yield from map(str, value.ravel().tolist())
    elif isinstance(value, Mapping):
        for name in sorted(value):
            yield name
            yield from _leaves(value[name])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield np.array([value], dtype=np.float64)
    else:
        yield str(value)


def _lines(found: Mapping[str, Any]) -> str:
    """JSON with a digest a line."""
    text = json.dumps(found, separators=(",", ":"))
    return text.replace('"},"', '"},\n"').replace(']},"', ']},\n"') + "\n"


if __name__ == "__main__":
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(json.dumps(_measure()), encoding="utf-8")
    else:
        STORED.write_text(_lines(measure()), encoding="utf-8")
