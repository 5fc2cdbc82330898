"""Labels of cached arrays, so that these read by themselves: the recording's name, and what each axis counts.

Function: `array_labels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.features.variables import DIM_NAMES
from workbench.store.arrays import ArrayLabels, Coordinate

if TYPE_CHECKING:
    from workbench.params import WorkbenchParams

_HOPS_PER_SECOND = 100
_PITCHES_PER_SECOND = 50


def array_labels(name: str, params: WorkbenchParams) -> ArrayLabels:
    """Labels of the arrays of a recording, for any stage: axes that a stage does not have are left out when written."""
    from workbench.features.chroma import LOWEST_MIDI
    from workbench.features.spectrum import FRAMES_PER_SECOND, TONE_FRAMES_PER_SECOND
    from workbench.seams.measures import part_names

    coordinates = {
        "time": Coordinate("frame", (), "s", 1.0 / FRAMES_PER_SECOND, description="middle of the frame, track time"),
        "tone_time": Coordinate("tone_frame", (), "s", 1.0 / TONE_FRAMES_PER_SECOND, description="middle of the frame"),
        "soundtrack_time": Coordinate("hop", (), "s", 1.0 / _HOPS_PER_SECOND, description="beginning, video time"),
        "pitch_time": Coordinate("pitch_step", (), "s", 1.0 / _PITCHES_PER_SECOND, description="beginning, video time"),
        "beat": Coordinate("beat", description="number of the beat in the grid, from 0"),
        "tone": Coordinate("tone", first=LOWEST_MIDI, description="MIDI number"),
        "bar": Coordinate("bar", description="number of the bar, by the grid's downbeats, from 0"),
        "splice": Coordinate("splice", description="candidate splices, best first"),
        "seam_part": Coordinate("seam_part", part_names(params.seams), description="what of the splice is judged"),
    }
    coordinates |= {dim: Coordinate(dim, names) for dim, names in DIM_NAMES.items()}
    return ArrayLabels(name, coordinates)
