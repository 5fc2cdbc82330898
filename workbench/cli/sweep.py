"""`workbench sweep`: parameters swept over a dataset."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli.options import Seconds, profile_option, workspace_option
from workbench.cli.terminal import print_body, progress_bar, say
from workbench.errors import ParameterError, require_extra

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace
    from workbench.lab.winners import Winner


@click.command("sweep")
@click.option(
    "--param",
    "given",
    metavar="NAME=VALUES",
    multiple=True,
    required=True,
    help="A parameter and its values: seams.context_beats=2,4,8, or models.seams.pulse_weight=0:2:21 for 21 from 0 "
    "to 2; seams.measures.my_module:MyMeasure=0,1.5 for the weight of a measure of your own; may be repeated.",
)
@click.option(
    "--dataset",
    required=True,
    help="`bundled`, a folder of sound files with annotations beside them, or an index as mirdata writes it.",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="The result, a zarr folder.")
@click.option("--draw", type=click.IntRange(1), help="Draw that many of all combinations, rather than take them all.")
@click.option(
    "--search",
    type=click.IntRange(1),
    help="Search that many of all combinations for a high --measure, with Optuna, rather than take them all.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw or the search.")
@click.option(
    "--seconds",
    type=Seconds(0.0, 86_400.0, min_open=True),
    help="Length of the video that plans are made for; without it a minute more than each recording.",
)
@click.option(
    "--skip-seconds",
    type=Seconds(0.0, 86_400.0),
    help="Beats before it are left out where grids are compared with annotations. Default: 5, as mir_eval does.",
)
@click.option("--measure", default="seam_score", show_default=True, help="By which the best point is named, see above.")
@click.option("--scheduler", metavar="URL", help="A Dask cluster to run on, whose workers share the home folder.")
@profile_option
@workspace_option
def command(
    given: tuple[str, ...],
    dataset: str,
    out: Path,
    draw: int | None,
    search: int | None,
    seed: int,
    seconds: float | None,
    skip_seconds: float | None,
    measure: str,
    scheduler: str | None,
    workspace: Workspace,
) -> None:
    """Measure every combination of some parameters on every recording of a dataset.

    Writes one zarr folder for xarray, with the parameters as coordinates. A sweep that was stopped goes on when the
    same command is given again. Where there are too many combinations, --search measures those that promise most;
    what it finds was chosen for these recordings, so measure it on others.

    Prints JSON: how many points and recordings, what could not be read, and the best point, which is called sure only
    where it beats every other one on six recordings or more.

    \b
    Measures of annotated recordings, as mir_eval computes them, 0 to 1:
      beat_f         F-measure of beats, within 70 ms
      cmlc           longest run of right beats at the annotated tempo, as a share of all
      cmlt           all right beats at the annotated tempo, as a share of all
      amlc, amlt     the same, where double and half the tempo and the off-beat count as right
      downbeat_f     F-measure of the beats that open a bar, within 70 ms
    Measures of all recordings:
      confidence     how sure the tracker is of its bar lines, 0 to 1
      best_seam      the highest seam score of the recording, 0 to 1
      good_splices   number of splices whose score plans accept
      seam_score     seam score of the worst seam of the plan, 0 to 1
      plan_score     the number that ranks plans, 0 to 1
      planned        whether there is a plan, 0 or 1

    \b
    Example:
      workbench sweep --param seams.context_beats=2,4,8 --dataset bundled -o sweep.zarr
    """
    from workbench.lab.compare import MEASURED, measured_on
    from workbench.lab.datasets import Dataset, load
    from workbench.lab.sweep import SweepPlan, read_axis, sweep
    from workbench.lab.winners import winner

    if measure not in MEASURED:
        raise click.UsageError(f"--measure is one of {', '.join(MEASURED)}")
    if not out.absolute().parent.is_dir():
        raise click.UsageError(f"{out}: there is no folder {out.parent}")
    try:
        axes = tuple(read_axis(text) for text in given)
        plan = SweepPlan(axes, Dataset("", ()), draw, seed, seconds, search=search, measure=measure)
        if skip_seconds is not None:
            plan = replace(plan, skip_seconds=skip_seconds)
        _ = plan.points
    except ParameterError as error:
        raise click.BadParameter(str(error), param_hint="--param") from error
    if search is not None:
        require_extra("optuna", "`workbench sweep --search`")
    plan = replace(plan, dataset=load(dataset))
    for fault in plan.dataset.faults:
        say(fault)
    with progress_bar() as progress:
        found = sweep(workspace.with_progress(progress), plan, out, scheduler=scheduler)
    broken = {
        str(name): str(reason)
        for name, status, reason in zip(found.track.values, found.status.values, found.reason.values, strict=True)
        if status != "ok"
    }
    for name, reason in broken.items():
        say(f"{name}: {reason}")
    body = {
        "out": str(out),
        "points": found[measure].size // len(plan.dataset),
        "tracks": len(plan.dataset),
        "errors": broken,
    }
    try:
        best = winner(found, measure)
    except ParameterError as error:
        say(str(error))
        print_body(body)
        return
    print_body(body | _best(best, measure, measured_on(best.tracks), searched=search is not None))


def _best(best: Winner, measure: str, measured: str, searched: bool) -> dict[str, Any]:
    """The JSON of the best point, which is also described in words."""
    words = "is the winner" if best.sure else "is no winner, for another point may be as good"
    if best.made_of:
        words = f"is no winner, for {measure} is made of {', '.join(best.made_of)} and cannot judge it"
    point = ", ".join(f"{name}={value}" for name, value in best.point.items())
    say(f"{point} has the best {measure} and {words}; {measured}")
    if searched:
        say("it was searched for on these recordings: measure it on others before you rely on it")
    facts = {"measure": measure, "point": best.point, "mean": round(best.mean, 4), "tracks": best.tracks}
    return {"best": facts | {"lead": round(best.lead, 4), "sure": best.sure, "made_of": list(best.made_of)}}
