"""Names in pictures: drawn where there is room for them, shortened or left out where there is none.

How wide a name is depends on its letters, the figure's size and its resolution, so room is measured each time the
figure is drawn, with the renderer that draws it. Names are placed in the order in which they are given, the most
important first; one that would lie over another, leave its block or leave the paper tries its other places and shorter
forms, and is left out if none fits. Nothing is rotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import BboxBase

_GAP = 2.0
"""pixels that two names keep between them"""
_EDGE = 1.0
"""pixels between a name and the edge of its block"""
_LEAST_LETTERS = 4
"""letters of a shortened name before its ellipsis; shortening removes two at least"""


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """One way to write a name."""

    text: str
    x: float
    """data coordinates, as is y"""
    y: float
    ha: str = "center"
    va: str = "center"
    right: float = 0.0
    """points to the right of x"""
    up: float = 0.0
    """points above y"""
    room: tuple[float, float] | None = None
    """x from and to between which all of it must lie; None: the whole paper"""


class Labels:
    """The names of one axes, whose limits and size may change later; they stay clear of the artists in `avoided`."""

    def __init__(self, axes: Axes, avoided: Sequence[Artist] = ()) -> None:
        self.axes = axes
        self._avoided = tuple(avoided)
        self._names: list[tuple[Text, tuple[LabelPlace, ...]]] = []
        self._settled: tuple[float, ...] = ()

    def block(self, text: str, spans: Sequence[tuple[float, float]], y: float, colour: str, **style: Any) -> None:
        """Name a block, or neighbouring blocks of one name: in the widest, else over all of them, else shortened.

        `spans` are x from and to of each block, in order, edge to edge.
        """
        whole = (spans[0][0], spans[-1][1])
        widest = max(spans, key=lambda span: span[1] - span[0])
        short = (text[:count].rstrip() + "…" for count in range(len(text) - 2, _LEAST_LETTERS - 1, -1))
        tries = [(text, widest), (text, whole), *((form, whole) for form in short)]
        places = [LabelPlace(form, sum(room) / 2.0, y, room=room) for form, room in tries]
        # On a background the name stays legible where lines cross the blocks.
        ground = {"facecolor": colour, "linewidth": 0.0, "boxstyle": "square,pad=0"}
        self.place(places, color=ink_on(colour), bbox=ground, **{"fontsize": 9, **style})

    def place(self, places: Sequence[LabelPlace], **style: Any) -> None:
        """Write a name at the first of some places that is free, best first, or not at all."""
        from workbench.plots.label_text import LabelText

        name = LabelText(self.settle, text=places[0].text, **{"zorder": 4.0, **style})
        self.axes.add_artist(name)
        name.set_in_layout(False)
        name.set_clip_on(False)
        self._names.append((name, tuple(places)))

    def settle(self, renderer: Any) -> None:
        """Find the place of every name for the size that the figure now has."""
        corners = self.axes.transData.transform([(0.0, 0.0), (1.0, 1.0)]).ravel()
        state = (*corners.tolist(), *self.axes.bbox.bounds, *self.axes.figure.bbox.bounds)
        if state == self._settled:
            return
        self._settled = state
        taken: list[BboxBase] = [artist.get_window_extent(renderer) for artist in self._avoided]
        for name, places in self._names:
            _find_place(name, places, self.axes, renderer, taken)


def _find_place(name: Text, places: Sequence[LabelPlace], axes: Axes, renderer: Any, taken: list[BboxBase]) -> None:
    """Move a name to the first free place and add it to those taken; hide the name if none is free."""
    from matplotlib.transforms import ScaledTranslation

    figure = axes.get_figure(root=True)
    assert figure is not None, "axes belong to a figure"
    name.set_visible(True)
    for place in places:
        name.set(text=place.text, x=place.x, y=place.y, ha=place.ha, va=place.va)
        moved = ScaledTranslation(place.right / 72.0, place.up / 72.0, figure.dpi_scale_trans)
        name.set_transform(axes.transData + moved)
        box = name.get_window_extent(renderer)
        if _inside(box, figure.bbox) and _has_room(axes, box, place) and not any(_touch(box, one) for one in taken):
            taken.append(box)
            return
    name.set_visible(False)


def _has_room(axes: Axes, box: BboxBase, place: LabelPlace) -> bool:
    if place.room is None:
        return True
    first, last = (axes.transData.transform((x, place.y))[0] for x in place.room)
    return bool(first + _EDGE <= box.x0 and box.x1 <= last - _EDGE)


def name_point(labels: Labels, text: str, x: float, y: float, *, above_first: bool = False, **style: Any) -> None:
    """Name a point of a picture: to its right, to its left or above it.

    `above_first` is for points where lines to both sides would cross the name.
    """
    right, left = LabelPlace(text, x, y, "left", right=6.0), LabelPlace(text, x, y, "right", right=-6.0)
    above = LabelPlace(text, x, y, "center", "bottom", up=6.0)
    places = [above, right, left] if above_first else [right, left, above]
    labels.place(places, **{"fontsize": 8, **style})


def _inside(box: BboxBase, paper: BboxBase) -> bool:
    return bool(paper.x0 <= box.x0 and box.x1 <= paper.x1 and paper.y0 <= box.y0 and box.y1 <= paper.y1)


def _touch(box: BboxBase, other: BboxBase) -> bool:
    apart = (box.x0 - other.x1, other.x0 - box.x1, box.y0 - other.y1, other.y0 - box.y1)
    return bool(max(apart[:2]) < _GAP and max(apart[2:]) < 0.0)


def ink_on(colour: str) -> str:
    """Black or white, whichever is more legible on a colour (relative luminance and contrast of WCAG 2)."""
    from matplotlib.colors import to_rgb

    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "white"
