"""Digests of what the stages measure on the bundled tracks and the demo's film, and of the answers made of it.

`python -m tests.service.jobs.digests` stores new ones, in `digests.json`. Processors and versions of numpy differ in
the last digits of a number, so a digest is no hash of bytes: it is the number of values, their mean, deviation and a
weighted sum, which are compared with a tolerance, and a hash of the words between them.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from zarr.storage import ZipStore

from service.jobs import kinds
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

Digest = dict[str, Any]


def read() -> dict[str, Any]:
    """The stored digests, by kind of result and name: {version, digests}."""
    found: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def measure() -> dict[str, Any]:
    """The digests of this code."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        answers = {name: _digest(values) for name, values in _answers(home).items()}
        stages = {
            stage: {name: _digest(arrays) for name, arrays in sorted(of_stage.items())}
            for stage, of_stage in sorted(_stages(home).items())
        }
    return {
        "stages": {name: {"version": STAGE_VERSIONS[name], "digests": found} for name, found in stages.items()},
        "answers": {
            name: {"version": ANSWER_VERSIONS[name], "digests": {"bodies": found}}
            for name, found in sorted(answers.items())
        },
    }


def _answers(home: Home) -> dict[str, list[Any]]:
    """The stored answers of all kinds, for each bundled track under the film."""
    manifest = bundled_path("data", "bundled", "manifest.jsonl")
    command = [sys.executable, "-m", "workbench", "catalog", "add", str(manifest), "--home", str(home.root)]
    subprocess.run(command, check=True, capture_output=True)
    workspace = Workspace(home, settings=WorkbenchSettings(database_url=None), schemas=(tables.SCHEMA,))
    film = bundled_path("data", "bundled", "film", "the_six_ten.mp4")
    with workspace.database.write() as connection:
        seconds = float(json.loads(film.with_suffix(".json").read_text(encoding="utf-8"))["seconds"])
        videos.put(connection, FILM, film, content_hash=hash_file(film), title="", seconds=seconds)
    found: dict[str, list[Any]] = defaultdict(list)
    context = Context(
        workspace=workspace,
        settings=ServiceSettings(),
        revision=REVISION,
        scratch=home.prepared(home.scratch),
        stage=lambda name: None,
        abandoned=lambda: False,
    )
    tracks = [json.loads(line)["track_id"] for line in manifest.read_text(encoding="utf-8").splitlines()]
    for kind, track_id in [(kind, one) for one in tracks for kind in ("loop", "align")] + [("match", tracks[0])]:
        outcome = kinds.run(_job(workspace, kind, track_id), context)
        for one in outcome.stored:
            found[one.kind].append(one.body)
    workspace.close()
    return found


def _job(workspace: Workspace, kind: str, track_id: str) -> Job:
    new = NewJob(kind, jobs.MAIN, "ada", f"{kind}:{track_id}", video_id=FILM, track_id=track_id)
    with workspace.database.write() as connection:
        return jobs.submit(connection, replace(new, request={"auto_mix": kind == "loop"}))


def _stages(home: Home) -> dict[str, dict[str, list[Any]]]:
    """All arrays of the store, by stage and name."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(home.root.rglob("*.zarr.zip")):
        with ZipStore(path, mode="r") as store:
            group = zarr.open_group(store, mode="r")
            stage = str(group.attrs["stage"])
            for name, array in group.arrays():
                found[stage][name].append(np.asarray(array[...]))
    return found


def _digest(values: list[Any]) -> Digest:
    numbers: list[FloatArray] = [np.empty(0)]
    words = hashlib.sha256()
    for value in values:
        for leaf in _leaves(value):
            if isinstance(leaf, str):
                words.update(leaf.encode() + b"\0")
            else:
                numbers.append(leaf)
    found = np.nan_to_num(np.concatenate(numbers), posinf=1e9, neginf=-1e9)
    weights = np.random.default_rng(len(found)).uniform(0.5, 1.5, len(found))
    return {
        "count": len(found),
        "mean": float(found.mean()) if found.size else 0.0,
        "deviation": float(found.std()) if found.size else 0.0,
        "weighted": float((weights * found).mean()) if found.size else 0.0,
        "words": words.hexdigest()[:16],
    }


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


if __name__ == "__main__":
    STORED.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
