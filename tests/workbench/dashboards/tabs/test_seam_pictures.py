"""The pictures of the Seams tab are drawn, and emptied."""

from __future__ import annotations

from typing import Any

from workbench.dashboards.sounds.seam import SeamLook
from workbench.dashboards.tabs.seam_pictures import ScorePicture, SeamPicture


def test_pictures_are_drawn_and_emptied(corner_look: SeamLook) -> None:
    seam, score = SeamPicture(), ScorePicture()
    for picture in (seam, score):
        empty = _values_of(picture.figure)
        picture.show(corner_look)
        assert _values_of(picture.figure) > empty
        picture.show(None)
        assert _values_of(picture.figure) == empty


def _values_of(figure: Any) -> int:
    """How many values are drawn."""
    sources = {renderer.data_source for renderer in figure.renderers}
    return sum(len(column) for source in sources for column in source.data.values())
