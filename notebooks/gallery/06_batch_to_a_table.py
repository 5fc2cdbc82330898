"""What are all the recordings in this folder like?

One row a recording, whatever becomes of it: a file that is refused or cannot be read is a row with its reason.
`what` may be any function of a workspace and a path that lies in a module.
"""

from pathlib import Path

import workbench as wb

music = wb.bundled_path("data", "bundled", "music")
Path("notes.txt").write_text("not a recording")
paths = [music / "hill_road.ogg", music / "top_of_the_hour.ogg", music / "silence.ogg", Path("notes.txt")]

if __name__ == "__main__":  # the recordings are measured in other processes, which import this file
    table = wb.batch(paths, what="beats")
    table.index = [Path(path).name for path in table.index]
    print(table[["status", "duration", "tempo_bpm", "bars", "reason"]].round(1).to_string(max_colwidth=40))
    table.to_csv("recordings.csv")
