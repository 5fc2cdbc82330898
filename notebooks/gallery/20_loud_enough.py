"""Is the finished file loud enough for where it goes?

A delivery target is a loudness, a tolerance and a ceiling, as platforms and broadcasters publish them. The file is
written with the gain that the target asks for and measured as it was written; what it misses is said in words.
"""

from pathlib import Path

import workbench as wb
from workbench.workflows.render import Delivery, render_measured

workspace = wb.open()
track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
plan = wb.plan_fit(wb.analyze(workspace, track).profile, 20.0)
playback = wb.Playback(plan, workspace.load_recording(track))
for target in (None, "web", "ebu-r128"):
    out = Path(f"{target or 'as_it_is'}.wav")
    done = render_measured(workspace, playback, out, delivery=Delivery(target))
    levels = done.levels
    print(f"{done.path.name}: {levels.loudness_lufs:.1f} LUFS, peak {levels.true_peak_dbtp:.1f} dBTP", *done.shortfalls)
