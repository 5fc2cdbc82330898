"""Two profiles on one dataset: a paired table, how sure each difference is, and what to listen to.

Every recording is measured under both profiles, so the difference is taken recording by recording, with an interval
over recordings (`workbench.lab.statistics`). A difference counts as one where the interval
leaves zero out and at least `SURE_FROM` recordings have the measure: the interval of fewer says nothing of other
recordings. Grids are compared with annotated beats (`workbench.lab.evaluate`), plans for a video a minute longer than
the recording.

A measure can only judge what it is not made of. Agreement with annotated beats judges any parameter; a seam score
judges how plans are made, but not the weights and yardsticks that it is made of itself: with those a better score may
mean an easier yardstick. Seam scores are made on the grid, and the confidence of a grid is what its tracker says of
itself, so neither judges a tracker. Such a difference is shown and never sure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.analysis.track import Sound, analyze_sound
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError, ParameterError, ResourceMissing, StoreError, WorkbenchError
from workbench.lab.batch import Row, all_rows, columns_of, measure_one, open_any_pool, opened
from workbench.lab.datasets import Dataset, DatasetTrack, load
from workbench.lab.evaluate import BEAT_MEASURES, SKIP_SECONDS, evaluate_track
from workbench.lab.statistics import mean_interval
from workbench.params import SeamParams, WorkbenchParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray, counted
from workbench.store.home import Home
from workbench.store.profiles import load_profile
from workbench.workflows.splice import preview_plan

if TYPE_CHECKING:
    import pandas

    from workbench.beats.grid import BeatGrid
    from workbench.params import CoverParams
    from workbench.seams.profile import LoopProfile
    from workbench.workflows.splice import PlanPreview

LONGER_SECONDS = 60.0  # by which the video of a plan is longer than the recording, where no length is given
# Measures that are compared if they apply to a recording, each with its meaning in a line
MEASURED = {
    **BEAT_MEASURES,
    "confidence": "how sure the tracker is of its bar lines, 0 to 1, as it says itself",
    "best_seam": "the highest seam score of the recording, 0 to 1",
    "good_splices": "number of splices with the seam score that plans ask for, `cover.min_seam_score`",
    "seam_score": "seam score of the worst seam of the plan, 0 to 1, fitted to an automatic judge",
    "plan_score": "the number that ranks plans, 0 to 1",
    "planned": "share of recordings that have a plan",
}
COVERAGE = 0.9
# Where nothing is planned, `REFUSAL` of the row says why, and these are missing
OF_PLANS = ("seam_score", "plan_score")
REFUSAL = "refusal"
# Raised under all parameters alike: all other errors are the refusal of a profile or a point
NOT_OF_PARAMS = (MediaError, StoreError, ResourceMissing)
SURE_FROM = 6  # recordings; with fewer, no interval reaches its stated coverage

_MADE_OF_SEAM_SCORES = ("best_seam", "good_splices", "seam_score", "plan_score", "planned")
# Parameters of seams that say which splices a profile holds, and so how many good ones there are, but change no score
_SELECTING = {"min_kept_score", "min_body_bars"}
_FADING = {"alike_fade_seconds", "unlike_fade_seconds"}  # those that no measure reads
_SCORING = SeamParams.knobs().keys() - _SELECTING - _FADING


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What two profiles make of one dataset.

    Attributes
    ----------
    a : the first profile
    b : the second
    dataset : recordings that were measured
    table : a row a recording. Columns have two levels: a measure and `a` or `b`, as in `table["beat_f", "a"]`, and
        `refusal`, why there is no plan; `status`, `reason` and `changed`, whether their plans differ, stand over an
        empty second level
    home : folder of the cached analyses
    seconds : length of the video that plans are made for; None: a minute more than each recording
    """

    a: WorkbenchParams
    b: WorkbenchParams
    dataset: Dataset
    table: pandas.DataFrame
    home: Path
    seconds: float | None

    def summary(self) -> pandas.DataFrame:
        """A row a measure: both means, their difference (b - a) with its 90 % interval, and whether it leaves zero out.

        `MEASURED` has a line on each measure, which the table has below it in a notebook.

        Returns
        -------
        over the recordings for which both have the measure, `n` of them; under `SURE_FROM` of them the interval is NaN,
        and nothing is sure; nor is it by a measure that is made of what differs, which is not `independent`
        """
        import pandas

        rows, differ = {}, self.differ
        for name in MEASURED:
            if (name, "a") not in self.table.columns:
                continue
            pair = self.table[name].astype(float).dropna()
            if pair.empty:
                continue
            apart = (pair["b"] - pair["a"]).to_numpy()
            low, high = lead_interval(apart)
            is_independent = not made_of(name, differ)
            rows[name] = {
                "n": len(pair),
                "a": pair["a"].mean(),
                "b": pair["b"].mean(),
                "difference": apart.mean(),
                "low": low,
                "high": high,
                "sure": is_independent and (low > 0.0 or high < 0.0),
                "independent": is_independent,
            }
        columns = ["n", "a", "b", "difference", "low", "high", "sure", "independent"]
        return pandas.DataFrame.from_dict(rows, orient="index", columns=columns)

    @property
    def differ(self) -> tuple[str, ...]:
        """Names of the parameters in which the profiles differ, such as `seams.context_beats`."""
        a, b = _by_name(self.a), _by_name(self.b)
        return tuple(name for name in a if a[name] != b[name])

    @property
    def changed(self) -> tuple[str, ...]:
        """Recordings that sound different under the two, those whose worst seam changed most first."""
        if ("changed", "") not in self.table.columns:
            return ()
        differ = self.table[self.table["changed", ""].fillna(False).astype(bool)]
        if ("seam_score", "a") not in differ.columns:  # nothing has a plan, by either
            return tuple(differ.index)
        apart = (differ["seam_score", "b"].astype(float) - differ["seam_score", "a"].astype(float)).abs()
        return tuple(apart.fillna(1.0).sort_values(ascending=False, kind="stable").index)

    @property
    def refused(self) -> dict[str, str]:
        """Why recordings have no plan under each profile, with how many, such as `no_viable_loop 2`; empty for none."""
        empty: list[str] = []
        return {side: reasons_in_words(self.table.get((REFUSAL, side), empty)) for side in ("a", "b")}

    def hear(self, name: str) -> tuple[PlanPreview | str, PlanPreview | str]:
        """The plans of one recording under both profiles, to see and to play; why there is none if it is refused.

        Parameters
        ----------
        name : of the recording, such as one of `changed`

        Raises
        ------
        KeyError : there is none of this name
        """
        track = self.dataset[name]
        with Workspace(Home(self.home)) as workspace:
            found = [
                _planned_preview(workspace.with_params(params), track.path, self.seconds) for params in (self.a, self.b)
            ]
        return found[0], found[1]

    def __repr__(self) -> str:
        """The same as text; what all parameters are is in `a` and `b`."""
        return "\n".join((self.summary().round(4).to_string(), *self._notes))

    def _repr_html_(self) -> str:
        """The summary, its measures, the number of recordings, and the changes."""
        summary = self.summary().round(4)
        page: str = summary.to_html()
        legend = "".join(f"<li>{name}: {MEASURED[name]}</li>" for name in summary.index)
        below = "".join(f"<p>{escape(line)}</p>" for line in self._notes)
        return f"<div>{page}<ul>{legend}</ul>{below}</div>"

    @property
    def _notes(self) -> list[str]:
        """Lines below the summary."""
        measured = measured_on(int((self.table["status", ""] != "error").sum()))
        refused = [f"without a plan under {side}: {reasons}" for side, reasons in self.refused.items() if reasons]
        return [measured, *refused, f"plans that differ: {', '.join(self.changed) or 'none'}"]


def made_of(measure: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of some parameters, such as `models.seams.pulse_weight`, that a measure depends on and so cannot judge."""
    return tuple(name for name in names if measure in _measures_made_of(name))


def _by_name(params: WorkbenchParams) -> dict[str, object]:
    """All parameters by the names that a sweep calls them by."""
    values: dict[str, object] = {}
    for stage, fields in params.model_dump().items():
        model = fields.pop("model", {})
        values |= {f"{stage}.{name}": value for name, value in fields.items()}
        values |= {f"models.{stage}.{name}": value for name, value in model.items()}
    return values


def _measures_made_of(name: str) -> tuple[str, ...]:
    stage, field = name.split(".")[:2]
    if (stage, field) == ("models", "seams"):
        return _MADE_OF_SEAM_SCORES
    if stage == "beats":  # windows, yardsticks and bar lines of seam scores come from the grid
        return ("confidence", *_MADE_OF_SEAM_SCORES)
    if stage == "seams" and field in _SCORING:
        return _MADE_OF_SEAM_SCORES
    if stage == "seams" and field in _SELECTING:
        return ("good_splices",)
    if stage == "cover":
        if field == "min_seam_score":
            return ("good_splices", "planned")
        if field == "fresh_seconds" or field.endswith("_weight"):
            return ("plan_score",)
    return ()


def reasons_in_words(reasons: Iterable[object]) -> str:
    """Reasons with their counts, the most frequent first; empty or non-text values do not count."""
    counts = Counter(reason for reason in reasons if isinstance(reason, str) and reason)
    return ", ".join(f"{reason} {count}" for reason, count in counts.most_common())


def lead_interval(apart: FloatArray) -> tuple[float, float]:
    """The interval of a mean difference between two ways to do one thing, from the difference on each recording.

    NaN for fewer than `SURE_FROM` recordings.
    """
    return mean_interval(apart, coverage=COVERAGE) if apart.size >= SURE_FROM else (float("nan"), float("nan"))


def measured_on(count: int) -> str:
    """On how many recordings a comparison rests, in words."""
    words = f"measured on {counted(count, 'recording')}"
    return words if count >= SURE_FROM else f"{words}, and under {SURE_FROM} nothing is sure"


def compare(
    profile_a: WorkbenchParams | Path | str | None,
    profile_b: WorkbenchParams | Path | str | None,
    dataset: Dataset | Path | str,
    *,
    seconds: float | None = None,
    skip_seconds: float = SKIP_SECONDS,
    workspace: Workspace | None = None,
    executor: Executor | None = None,
) -> Comparison:
    """Measure a dataset under two profiles.

    Parameters
    ----------
    profile_a, profile_b : parameters, or files of them; None: the defaults
    dataset : recordings with or without annotations, or what `workbench.lab.datasets.load` takes
    seconds : length of the video that plans are made for; None: a minute more than each recording
    skip_seconds : beats before it are left out where grids are compared with annotations
    workspace : caches what is analysed, and reports progress; None: that of `workbench.open()`
    executor : where to run; None: a process for every core that this process may use

    Returns
    -------
    Comparison : a table with a row a recording; `summary` gives the means and their intervals

    Raises
    ------
    ParameterError : a profile cannot be read, or both are the same
    InputError : the dataset cannot be read
    """
    import pandas

    a, b = _params_of(profile_a), _params_of(profile_b)
    if a == b:
        raise ParameterError("both profiles are the same, so there is nothing to compare")
    dataset = dataset if isinstance(dataset, Dataset) else load(dataset)
    with opened(workspace) as here, open_any_pool(executor, None, len(dataset)) as pool:
        home = here.home.root
        job = partial(measure_one, partial(measure_pair, a, b, seconds, skip_seconds), home, here.params)
        found = all_rows(pool, job, dataset.tracks, here)
    names = pandas.Index([track.name for track in dataset], name="name")
    rows = pandas.DataFrame(found, columns=_on_both_sides(columns_of(found)), index=names)
    rows.columns = pandas.MultiIndex.from_tuples([_column(name) for name in rows.columns])
    return Comparison(a, b, dataset, rows, home, seconds)


def _on_both_sides(names: Iterable[str]) -> list[str]:
    """Columns, with the other side of a measure that only one profile has, such as the score of a plan."""
    both: dict[str, None] = {}
    for name in names:
        plain, _, side = name.rpartition("@")
        both |= dict.fromkeys((f"{plain}@a", f"{plain}@b") if plain and side in ("a", "b") else (name,))
    return list(both)


def _column(name: str) -> tuple[str, str]:
    plain, _, side = name.rpartition("@")
    return (plain, side) if plain else (name, "")


def _params_of(profile: WorkbenchParams | Path | str | None) -> WorkbenchParams:
    if isinstance(profile, WorkbenchParams):
        return profile
    if profile is None:
        return WorkbenchParams()
    return load_profile(Path(profile))


def measure_pair(
    a: WorkbenchParams,
    b: WorkbenchParams,
    seconds: float | None,
    skip_seconds: float,
    workspace: Workspace,
    track: DatasetTrack,
) -> Row:
    """One recording under both profiles: each measure as `name@a` and `name@b`; `changed` if the plans differ.

    `seconds` and `skip_seconds` as of `compare`.
    """
    row: dict[str, Any] = {}
    played = []
    _ = track.beats  # annotations that cannot be read are a fault of the recording under any profile
    for side, params in (("a", a), ("b", b)):
        try:
            found, segments = measured(workspace.with_params(params), track, seconds, skip_seconds)
        except NOT_OF_PARAMS:
            raise
        except WorkbenchError as error:
            found, segments = {REFUSAL: str(error)}, str(error)
        row |= {f"{name}@{side}": value for name, value in found.items()}
        played.append(segments)
    return row | {"changed": played[0] != played[1]}


def measured(
    workspace: Workspace, track: DatasetTrack, seconds: float | None, skip_seconds: float = SKIP_SECONDS
) -> tuple[dict[str, Any], Any]:
    """The measures of one recording under the workspace's parameters, and the segments that its plan plays.

    Those of `MEASURED` that apply. `seconds` and `skip_seconds` as of `compare`.
    """
    analysis = analyze_sound(Sound(workspace, track.path, use_detected_grid=True))
    row, segments = profile_measures(analysis.grid, analysis.profile, workspace.params.cover, seconds)
    return evaluate_track(analysis.grid, track, skip_seconds) | row, segments


def profile_measures(
    grid: BeatGrid, profile: LoopProfile, cover: CoverParams, seconds: float | None
) -> tuple[dict[str, Any], Any]:
    """The measures of a known profile that need no annotations, and the segments of its plan.

    If the plan is a refusal, the second value is its reason, which is `REFUSAL` of the first. `seconds` as of
    `compare`.
    """
    row: dict[str, Any] = {"confidence": grid.confidence}
    scores = profile.splices.score
    if scores.size:
        row["best_seam"] = float(scores.max())
    row["good_splices"] = int(np.count_nonzero(scores >= cover.min_seam_score))
    plan = plan_loop(profile, seconds or profile.song_duration + LONGER_SECONDS, cover)
    row["planned"] = float(isinstance(plan, LoopPlan))
    if not isinstance(plan, LoopPlan):
        return row | {REFUSAL: plan.reason.value}, plan.reason.value
    row |= {"seam_score": plan.seam_score, "plan_score": plan.plan_score}
    return row, tuple((segment.song_from, segment.song_to) for segment in plan.segments)


def _planned_preview(workspace: Workspace, path: Path, seconds: float | None) -> PlanPreview | str:
    analysis = analyze_sound(Sound(workspace, path, use_detected_grid=True))
    plan = plan_loop(analysis.profile, seconds or analysis.duration + LONGER_SECONDS, workspace.params.cover)
    if not isinstance(plan, LoopPlan):
        return f"{plan.reason.value}: {plan.hint}"
    return preview_plan(plan, workspace.load_recording(path), analysis.grid, workspace.params)
