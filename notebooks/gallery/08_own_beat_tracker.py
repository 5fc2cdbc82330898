"""How do I try another beat tracker?

A tracker is a class with a version and one method. Registered, it has a name that parameters, profiles, cache keys and
options take; `workbench.lab.extension_suites` holds the tests that it should pass. In a module `my_module.py` of the
working folder it needs no registering:

```sh
workbench beats track.wav --tracker my_module:MyTracker
workbench loop track.wav --video video.mp4 --use beat-tracker=my_module:MyTracker
workbench sweep --param beats.tracker=workbench,my_module:MyTracker --measure beat_f --dataset bundled -o trackers.zarr
```

The sweep compares both trackers against annotated beats. Grids are cached under the tracker's name and `version`: raise
it whenever its answers change, until then you get the old grid. A grid of a person that is kept with a track stands
before that of any tracker, but in sweeps.
"""

import librosa
import numpy as np

import workbench as wb
from workbench import extensions
from workbench.params import BeatParams


class Librosas:
    """Dynamic programming over onset strength."""

    version = 1

    def track(self, recording: wb.Recording, params: BeatParams) -> wb.BeatGrid:
        rate = 22050  # that its constants were chosen for
        sound = librosa.resample(np.asarray(recording.mono()), orig_sr=recording.sample_rate, target_sr=rate)
        _, beats = librosa.beat.beat_track(y=sound, sr=rate, start_bpm=params.usual_bpm, units="time")
        return wb.BeatGrid.from_times(beats[beats < recording.duration], confidence=0.5)


extensions.register(extensions.BEAT_TRACKERS, "librosas", Librosas)
track = wb.bundled_path("data", "bundled", "music", "top_of_the_hour.ogg")
for name in ("workbench", "librosas"):
    found = wb.map_beats(wb.open().with_params(wb.WorkbenchParams(beats=BeatParams(tracker=name))), track)
    print(f"{name}: {found.grid.tempo_bpm:.1f} BPM, {found.grid.beats.size} beats")
