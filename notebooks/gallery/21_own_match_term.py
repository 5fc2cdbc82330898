"""Does a term of my own make the ranking better?

A match term says of every track how well it goes with a video, from 0 to 1. It counts in the score beside our parts and
stands in reasons, tables and pictures. A reference set of graded pairs ships, so whether a term helps can be measured:
here by the mean grade, 0 to 3, of the first ten tracks of each video. This one does not help: whether a track is long
enough is one of our parts already. In a module `my_module.py` of the working folder a term needs no registering:

```sh
workbench match video.mp4 --use match-term=my_module:AboutAsLong=0.1
```
"""

import numpy as np

from workbench import extensions
from workbench.matching.video_ranking import rank
from workbench.matching.video_reference import read_reference
from workbench.params import MatchParams


class AboutAsLong:
    usual = 0.5
    description = "about as long as the video"

    def parts(self, video, columns):
        return 0.5 ** np.abs(np.log2(columns.duration / video.duration))


extensions.register(extensions.MATCH_TERMS, "length_alike", AboutAsLong)
pairs = read_reference()
for weight in (0.0, 0.2):
    params = MatchParams(terms=(f"length_alike={weight}",))
    firsts = [rank(video, pairs.columns, 10, params) for video in pairs.videos]
    grades = [pairs.grades[number, first.rows] for number, first in enumerate(firsts)]
    part = np.mean([first.parts["length_alike"] for first in firsts])
    print(f"weight {weight}: mean grade {np.mean(grades):.2f}, this part {part:.2f}")
