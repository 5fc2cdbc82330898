"""The picture of a sweep: what a measure does over the values of a parameter, and which values are as good as the best.

Above, the mean over recordings with its interval: wide, for recordings differ. Below, what decides: the difference from
one point on the same recordings, zero for that point itself. Where an interval reaches zero, nothing says that the two
differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.plots.palette import BEAT, PLAYED, RULE, group_colour, new_figure, quiet

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST_GAP = 0.04
"""between two labels, as a share of the axis"""
_MOST_LINES = 8
"""combinations of the other parameters, as many as there are colours"""
_SHARE = 0.5
"""of the space between two values that the marks of several lines take"""


def sweep_figure(table: pandas.DataFrame, measure: str = "") -> Figure:
    """A measure over the values of the first parameter, a line for each combination of the others.

    Parameters
    ----------
    table : of `workbench.lab.winners.sweep_table`
    measure : its name, for the title

    Raises
    ------
    ValueError : there are more than eight combinations of the other parameters; sweep fewer, or select some rows
    """
    names = [str(name) for name in table.index.names]
    lines = _lines(table, names)
    if len(lines) > _MOST_LINES:
        raise ValueError(f"{len(lines)} combinations of {', '.join(names[1:])} are more lines than one can tell apart")
    values = list(dict.fromkeys(table.index.get_level_values(0).tolist()))
    # numbers stand at their values, names side by side
    are_numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    places = dict(zip(values, values if are_numbers else range(len(values)), strict=True))
    nearest = float(np.diff(np.sort(np.array(list(places.values()), dtype=float))).min(initial=np.inf))
    figure = new_figure(8.0, 5.2)
    above, below = figure.subplots(2, 1, sharex=True)
    for number, (label, rows) in enumerate(lines.items()):
        colour = PLAYED if len(lines) == 1 else group_colour(number)
        shift = 0.0 if len(lines) == 1 or np.isinf(nearest) else nearest * _SHARE * (number / (len(lines) - 1) - 0.5)
        at = np.array([places[value] for value in rows.index.get_level_values(0)], dtype=float) + shift
        _draw(above, at, rows, ("mean", "mean_low", "mean_high"), colour, label)
        _draw(below, at, rows, ("difference", "low", "high"), colour, label)
    below.axhline(0.0, color=BEAT, linewidth=1.0, zorder=0)
    least, most = int(table["tracks"].min()), int(table["tracks"].max())
    recordings = f"{most} recordings" if least == most else f"{least} to {most} recordings, the others refused"
    title = f"{measure or 'the measure'}, mean of {recordings}{_interval(table['mean_low'])}"
    above.set_title(title, loc="left", fontsize=9)
    below.set_title(f"difference on the same recordings{_interval(table['low'])}", loc="left", fontsize=9)
    if nearest > _LEAST_GAP * (max(places.values()) - min(places.values())):  # else labels would lie on each other
        below.set_xticks(list(places.values()), [_text(value) for value in values])
    below.set_xlabel(names[0], fontsize=9)
    for axes in (above, below):
        axes.grid(axis="y", color=RULE, linewidth=0.8)
        axes.set_axisbelow(True)
        quiet(axes)
    if len(lines) > 1:
        above.legend(fontsize=8, frameon=False, ncols=min(4, len(lines)), title=", ".join(names[1:]), title_fontsize=8)
    return figure


def _interval(low: pandas.Series[float]) -> str:
    """What a title says of intervals."""
    known = np.isfinite(low)
    if known.all():
        return ", with its 90 % interval"
    return ", with its 90 % interval where there is one" if known.any() else ": too few for an interval"


def _lines(table: pandas.DataFrame, names: list[str]) -> dict[str, pandas.DataFrame]:
    """Rows by the values of all parameters but the first."""
    if len(names) == 1:
        return {"": table}
    groups: Any = table.groupby(level=names[1:], sort=False)
    return {", ".join(map(_text, key if isinstance(key, tuple) else (key,))): rows for key, rows in groups}


def _draw(
    axes: Axes, at: np.ndarray, rows: pandas.DataFrame, columns: tuple[str, str, str], colour: str, label: str
) -> None:
    middle, low, high = (rows[name].to_numpy(dtype=np.float64) for name in columns)
    axes.plot(at, middle, "o", color=colour, markersize=5, label=label)
    known = np.isfinite(low)
    axes.vlines(at[known], low[known], high[known], color=colour, linewidth=2.0)


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
