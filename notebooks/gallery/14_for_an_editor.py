"""How do I get the seams into my editor?

A plan is exported for editors, annotation tools and game engines. `csv` is a table of seams for anything else; the
command line does the same with `export PLAN --format csv`.
"""

from pathlib import Path

import workbench as wb
from workbench.workflows.export import all_formats, export_plan

workspace = wb.open()
track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
plan = wb.plan_loop(wb.analyze(workspace, track).profile, video_seconds=300.0)

for name in ("csv", "rpp"):
    written = export_plan(workspace, plan, name, Path(f"seams.{name}"), track=track)
    print(f"{written.name}: {written.stat().st_size} bytes")
print(Path("seams.csv").read_text())
print("formats:", ", ".join(all_formats()))
