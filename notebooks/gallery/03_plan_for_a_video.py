"""How does this track cover a video of five minutes?

The track is analysed once; every plan after that takes a moment. The picture shows which part of the track is played
when. What comes back for music that cannot be looped is a reason and a hint, not an exception.
"""

import workbench as wb

track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
analysis = wb.analyze(wb.open(), track)
for seconds in (300.0, 90.0):
    plan = wb.plan_loop(analysis.profile, video_seconds=seconds)
    if isinstance(plan, wb.Refusal):
        print(f"{seconds:.0f} s: {plan.reason}. {plan.hint}")
    else:
        print(f"{seconds:.0f} s: {len(plan.segments)} segments, worst seam {plan.seam_score:.2f}, {plan.end_label}")
        wb.plan_figure(plan, analysis.profile).savefig("plan.png", dpi=80)
