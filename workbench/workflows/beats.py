"""The beats workflow: the grid of any recording, from the store or made now.

It is the first stage of the analysis that loops need too, so a grid that was asked for alone is not made twice.
"""

from __future__ import annotations

from workbench.workflows.analyze import BeatMap, map_beats

__all__ = ["BeatMap", "map_beats"]
