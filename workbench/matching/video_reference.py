"""The reference set that the constants of match were fitted on: its card, and how to read it.

What it is. A hundred and twenty videos and three hundred tracks, each with a latent character (arousal, valence, pulse,
an arc, speech or vocals, length), and a grade from 0 to 3 for every pair, given by comparing the characters. Stored are
the facts that would be measured of them, drawn from the characters with the confusions of real material, and the
grades; the characters themselves stay out of sight, so nothing here can be ranked by them.

What it is for. The expectations and widths of `MatchModel` and the weights of `MatchParams` were searched on it, and
`usual_…` are means over it. The curve from raw scores to probabilities is not from here: drawn facts say more of a
track than measured ones do, so it is fitted on external material (`workbench/models/match_scores.md`). A grade of 3
counts as taken, of 2 as taken in seven cases of ten, of 1 in two.

What it is not. The videos and tracks are invented, and one rule graded all of them: it holds common knowledge of music
for video (likeness in arousal, valence and pace, arcs that agree, room for a voice), and no personal taste. Refit with
pairs that editors judged if there are any: `data/recipes/fitting/match.py` does it. The program that drew the set is in
the history, see `match_reference.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from io import BytesIO

import numpy as np

from workbench.files import read_model
from workbench.matching.columns import NUMBERS, Columns, empty_columns
from workbench.matching.video_facts import Scene, VideoFacts
from workbench.recording import FloatArray, IntArray
from workbench.video.soundtrack import CLASSIFICATIONS

TAKEN = np.array([0.0, 0.2, 0.7, 1.0])
"""probability that an editor takes a track of each grade, 0 to 3"""


FILE = "match_reference.npz"
_VIDEO_NUMBERS = (
    "duration", "motion", "brightness", "colourfulness", "contrast", "speech_share", "utterances", "pace", "movement",
)  # fmt: skip
_SCENE_NUMBERS = ("start", "end", "cuts_per_minute", "motion", "brightness", "colourfulness", "drive")


@dataclass(frozen=True, slots=True, eq=False)
class MatchReference:
    """Videos, tracks and how well they go together."""

    videos: tuple[VideoFacts, ...]
    columns: Columns
    grades: IntArray
    """shape (n_videos, n_tracks), 0 to 3"""

    @property
    def taken(self) -> FloatArray:
        """Probability that an editor takes each track for each video, shape (n_videos, n_tracks)."""
        return np.asarray(TAKEN[self.grades])


@cache
def read_reference() -> MatchReference:
    """The set that ships; read once per process."""
    packed = read_model(FILE)
    with np.load(BytesIO(packed)) as arrays:
        columns = empty_columns(np.array([f"trk_{k:05d}" for k in range(len(arrays["bpm"]))], dtype=object))
        # Drawn tracks have no words: what the catalog's words would say is not in the file.
        known = {name: arrays[name] for name in (*NUMBERS, "contour", "beats_per_bar") if name in arrays}
        given = {name: getattr(columns, name) for name in columns.__slots__} | known
        videos = tuple(_video(arrays, number) for number in range(len(arrays["film_numbers"])))
        return MatchReference(videos, Columns(**given), arrays["grades"].astype(np.int64))


def _video(arrays: np.lib.npyio.NpzFile, number: int) -> VideoFacts:
    numbers = dict(zip(_VIDEO_NUMBERS, arrays["film_numbers"][number].tolist(), strict=True))
    first_cut, first_scene = (int(arrays[name][:number].sum()) for name in ("n_cuts", "n_scenes"))
    cuts = arrays["cuts"][first_cut : first_cut + int(arrays["n_cuts"][number])]
    rows = arrays["scenes"][first_scene : first_scene + int(arrays["n_scenes"][number])]
    lufs = float(arrays["film_lufs"][number])
    return VideoFacts(
        **numbers | {"utterances": int(numbers["utterances"])},
        cuts=cuts,
        sound_lufs=None if np.isnan(lufs) else lufs,
        classification=CLASSIFICATIONS[int(arrays["film_class"][number])],
        scenes=tuple(Scene(**dict(zip(_SCENE_NUMBERS, row.tolist(), strict=True))) for row in rows),
    )
