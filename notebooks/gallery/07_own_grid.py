"""My beats are better than the tracker's: how do I use them?

A grid is made from the times of its beats, and of its bar lines where they are known. Kept with a track, it takes the
place of the tracked one in every later analysis; the command line does the same with `beats TRACK --grid FILE`.
"""

import numpy as np

import workbench as wb
from workbench.analysis.grids import delete_grid

workspace = wb.open()
track = wb.bundled_path("data", "bundled", "music", "top_of_the_hour.ogg")
heard = wb.map_beats(workspace, track).grid
mine = wb.BeatGrid.from_times(np.arange(0.25, 19.0, 0.5), beats_per_bar=4)

wb.keep_grid(workspace, track, mine)
kept = wb.map_beats(workspace, track)
for name, grid in {"heard": heard, "mine": kept.grid}.items():
    print(f"{name}: {grid.tempo_bpm:.1f} BPM, {grid.downbeats.size} bars, confidence {grid.confidence:.2f}")
delete_grid(workspace, kept.content_hash)
