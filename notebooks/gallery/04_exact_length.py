"""What do thirty seconds of this track sound like?

`plan_fit` makes music of exactly one length: looped, straight or cut down to whole bars. The end is the track's own
wherever a good seam leads there.
"""

import workbench as wb

workspace = wb.open()
track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
profile = wb.analyze(workspace, track).profile
recording = workspace.load_recording(track)
for seconds in (15.0, 30.0):
    plan = wb.plan_fit(profile, seconds)
    wb.render_audio(wb.Playback(plan, recording), f"{seconds:.0f}s.mp3")
    print(f"{seconds:.0f} s: {plan.kind.in_words} of {plan.window_end:.3f} s, {plan.end_label}")
