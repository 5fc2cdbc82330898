"""The video was cut again: what becomes of the music?

A difference says what both cuts show and what changed in between; `workbench.edits.reading.compare_files` reads it from
two edit lists or two videos. The plan that follows it plays the same music before the first change, meets the new
length, and brings music back to its picture wherever a good seam leads there.
"""

import workbench as wb
from workbench.edits.difference import EditChange, EditDifference, SharedSpan
from workbench.plans.conform import follow_picture
from workbench.plots.conform import conform_figure

track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
profile = wb.analyze(wb.open(), track).profile
old = wb.plan_fit(profile, 180.0)

gone = EditChange(at=60.0, old_at=60.0, delta_seconds=-17.2, kind="delete")
both_show = (SharedSpan(0.0, 0.0, 60.0), SharedSpan(77.2, 60.0, 102.8))
difference = EditDifference(180.0, 162.8, both_show, (gone,), frame_seconds=0.04)
plan = wb.conform_plan(profile, old, difference)

print(f"{old.window_end:.1f} s, then {plan.window_end:.1f} s, worst seam {plan.seam_score:.2f}")
for stretch in follow_picture(plan, old, difference, half_bar=0.6):
    if stretch.seconds >= 1.0:
        print(f"{stretch.first:5.1f} to {stretch.last:5.1f} s of the new cut: music {stretch.off_seconds:+.2f} s off")
conform_figure(old, plan, difference, profile).savefig("new_cut.png", dpi=80)
