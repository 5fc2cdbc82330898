"""How good are the beats that are tracked on my recordings?

A dataset is a folder of sound with annotations beside it: JAMS, `.beats`, `.lab`, or CSV as Sonic Visualiser writes it.
Here one recording of the bundled catalog is laid into a folder with its true beats; `wb.datasets.load` reads the rest.
"""

import shutil
from pathlib import Path

import workbench as wb
from workbench.lab.statistics import f_measure

mine = Path("mine")
mine.mkdir()
for known in wb.datasets.bundled().only("hill_road", "top_of_the_hour"):
    shutil.copy(known.path, mine)
    places = zip(known.grid.beats, known.grid.positions, strict=True)
    (mine / f"{known.name}.beats").write_text("".join(f"{time:.3f}\t{place}\n" for time, place in places))

dataset = wb.datasets.load(mine)
print(dataset.to_frame().iloc[:, :3].to_string())
for track in dataset:
    grid = wb.map_beats(wb.open(), track.path).grid
    beats, bars = f_measure(track.beats, grid.beats), f_measure(track.grid.downbeats, grid.downbeats)
    print(f"{track.name}: F {beats:.3f} of beats, {bars:.3f} of downbeats")
