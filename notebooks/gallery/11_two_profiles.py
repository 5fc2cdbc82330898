"""Is my profile better than the default?

Two profiles are compared on the same recordings, pair by pair. From six recordings on, each difference has an interval,
and counts as sure where that leaves zero out. Here true beats judge both, on twenty seconds of six songs: the second
profile tracks beats from onset strengths alone, without the network. Where the plans of a recording differ,
`comparison.hear(name)` plays both.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import workbench as wb
from workbench.params import BeatParams

songs = Path("songs")
songs.mkdir()
for known in list(wb.datasets.bundled())[:6]:
    sound = wb.decode(known.path)
    head = sound.samples[:, : 20 * sound.sample_rate]
    wb.write_audio(songs / f"{known.name}.wav", [head], sound.sample_rate, sound.channels)
    beats = [(at, place) for at, place in zip(known.grid.beats, known.grid.positions, strict=True) if at < 20.0]
    (songs / f"{known.name}.beats").write_text("".join(f"{at:.3f}\t{place}\n" for at, place in beats))

bare = wb.WorkbenchParams(beats=BeatParams(activation="onsets"))
# Threads will do for short recordings; without an executor, each core has a process.
comparison = wb.compare(None, bare, wb.datasets.load(songs), seconds=60.0, executor=ThreadPoolExecutor(2))
print(comparison.summary().round(3).to_string())
