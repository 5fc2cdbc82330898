"""How do I keep the seams out of the solo?

Constraints say where no seam may be, which splices are used and which are not, and what is not played at all. A plan
keeps all of them, or an error names the smallest set that contradicts itself.
"""

import workbench as wb

track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
profile = wb.analyze(wb.open(), track).profile
solo = wb.TrackRange(70.0, 85.0)
for constraints in (wb.SeamConstraints(), wb.SeamConstraints(never_cut=(solo,))):
    plan = wb.plan_loop(profile, 300.0, constraints=constraints)
    left = [segment.song_to for segment in plan.segments[:-1]]
    inside = sum(solo.song_from < at < solo.song_to for at in left)
    print(f"{', '.join(map(str, constraints.each)) or 'free'}: {inside} of {len(left)} seams leave the solo")
