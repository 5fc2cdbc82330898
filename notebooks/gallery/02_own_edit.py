"""Is this edit of mine a good one?

Any list of segments becomes a plan: it keeps the rules of every plan, its seams are scored, and it can be heard, saved
and exported. Here the middle of the track is left out by hand.
"""

import workbench as wb

track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
edit = wb.plan_of([(0.812, 18.123), (86.693, 102.0)], track, fade_seconds=0.03)
print(f"{edit.plan.window_end:.3f} s, seams {[round(score, 2) for score in edit.scores]}")
print(edit.to_frame()[["song_from", "song_to", "score"]].round(3))
print("rule of the grid that it breaks:", edit.off_grid or "none")

edit.save("edit.mp3")
wb.save_plan(edit, "edit.json")  # for `workbench render`, `export` and `reproduce`
