"""Does last year's plan still come out the same?

A plan says what it was made from: the bytes of the track, the parameters, the versions of the analysis. `reproduce`
makes it again from that, and says in words what differs.
"""

import json

import workbench as wb
from workbench.workflows.reproduce import reproduce

workspace = wb.open()
track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
kept = wb.save_plan(wb.plan_track(workspace, track, 300.0, wb.PlanRequest(only_loop=True)), "plan.json")

again = reproduce(workspace, json.loads(kept.read_text()), track=track)
print("the same plan:", again.same)

changed = json.loads(kept.read_text())
changed["plan"]["seam_score"] = 0.5
for line in reproduce(workspace, changed, track=track).differences:
    print(line)
