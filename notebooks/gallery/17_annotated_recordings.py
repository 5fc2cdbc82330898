"""How good are the beats that are tracked on my recordings?

A dataset is a folder of sound with annotations beside it: JAMS, `.beats`, `.lab`, or CSV as Sonic Visualiser writes it.
Here two recordings of the bundled catalog are laid into a folder with their true beats. The measures are mir_eval's,
without the first five seconds; `help(wb.evaluate)` says what each is. `wb.batch(dataset, "beats")` makes a table.
"""

import shutil
from pathlib import Path

import workbench as wb

mine = Path("mine")
mine.mkdir()
for known in wb.datasets.bundled().only("hill_road", "top_of_the_hour"):
    shutil.copy(known.path, mine)
    places = zip(known.grid.beats, known.grid.positions, strict=True)
    (mine / f"{known.name}.beats").write_text("".join(f"{time:.3f}\t{place}\n" for time, place in places))

dataset = wb.datasets.load(mine)
print(dataset.to_frame().iloc[:, :3].to_string())
for track in dataset:
    scores = wb.evaluate(wb.map_beats(wb.open(), track.path).grid, track.grid)
    print(f"{track.name}:", ", ".join(f"{name} {score:.3f}" for name, score in scores.items()))
