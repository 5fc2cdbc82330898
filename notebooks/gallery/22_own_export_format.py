"""How do I export to a format of my own?

A format is a function that writes a timeline, with words for people. A timeline has each segment with its place in
video and track, levels, markers, and beats where they are known, so a format has no rules of its own. This one writes
subtitles: any player then says what of the track is heard. In a module `my_module.py` of the working folder it needs no
registering:

```sh
workbench export plan.json --format my_module:SUBTITLES -o plan.vtt
```
"""

from pathlib import Path

import workbench as wb
from workbench import extensions
from workbench.export.formats import Format
from workbench.workflows.export import export_plan


def clock(seconds):
    ms = round(1000 * seconds)
    return f"{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}"


def write_subtitles(timeline, out):
    cues = [
        f"{clock(item.begins)} --> {clock(item.ends)}\nfrom {item.song_from:.2f} s of the track"
        for item in timeline.items
    ]
    out.write_text("\n\n".join(["WEBVTT", *cues, ""]), encoding="utf-8")


SUBTITLES = Format("vtt", "Subtitles", "What of the track is heard, as WebVTT.", ".vtt", write_subtitles)
extensions.register(extensions.EXPORT_FORMATS, "vtt", SUBTITLES)
workspace, track = wb.open(), wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
plan = wb.plan_loop(wb.analyze(workspace, track).profile, video_seconds=300.0)
print(export_plan(workspace, plan, "vtt", Path("plan.vtt"), track=track).read_text())
