"""How good is this splice?

Any two places of a recording are scored as the planner scores its own: 1 is a splice without a break. The score is
fitted to an automatic judge and has parts, each measured against what the track does at its own bar lines. The picture
and the sound are of this splice.
"""

import workbench as wb

track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
splice = wb.splice(track, leave=86.7, enter=18.1)
print(splice)
print(splice.to_frame().round(3))

splice.figure().savefig("splice.png", dpi=80)
wb.write_audio("splice.mp3", [splice.sound.samples], splice.sound.sample_rate, splice.sound.channels)
