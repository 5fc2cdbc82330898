"""Sweeps: every combination of some parameters on every recording of a dataset, as one labelled array.

A recording is analysed once. What a parameter touches decides what is done again for another value of it: one of the
planner only plans, one of seams compares the bars again, and a parameter of the beats begins from the start. A fitted
number of a model is swept as `models.seams.pulse_weight`.

A sweep writes a folder beside its result, one file a recording, each whole or not at all. One that was killed goes on
there; the folder is deleted when the result is written. A sweep of other parameters, another dataset or seed does not
go on in the same place. The result is a zarr store with an axis for each parameter, or, of points that were drawn, one
axis `point` with the parameters as coordinates; all other parameters are in its attributes. A parameter that is a list
is a coordinate of texts, its entries joined by commas, "none" where it is empty. Points may also be searched for
(`workbench.lab.sweep_search`), for a high mean of one measure; a recording without it counts as 0 there.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.analysis.protocols import sections_by
from workbench.analysis.track import Sound, beat_stage, measured_evidence, profile_parts
from workbench.analysis.workspace import Workspace
from workbench.errors import ParameterError, ResourceMissing, StoreError, WorkbenchError
from workbench.extensions import Choice, choices, chosen, find
from workbench.files import write_text
from workbench.lab.batch import Row, check_executor, open_any_pool, rows_as_done
from workbench.lab.compare import MEASURED, NOT_OF_PARAMS, REFUSAL, profile_measures
from workbench.lab.datasets import Dataset, DatasetTrack
from workbench.lab.evaluate import SKIP_SECONDS, evaluate_track
from workbench.lab.sweep_search import Axis, Point, search_points
from workbench.params import WorkbenchParams
from workbench.params.base import named_weights
from workbench.seams.build_profile import loop_profile, profile_of_evidence
from workbench.seams.measures import measures_used
from workbench.seams.seam_score import with_yardstick
from workbench.store.fingerprint import canonical_json
from workbench.store.home import Home
from workbench.store.profiles import params_from

if TYPE_CHECKING:
    import xarray

    from workbench.seams.profile import LoopProfile

SWEEP_VERSION = 2  # of what a finished recording holds; raise it when measures change
_DRAWN_MOST = 100_000


def read_axis(text: str) -> Axis:
    """A parameter and its values as one types them.

    Parameters
    ----------
    text : `seams.context_beats=2,4,8`, or `models.seams.pulse_weight=0:2:21` for 21 values from 0 to 2, or a list in
        JSON. The weight of an external measure or match term is a parameter too,
        `seams.measures.my_module:MyMeasure=0,1.5` or `match.terms.my_module:MyTerm=0:2:5`; a parameter that is a list
        takes a list of lists in JSON, `seams.measures=[[], ["my_module:MyMeasure=1.5"]]`

    Returns
    -------
    Axis : the name of the parameter and its values, in their types

    Raises
    ------
    ParameterError : it is neither, or there is no such parameter, or a value it cannot have
    """
    name, is_given, given = text.partition("=")
    name = name.strip()
    if not is_given or not given.strip():
        raise ParameterError(f"{text!r} is not a parameter and its values, such as seams.context_beats=2,4,8")
    values = _listed(given.strip())
    values = _range(given) if values is None else values
    if values is None:
        values = [_value(part.strip()) for part in given.split(",")]
    if len(set(map(str, values))) != len(values):
        raise ParameterError(f"{name}: a value stands there twice in {given}")
    for value in values:
        with_values(WorkbenchParams(), {name: value})
    return Axis(name, tuple(values))


def _listed(given: str) -> list[Any] | None:
    """Values as a list in JSON; None for anything else."""
    if not given.startswith("["):
        return None
    try:
        found = json.loads(given)
    except ValueError as error:
        raise ParameterError(f"{given!r} is no list in JSON ({error})") from None
    if not found:
        raise ParameterError(f"{given!r} has no values")
    return list(found)


def _range(given: str) -> list[Any] | None:
    """Values from one number to another; None where two colons stand between anything else."""
    parts = given.split(":")
    if len(parts) != 3:
        return None
    try:
        first, last = float(parts[0]), float(parts[1])
    except ValueError:
        return None
    try:
        count = int(parts[2])
    except ValueError:
        count = 0
    if count < 1 or not (np.isfinite(first) and np.isfinite(last)):
        raise ParameterError(f"{given!r} is not a range such as 0:2:21, from, to, and how many")
    values: list[Any] = np.round(np.linspace(first, last, count), 12).tolist()
    return [int(value) for value in values] if all(value.is_integer() for value in values) else values


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def with_values(params: WorkbenchParams, point: Mapping[str, Any], named: str = "the sweep") -> WorkbenchParams:
    """Parameters with some of them changed, by names such as `seams.context_beats`.

    `named` says in messages who asks. Raises `ParameterError` for an unknown parameter, or a value it cannot have.
    """
    values = params.model_dump(mode="json")
    for name, value in point.items():
        stage, _, inside = name.partition(".")
        field, _, part = inside.partition(".")
        fields = values.get(stage)
        if stage == "models":
            fields, field, part = values.get(field, {}).get("model"), part, ""
        elif field == "model":
            fields = None
        if not isinstance(fields, dict) or field not in fields or (part and not _weighed(stage, field)):
            raise ParameterError(f"there is no parameter {name}; they are called such as seams.context_beats")
        if part:
            value = _with_weight(fields[field], part, value, name)
        elif isinstance(fields[field], list) and not isinstance(value, list | tuple):
            raise ParameterError(
                f"{named}: {_how_listed(name, fields[field], bool(_weighed(stage, field)))}, got {value!r}"
            )
        fields[field] = value
    return params_from(values, named)


def _weighed(stage: str, field: str) -> Choice | None:
    """The choice behind a field that names extensions with weights; None for other fields."""
    return next((one for one in choices() if (one.stage, one.field) == (stage, field) and one.is_weighed), None)


def _with_weight(entries: Sequence[str], part: str, weight: Any, name: str) -> list[str]:
    """Extensions and their weights with another weight of one, which is added where it is not among them."""
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0.0 <= weight < float("inf"):
        raise ParameterError(f"{name}: a weight is a number of 0 and more, got {weight!r}")
    weights: dict[str, float] = dict(named_weights(entries)) | {part: weight}
    return [f"{one}={np.format_float_positional(number, trim='-')}" for one, number in weights.items()]


def _how_listed(name: str, usual: Sequence[Any], is_weighed: bool) -> str:
    """The message if a list parameter was given something else."""
    if is_weighed:
        return (
            f"{name} is a list: sweep the weight of one part as {name}.my_module:Mine=0,1.5, or whole lists in JSON as "
            f'{name}=[[], ["my_module:Mine=1.5"]]'
        )
    return f"{name} is a list: give whole lists in JSON as {name}=[{json.dumps(usual)}]"


def sweep_points(axes: Sequence[Axis], draw: int | None = None, seed: int = 0) -> list[Point]:
    """The points of a sweep in the order of the combinations, the last axis quickest.

    `draw` says how many of all combinations are drawn at random, each once; None: all. Raises `ParameterError` for no
    axes, one of them twice, or nothing to draw.
    """
    names = [axis.name for axis in axes]
    total = check_axes(axes, draw, "drawn")
    if draw is None:
        if total > _DRAWN_MOST:
            raise ParameterError(f"{total} combinations are more than {_DRAWN_MOST}; draw some of them")
        return [dict(zip(names, values, strict=True)) for values in product(*(axis.values for axis in axes))]
    dice = np.random.default_rng(seed)
    points = []
    # `choice` without replacement would list all combinations
    for number in sorted(_distinct(dice, total, draw)):
        point = {}
        for axis in reversed(axes):
            number, at = divmod(number, len(axis.values))
            point[axis.name] = axis.values[at]
        points.append({name: point[name] for name in names})
    return points


def check_axes(axes: Sequence[Axis], count: int | None, done: str) -> int:
    """How many combinations there are; `done` says in an error what becomes of them.

    Raises `ParameterError` for no axes, one of them twice, or fewer combinations than `count`.
    """
    names = [axis.name for axis in axes]
    # a list and the weight of a part in it would both say what the weight is
    twice = len(set(names)) != len(names) or any(one.startswith(f"{other}.") for one in names for other in names)
    if not axes or twice:
        raise ParameterError("a sweep needs parameters, each once")
    total = int(np.prod([len(axis.values) for axis in axes], dtype=object))
    if count is not None and not 1 <= count <= min(total, _DRAWN_MOST):
        raise ParameterError(f"between 1 and {min(total, _DRAWN_MOST)} combinations can be {done}, not {count}")
    return total


def _distinct(dice: np.random.Generator, total: int, count: int) -> list[int]:
    if count > total // 2:
        return [int(one) for one in dice.permutation(total)[:count]]
    found: dict[int, None] = {}
    while len(found) < count:
        found[int(dice.integers(total))] = None
    return list(found)


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The axes and the dataset of a sweep.

    Attributes
    ----------
    axes : the parameters and their values
    dataset : recordings that are measured
    draw : how many points are drawn at random; None: all are taken
    seed : of the draw or the search
    seconds : length of the video that plans are made for; None: a minute more than each recording
    skip_seconds : beats before it are left out where grids are compared with annotations
    search : how many points are searched for, in place of taking or drawing them
    measure : the measure that a search makes high
    """

    axes: tuple[Axis, ...]
    dataset: Dataset
    draw: int | None = None
    seed: int = 0
    seconds: float | None = None
    skip_seconds: float = SKIP_SECONDS
    search: int | None = None
    measure: str = "seam_score"

    @property
    def points(self) -> list[Point]:
        """All points, in their order; of a search those that differ from the usual values in one parameter.

        Raises
        ------
        ParameterError : as of `sweep_points`; both a draw and a search, or a search for too many, or by no measure
        """
        if self.search is None:
            return sweep_points(self.axes, self.draw, self.seed)
        if self.draw is not None:
            raise ParameterError("points are drawn or searched for, not both")
        if self.measure not in MEASURED:
            raise ParameterError(f"there is no measure {self.measure}; there are {', '.join(MEASURED)}")
        check_axes(self.axes, self.search, "searched for")
        return [{axis.name: value} for axis in self.axes for value in axis.values]


def sweep(
    workspace: Workspace,
    plan: SweepPlan,
    out: Path | str,
    *,
    executor: Executor | None = None,
    scheduler: str | None = None,
) -> xarray.Dataset:
    """Measure all points on all recordings, and write the result.

    Parameters
    ----------
    workspace : caches what is analysed; its parameters are those that are not swept; receives progress
    plan : what is swept over what
    out : folder of the zarr store; where the same sweep is there already, it is read
    executor : where to run; None: a process for every core that this process may use
    scheduler : address of a Dask cluster in its place, whose workers share the home folder; needs the extra `scale`

    Returns
    -------
    each measure over `track` and the parameters (or `point`), NaN where it does not apply, and `refusal`, why a point
    has no plan or cannot be measured; `status` and `reason` of each track

    Raises
    ------
    ParameterError : a point is out of range, both an executor and a scheduler, or another sweep is at this place
    StoreError : the result cannot be written; or the processes of some recordings died, and the same sweep goes on
        with these
    """
    check_executor(executor, scheduler)
    out, points = Path(out), plan.points
    _find_extensions(plan, [with_values(workspace.params, point) for point in points])
    stated = _statement(workspace, plan, points)
    if out.exists():
        return _read(out, stated)
    folder = out.with_name(out.name + ".parts")
    _open_parts(folder, stated)
    with open_any_pool(executor, scheduler, len(plan.dataset)) as pool:
        if plan.search is None:
            rows = _measure(workspace, plan, points, folder, pool)
        else:
            points, rows = _search(workspace, plan, folder, pool)
    found = _result(plan, points, rows, stated)
    _write(found, out)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _find_extensions(plan: SweepPlan, changed: Sequence[WorkbenchParams]) -> None:
    """Find what the points name: a name that is not known costs no measuring."""
    swept = {tuple(axis.name.split(".")[:2]) for axis in plan.axes}
    fields = [choice for choice in choices() if (choice.stage, choice.field) in swept]
    for choice in fields:
        for name in dict.fromkeys(name for params in changed for name in chosen(params, choice)):
            find(choice.group, name)


def _measure(
    workspace: Workspace, plan: SweepPlan, points: Sequence[Point], folder: Path, pool: Executor
) -> list[dict[str, Any]]:
    """The row of each recording; recordings with a file in the folder are not measured again."""
    files = [folder / f"{number:05d}.json" for number in range(len(plan.dataset))]
    missing = [number for number, path in enumerate(files) if not path.exists()]
    tracks = [plan.dataset.tracks[number] for number in missing]
    lost: list[str] = []
    job = partial(sweep_track, points, plan.seconds, plan.skip_seconds, workspace.home.root, workspace.params)
    if missing:
        for at, row in rows_as_done(pool, job, tracks, workspace):
            if row.get("done"):
                write_text(files[missing[at]], json.dumps(row), StoreError)
            else:  # what killed its process may not kill it again
                lost.append(row["reason"])
    if lost:
        raise StoreError(
            f"{len(lost)} of {len(files)} recordings were not finished: {'; '.join(sorted(lost))}. The results so far "
            "are saved: run the same sweep again to go on, or leave these out of the dataset"
        )
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def _search(
    workspace: Workspace, plan: SweepPlan, folder: Path, pool: Executor
) -> tuple[list[Point], list[dict[str, Any]]]:
    """The points that a search asked for, and the row of each recording over all of them."""
    assert plan.search is not None
    done: list[list[dict[str, Any]]] = []

    def measured(number: int, points: list[Point]) -> list[float]:
        for point in points:
            with_values(workspace.params, point)
        place = folder / f"round-{number:04d}"
        _open_parts(place, json.dumps(points))
        rows = _measure(workspace, plan, points, place, pool)
        done.append(rows)
        none = [None] * len(points)
        reached = [row.get(plan.measure, none) if row["status"] == "ok" else none for row in rows]
        return [float(np.mean([row[at] or 0.0 for row in reached] or [0.0])) for at in range(len(points))]

    points = search_points(plan.axes, plan.search, plan.seed, measured)
    joined = []
    for parts in zip(*done, strict=True):
        # as of points that are taken: a recording that fails at one of them has no numbers
        row = dict(next((part for part in parts if part["status"] != "ok"), parts[0]))
        if row["status"] == "ok":
            row |= {name: [value for part in parts for value in part[name]] for name in (*MEASURED, REFUSAL)}
        joined.append(row)
    return points, joined


def _statement(workspace: Workspace, plan: SweepPlan, points: Sequence[Point]) -> str:
    """What a sweep is, as a text: equal ones give equal results."""
    # the versions of stages, trackers and measures, which are not in the parameters
    made = dict.fromkeys(canonical_json(*profile_parts(with_values(workspace.params, point), "")) for point in points)
    searched = {} if plan.search is None else {"search": plan.search, "measure": plan.measure, "seed": plan.seed}
    return json.dumps(
        {
            "version": SWEEP_VERSION,
            "axes": {axis.name: list(axis.values) for axis in plan.axes},
            "draw": plan.draw,
            "seed": plan.seed if plan.draw is not None else None,
            "seconds": plan.seconds,
            "skip_seconds": plan.skip_seconds,
            "dataset": plan.dataset.name,
            "tracks": {track.name: _track_hash(workspace, track) for track in plan.dataset},
            "params": workspace.params.model_dump(mode="json"),
            "made": hashlib.sha256("\n".join(made).encode()).hexdigest(),
        }
        | searched,
        sort_keys=True,
    )


def _track_hash(workspace: Workspace, track: DatasetTrack) -> str:
    """Hash of a track's sound and annotations; of an unreadable file, its error."""
    digest = hashlib.sha256()
    for path in (track.path, *track.annotations):
        try:
            digest.update(workspace.hash_file(path).encode())
        except WorkbenchError as error:
            digest.update(str(error).encode())
    return digest.hexdigest()


def _open_parts(folder: Path, stated: str) -> None:
    """Create the folder of finished recordings, or resume there if it belongs to this sweep."""
    header = folder / "sweep.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = header.read_text(encoding="utf-8") if header.exists() else None
    except OSError as error:
        raise StoreError(f"{folder}: cannot be used ({error.strerror})") from error
    if found is None:
        if any(folder.glob("*.json")):
            raise ParameterError(f"{folder} holds something else; delete it, or name another result")
        write_text(header, stated, StoreError)
    elif found != stated:
        raise ParameterError(f"{folder} belongs to another sweep; delete it, or name another result")


def sweep_track(
    points: Sequence[Point],
    seconds: float | None,
    skip_seconds: float,
    root: Path,
    params: WorkbenchParams,
    track: DatasetTrack,
) -> Row:
    """All points on one recording: `status`, `reason`, and each measure as a list over the points, None if missing.

    A point that cannot be measured, or has no plan, says why as its `REFUSAL`. Runs in another process. `seconds` and
    `skip_seconds` are those of a `SweepPlan`. Raises `StoreError` and `ResourceMissing`, which say nothing of the
    recording.
    """
    rows: list[dict[str, Any]] = [{}] * len(points)
    changed = [with_values(params, point) for point in points]
    try:
        with Workspace(Home(root), params) as workspace:
            bench = _Bench(workspace, track.path)
            for at in sorted(range(len(points)), key=lambda number: _steps(changed[number])):
                try:
                    grid, profile = bench.profile(changed[at])
                except NOT_OF_PARAMS:
                    raise
                except WorkbenchError as error:
                    rows[at] = {REFUSAL: str(error)}
                    continue
                rows[at] = profile_measures(grid, profile, changed[at].cover, seconds)[0]
                rows[at] |= evaluate_track(grid, track, skip_seconds)
    except (StoreError, ResourceMissing):
        raise
    except WorkbenchError as error:
        return {"status": "error", "reason": str(error), "done": True}
    measures = {name: [row.get(name) for row in rows] for name in MEASURED}
    return {"status": "ok", "reason": "", "done": True, REFUSAL: [row.get(REFUSAL, "") for row in rows]} | measures


class _Steps(NamedTuple):
    """The parameters that each step depends on, as texts, the most expensive step first."""

    beats: str
    bare: str
    profile: str


def _steps(params: WorkbenchParams) -> _Steps:
    beats = params.beats.model_dump_json()
    bare = beats + json.dumps([name for name, _ in measures_used(params.seams)])
    return _Steps(beats, bare, beats + params.seams.model_dump_json() + params.sections.model_dump_json())


class _Bench:
    """One recording; a step runs again only when a parameter that it depends on has changed.

    Each step remembers its last result, so points in the order of `_steps` repeat no expensive step.
    """

    def __init__(self, workspace: Workspace, path: Path) -> None:
        self._sound = Sound(workspace, path, use_detected_grid=True)
        self._memo: dict[str, tuple[str, Any]] = {}

    def profile(self, params: WorkbenchParams) -> tuple[Any, LoopProfile]:
        """Grid and loop profile."""
        seams, on = params.seams, _steps(params)
        recording = self._sound.recording
        workspace = self._sound.workspace.with_params(params)
        sound = Sound(workspace, self._sound.path, use_detected_grid=True)
        sound.__dict__["recording"] = recording  # decoded once for all points
        found = self._once("beats", on.beats, lambda: beat_stage(sound))
        find_sections = sections_by(params.sections)
        if found.grid.downbeats.size < 2:
            return found.grid, loop_profile(recording, found.grid, seams, find_sections)
        bare = self._once("bare", on.bare, lambda: measured_evidence(sound, found))

        def profile() -> LoopProfile:
            return profile_of_evidence(recording, found.grid, with_yardstick(bare, seams), seams, find_sections)

        return found.grid, self._once("profile", on.profile, profile)

    def _once(self, step: str, depends_on: str, compute: Any) -> Any:
        known = self._memo.get(step)
        if known is None or known[0] != depends_on:
            known = self._memo[step] = (depends_on, compute())
        return known[1]


def _result(plan: SweepPlan, points: Sequence[Point], rows: Sequence[Mapping[str, Any]], stated: str) -> xarray.Dataset:
    import xarray

    names = [track.name for track in plan.dataset]
    dims: tuple[str, ...]
    coordinates: dict[str, Any] = {
        "track": ("track", np.array(names, dtype=str)),
        "status": ("track", np.array([row["status"] for row in rows], dtype=str)),
        "reason": ("track", np.array([row["reason"] for row in rows], dtype=str)),
    }
    shape: tuple[int, ...]
    if plan.draw is None and plan.search is None:
        dims, shape = tuple(axis.name for axis in plan.axes), tuple(len(axis.values) for axis in plan.axes)
        coordinates |= {axis.name: (axis.name, _labels(axis.values)) for axis in plan.axes}
    else:
        dims, shape = ("point",), (len(points),)
        coordinates |= {"point": np.arange(len(points))}
        coordinates |= {axis.name: ("point", _labels([point[axis.name] for point in points])) for axis in plan.axes}
    none = [None] * len(points)
    refusals = np.array([row.get(REFUSAL, [""] * len(points)) for row in rows], dtype=str)
    coordinates[REFUSAL] = (("track", *dims), refusals.reshape(len(rows), *shape))
    variables = {}
    for name in MEASURED:
        values = np.array([row.get(name, none) for row in rows], dtype=np.float64).reshape(len(rows), *shape)
        variables[name] = (("track", *dims), values, {"units": "1", "long_name": MEASURED[name]})
    return xarray.Dataset(variables, coords=coordinates, attrs={"sweep": stated})


def _labels(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Values of a parameter as a coordinate: numbers as they are, others as texts, lists joined by commas."""
    truths = sum(isinstance(value, bool) for value in values)
    if truths in (0, len(values)) and all(isinstance(value, int | float) for value in values):
        return np.array(values)
    return np.array([_label(value) for value in values], dtype=str)


def _label(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_label, value)) or "none"
    return value if isinstance(value, str) else json.dumps(value)


def _write(found: xarray.Dataset, out: Path) -> None:
    aside = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        # zarr has no fixed-length text of its own in version 3
        texts = {name: found[name].astype(object) for name in found.variables if found[name].dtype.kind == "U"}
        found.assign_coords(texts).to_zarr(aside, mode="w", consolidated=False)
        aside.rename(out)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written ({error.strerror})") from error


def _read(out: Path, stated: str) -> xarray.Dataset:
    found = read_sweep(out)
    if found.attrs.get("sweep") != stated:
        raise ParameterError(f"{out} holds another sweep; delete it, or name another result")
    return found


def read_sweep(path: Path | str) -> xarray.Dataset:
    """Read the result of a sweep.

    Parameters
    ----------
    path : folder of the zarr store

    Returns
    -------
    xarray.Dataset : as of `sweep`

    Raises
    ------
    ParameterError : it holds no sweep
    """
    import xarray

    try:
        found: xarray.Dataset = xarray.open_zarr(path, chunks=None, consolidated=False).load()
    except (OSError, ValueError, KeyError) as error:
        raise ParameterError(f"{path}: no result of a sweep ({error})") from error
    if "sweep" not in found.attrs:
        raise ParameterError(f"{path}: no result of a sweep")
    return found
