"""Many recordings at once: a row each, errors included.

A measure is a function of a workspace and a file that gives numbers and words by name. Some are named here; any other
function of an importable module works too, since it runs in other processes. A recording that is refused or cannot be
read is a row too, with its `status` and the reason in words.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from workbench.analysis.track import analyze
from workbench.analysis.workers import killed, open_pool
from workbench.analysis.workspace import Workspace
from workbench.analysis.workspace import open as open_workspace
from workbench.errors import ParameterError, WorkbenchError
from workbench.lab.datasets import DatasetTrack
from workbench.lab.evaluate import SKIP_SECONDS, evaluate_track
from workbench.plans.plan import LoopPlan
from workbench.plans.request import LOOP_ALONE
from workbench.store.home import Home
from workbench.workflows.beats import map_beats
from workbench.workflows.catalog import cluster, list_files
from workbench.workflows.plan import plan_track

if TYPE_CHECKING:
    import pandas

    from workbench.params import WorkbenchParams

T = TypeVar("T", bound=Path | DatasetTrack)
Row: TypeAlias = Mapping[str, Any]
Measure: TypeAlias = Callable[[Workspace, Path], Row]


def measure_beats(workspace: Workspace, track: Path | DatasetTrack, skip_seconds: float = SKIP_SECONDS) -> Row:
    """The grid in numbers, and how well it agrees with the annotations of a track that has some, by `wb.evaluate`."""
    found = map_beats(workspace, _path_of(track))
    grid = found.grid
    return {
        "duration": found.duration,
        "tempo_bpm": grid.tempo_bpm,
        "beats": int(grid.beats.size),
        "bars": int(grid.downbeats.size),
        "beats_per_bar": grid.beats_per_bar,
        "confidence": grid.confidence,
        **(evaluate_track(grid, track, skip_seconds) if isinstance(track, DatasetTrack) else {}),
    }


def measure_seams(workspace: Workspace, track: Path | DatasetTrack, skip_seconds: float = SKIP_SECONDS) -> Row:
    """As `measure_beats`, and what the recording offers for loops."""
    profile = analyze(workspace, _path_of(track)).profile
    scores = profile.splices.score
    good = scores >= workspace.params.cover.min_seam_score
    return {
        **measure_beats(workspace, track, skip_seconds),
        "sections": len(profile.sections),
        "splices": int(scores.size),
        "good_splices": int(good.sum()),
        "best_seam": float(scores.max()) if scores.size else float("nan"),
        "ending": "none" if profile.ending is None else profile.ending.kind.value,
    }


def measure_loop(workspace: Workspace, track: Path | DatasetTrack, seconds: float = 300.0) -> Row:
    """The plan that covers a video of some length, s; the reason where there is none."""
    answer = plan_track(workspace, _path_of(track), seconds, LOOP_ALONE).answer
    if not isinstance(answer, LoopPlan):
        return {"status": "refused", "reason": f"{answer.reason.value}: {answer.hint}"}
    return {
        "plan_score": answer.plan_score,
        "seam_score": answer.seam_score,
        "seams": len(answer.seam_times),
        "bars": answer.bars,
        "repeats": answer.repeats,
        "end": answer.end_label,
    }


# What can be asked for by name; `loop:120` is the plan for a video of two minutes
MEASURES: dict[str, Callable[..., Row]] = {"beats": measure_beats, "seams": measure_seams, "loop": measure_loop}


def batch(
    paths: Path | str | DatasetTrack | Iterable[Path | str | DatasetTrack],
    what: str | Measure = "seams",
    *,
    skip_seconds: float = SKIP_SECONDS,
    workspace: Workspace | None = None,
    params: WorkbenchParams | None = None,
    executor: Executor | None = None,
    scheduler: str | None = None,
) -> pandas.DataFrame:
    """Measure many recordings, in processes of this machine or on a Dask cluster.

    Parameters
    ----------
    paths : sound files, folders, manifests, or recordings of a dataset; or one of them
    what : a name in `MEASURES`, or a function of a workspace and a path, defined in a module. Trackers and seam
        measures that were registered do not reach other processes: name such a one as `module:attribute`
    skip_seconds : beats before it are left out where grids are compared with annotations
    workspace : caches what is analysed, and reports progress; None: that of `workbench.open()`
    params : of the analysis; None: those of the workspace
    executor : where to run; None: a process for every core that this process may use
    scheduler : address of a Dask cluster in its place, whose workers share the home folder; needs the extra `scale`

    Returns
    -------
    a row a recording, in the order given, by its path: `status` (`ok`, `refused` or `error`), `reason` in words,
    `seconds` that it took, and a column for each number; of annotated recordings, `beats` and `seams` also have the
    measures of `wb.evaluate`

    Raises
    ------
    ParameterError : there is no such measure, it does not lie in a module, or both an executor and a scheduler
    ExtraMissing, StoreError : there is no cluster to be had at that address
    """
    import pandas

    check_executor(executor, scheduler)
    measure = named_measure(what, skip_seconds) if isinstance(what, str) else what
    if not isinstance(executor, ThreadPoolExecutor):
        _check_importable(measure)
    if isinstance(paths, str | Path | DatasetTrack):
        paths = [paths]
    tracks: list[Path | DatasetTrack] = []
    faults: list[Row] = []
    for one in paths:
        if isinstance(one, DatasetTrack):
            tracks.append(one if isinstance(what, str) else one.path)  # a measure of one's own takes a path
        else:
            listing = list_files([Path(one)])
            tracks += [wanted.path for wanted in listing.wanted]
            faults += [{"status": "error", "reason": fault} for fault in listing.faults]
    with opened(workspace) as here, open_any_pool(executor, scheduler, len(tracks)) as pool:
        job = partial(measure_one, measure, here.home.root, params or here.params)
        rows = all_rows(pool, job, tracks, here)
    table = pandas.DataFrame([*rows, *faults], columns=columns_of([*rows, *faults]))
    table.index = pandas.Index([*(str(_path_of(track)) for track in tracks), *("" for _ in faults)], name="path")
    return table


def opened(workspace: Workspace | None) -> AbstractContextManager[Workspace]:
    """The workspace that was given, left open, or that of `workbench.open()`, which ends with the block."""
    return open_workspace() if workspace is None else nullcontext(workspace)


@contextmanager
def open_any_pool(executor: Executor | None, scheduler: str | None, jobs: int) -> Iterator[Executor]:
    """Open a pool for some jobs: the given executor, a Dask cluster by its address, or processes of this machine.

    Raises as `cluster`. `check_executor` comes first, before anything is written.
    """
    where: AbstractContextManager[Executor | None] = nullcontext(executor) if scheduler is None else cluster(scheduler)
    with where as given, open_pool(given, max(1, jobs)) as pool:
        yield pool


def check_executor(executor: Executor | None, scheduler: str | None) -> None:
    """Raise `ParameterError` if both an executor and a scheduler are given."""
    if executor is not None and scheduler is not None:
        raise ParameterError("give either an executor or the address of a scheduler")


def _check_importable(measure: Measure) -> None:
    """Refuse what other processes cannot be handed, such as a lambda."""
    try:
        pickle.dumps(measure)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        name = getattr(measure, "__name__", type(measure).__name__)
        raise ParameterError(
            f"the measure {name} must lie in a module, as a function with a name, for it runs in other processes"
        ) from error


def named_measure(name: str, skip_seconds: float = SKIP_SECONDS) -> Callable[..., Row]:
    """Find a measure by its name in `MEASURES`, or `loop:SECONDS`; raises `ParameterError` if there is none."""
    plain, _, length = name.partition(":")
    if plain not in MEASURES or (length and plain != "loop"):
        raise ParameterError(f"there is no measure {name}; known are {', '.join(MEASURES)} and loop:SECONDS")
    if plain != "loop":
        return partial(MEASURES[plain], skip_seconds=skip_seconds)
    if not length:
        return measure_loop
    try:
        return partial(measure_loop, seconds=float(length))
    except ValueError:
        raise ParameterError(f"{name}: {length!r} is no length in seconds") from None


def measure_one(measure: Callable[[Workspace, T], Row], root: Path, params: WorkbenchParams, path: T) -> Row:
    """The row of a recording, or of a track of a dataset; runs in another process.

    A `WorkbenchError` becomes a row too; any other exception is a fault of the measure, and raised.
    """
    began = time.perf_counter()
    try:
        with Workspace(Home(root), params) as workspace:
            found = dict(measure(workspace, path))
    except WorkbenchError as error:
        found = {"status": "error", "reason": str(error)}
    row = {"status": "ok", "reason": "", "seconds": round(time.perf_counter() - began, 3)}
    return row | found


def rows_as_done(
    pool: Executor, job: Callable[[T], Row], files: Sequence[T], workspace: Workspace
) -> Iterator[tuple[int, Row]]:
    """Run a job on each of some files: the number of a file and its row, in the order in which they are done.

    If a file kills its process, its row is an error.
    """
    stage = f"measuring {len(files)} recordings"
    workspace.progress(stage, 0.0)
    jobs: dict[Future[Row], int] = {pool.submit(job, path): number for number, path in enumerate(files)}
    try:
        for done, future in enumerate(as_completed(jobs), start=1):
            try:
                row = future.result()
            except WorkbenchError as death:
                row = _lost(files[jobs[future]], death)
            except killed() as death:
                row = _lost(files[jobs[future]], death)
            yield jobs[future], row
            workspace.progress(stage, done / len(files))
    finally:
        for future in jobs:
            future.cancel()


def all_rows(pool: Executor, job: Callable[[T], Row], files: Sequence[T], workspace: Workspace) -> list[Row]:
    """Run a job on each of some files, as `rows_as_done`; the rows in the order of the files."""
    rows = dict(rows_as_done(pool, job, files, workspace))
    return [rows[number] for number in range(len(files))]


def _lost(file: Path | DatasetTrack, death: Exception) -> Row:
    """The row of a recording whose process died."""
    return {"status": "error", "reason": f"{_path_of(file)}: {death}"}


def _path_of(track: Path | DatasetTrack) -> Path:
    return track.path if isinstance(track, DatasetTrack) else track


def columns_of(rows: Iterable[Row]) -> list[str]:
    """All names, in the order of their first appearance."""
    names = dict.fromkeys(("status", "reason", "seconds"))
    for row in rows:
        names |= dict.fromkeys(row)
    return list(names)
