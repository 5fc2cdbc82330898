"""What the result of a sweep says: each point with its interval, and the best one, which may be no winner.

Recordings differ more from each other than points do, so the interval of a mean over recordings is wide and decides
nothing. What decides is the difference between two points on the same recordings, those that have the measure at both
(`workbench.lab.compare`). A recording that a point refuses is counted there, with the reason, and counts for the other
points.

A measure that is made of a parameter that was swept has a best point and no winner (`workbench.lab.compare`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workbench.errors import ParameterError
from workbench.lab.compare import OF_PLANS, REFUSAL, lead_interval, made_of, reasons_in_words
from workbench.recording import FloatArray

if TYPE_CHECKING:
    import pandas
    import xarray


@dataclass(frozen=True, slots=True)
class Winner:
    """The best point of a sweep by one measure.

    Attributes
    ----------
    measure : by which it is the best
    point : its parameters by name
    mean : over the recordings that have the measure at this point
    tracks : how many these are
    lead : over the next point, on the recordings that both have
    low : end of the 90 % interval of its lead over the point that it is least sure to beat; NaN on too few recordings
    sure : whether it is the winner: it beats every other point on six recordings or more, each interval leaving
        zero out, by a measure that depends on no swept parameter
    made_of : parameters of the point that the measure itself depends on, and so cannot judge
    """

    measure: str
    point: dict[str, Any]
    mean: float
    tracks: int
    lead: float
    low: float
    sure: bool
    made_of: tuple[str, ...] = ()


class _Measured(NamedTuple):
    """One measure of a sweep, point by point."""

    # shape (n_tracks, n_points), of the recordings that have it or are refused at some point; NaN where it is missing
    values: FloatArray
    points: list[dict[str, Any]]
    refusals: np.ndarray[Any, Any]  # of the same shape, texts, empty without


def winner(found: xarray.Dataset, measure: str = "seam_score") -> Winner:
    """The point that is best in the mean, and whether it is sure to be.

    Parameters
    ----------
    found : of `sweep`
    measure : one of its variables; more is better

    Returns
    -------
    Winner : the point, its mean, and the interval of its lead over the point that it is least sure to beat

    Raises
    ------
    ParameterError : there is no such measure, or no recording has it at all points
    """
    values, points, _ = _measured(found, measure)
    best = _best(values)
    leads = [_apart(values, best, other) for other in range(len(points)) if other != best]
    circular = made_of(measure, points[best])
    lows = [lead_interval(lead)[0] for lead in leads]
    low = float(np.min(lows)) if lows else 0.0  # NaN where one of them is
    return Winner(
        measure=measure,
        point=points[best],
        mean=float(np.nanmean(values[:, best])),
        tracks=int(np.isfinite(values[:, best]).sum()),
        lead=min((float(lead.mean()) for lead in leads), default=0.0),
        low=low,
        sure=bool(lows) and low > 0.0 and not circular,
        made_of=circular,
    )


def sweep_table(
    found: xarray.Dataset, measure: str = "seam_score", beside: Mapping[str, Any] | None = None
) -> pandas.DataFrame:
    """Each point of a sweep: its mean, and how far it is from one of them.

    Parameters
    ----------
    found : of `sweep`
    measure : one of its variables; more is better
    beside : the point with which all are compared, values by the names of parameters; None: the best one

    Returns
    -------
    a row a point, indexed by the parameters: `mean` over the recordings that have the measure there, with `mean_low`
    and `mean_high` of its interval; `difference`, with `low` and `high`, on the recordings that both points have;
    `tracks`, how many have it there, and `refused`, how many have it at other points only or, where it is one of plans,
    have no plan here, with their `reasons` and how often each is there. Intervals are of 90 %, NaN on fewer than six
    recordings

    Raises
    ------
    ParameterError : there is no such measure or point, or no recording has it at all points
    """
    import pandas

    values, points, refusals = _measured(found, measure)
    given = points[_best(values)] if beside is None else dict(beside)
    if given not in points:
        raise ParameterError(f"the sweep has no point {given}; its parameters are {', '.join(points[0])}")
    rows = []
    for number in range(len(points)):
        own, apart = values[:, number], _apart(values, number, points.index(given))
        own = own[np.isfinite(own)]
        means = (own.mean(), *lead_interval(own)) if own.size else (np.nan,) * 3
        differences = (apart.mean(), *lead_interval(apart)) if apart.size else (np.nan,) * 3
        reasons = reasons_in_words(refusals[np.isnan(values[:, number]), number].tolist())
        rows.append([*means, *differences, own.size, len(values) - own.size, reasons])
    if len(points[0]) == 1:
        (name,) = points[0]
        index = pandas.Index([point[name] for point in points], name=name)
    else:
        index = pandas.MultiIndex.from_tuples([tuple(point.values()) for point in points], names=list(points[0]))
    columns = ["mean", "mean_low", "mean_high", "difference", "low", "high", "tracks", "refused", "reasons"]
    return pandas.DataFrame(rows, index=index, columns=columns).astype({"tracks": int, "refused": int})


def _best(values: FloatArray) -> int:
    """The point with the largest worst mean lead over the others, each on the recordings that both have."""
    leads = [np.nanmean(own[:, np.newaxis] - values, axis=0).min() for own in values.T]
    return int(np.argmax(leads))


def _apart(values: FloatArray, one: int, other: int) -> FloatArray:
    """By how much one point is better than another, on the recordings that both have."""
    apart = values[:, one] - values[:, other]
    return apart[np.isfinite(apart)]


def _measured(found: xarray.Dataset, measure: str) -> _Measured:
    if measure not in found.data_vars:
        raise ParameterError(f"there is no measure {measure}; there are {', '.join(map(str, found.data_vars))}")
    dims = [str(dim) for dim in found[measure].dims if dim != "track"]
    flat = found[measure].stack(all_points=dims, create_index=False)
    values = np.asarray(flat.transpose("track", "all_points").values)
    refusals = np.full(values.shape, "", dtype=object)
    if REFUSAL in found.coords:
        refusals = flat.coords[REFUSAL].transpose("track", "all_points").values
    counted = np.isfinite(values).any(axis=1)
    if measure in OF_PLANS:
        counted |= (refusals != "").any(axis=1)
    values, refusals = values[counted], refusals[counted]
    if not np.isfinite(values).all(axis=1).any():
        raise ParameterError(f"no recording has {measure} at every point")
    names = [str(name) for name in found.coords if set(found[name].dims) <= set(dims) and name not in ("point",)]
    columns = [flat.coords[name].values.tolist() for name in names]
    return _Measured(values, [dict(zip(names, one, strict=True)) for one in zip(*columns, strict=True)], refusals)
