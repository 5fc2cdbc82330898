"""How do I add a part of my own to the seam score?

A measure says what it finds in each beat, and how great the break between any two beats is. It is judged as all parts
are, against the same measure at the track's own bar lines, and weighs as much as you say.

`least` and `most` bound the yardstick: a break as great as the yardstick makes a part of 0.5. To choose them, look at
the columns `break` and `yardstick` of a few splices on a few tracks. In a module `my_module.py` of the working folder a
measure needs no registering, and a sweep takes its weight as a parameter:

```sh
workbench loop track.wav --video video.mp4 --use seam-measure=my_module:MyMeasure=1.5
workbench sweep --param seams.measures.my_module:MyMeasure=0,1.5,6 --measure planned --dataset bundled -o weights.zarr
```
"""

import numpy as np

import workbench as wb
from workbench import extensions
from workbench.features.loudness import loudness_between
from workbench.params import SeamParams


class Loudness:
    version, unit, description = 1, "dB", "the loudness goes on"
    least, most = 1.0, 9.0

    def features(self, recording: wb.Recording, grid: wb.BeatGrid) -> np.ndarray:
        return loudness_between(recording.samples, recording.sample_rate, grid.beats, grid.beats + 0.4)

    def breaks(self, features: np.ndarray, leaves: np.ndarray, enters: np.ndarray) -> np.ndarray:
        return np.abs(features[leaves][:, None] - features[enters][None, :])


extensions.register(extensions.SEAM_MEASURES, "loudness", Loudness)
track = wb.bundled_path("data", "bundled", "music", "hill_road.ogg")
for weight in (0.0, 3.0):
    params = wb.WorkbenchParams(seams=SeamParams(measures=(f"loudness={weight}",)))
    splice = wb.splice(track, leave=86.7, enter=30.0, params=params)
    print(f"weight {weight}: score {splice.score:.3f}, this part {splice.parts['loudness']:.3f}")
print(splice.to_frame())
