"""A plan as the page plays it: cues and fades in samples of the track, as JSON.

The page's player (`assets/sound.js` of the dashboard) reads the track's own samples and applies what stands here; no
music is rendered for it. What it applies is `workbench.render.schedule`, sample by sample, and the ducking of
`workbench.mix.speech_band`; a test in a browser decodes what it plays and compares it with what is rendered. The
limiter is not part of it: what is listened to while one works has headroom instead.

Functions: `played_plan`, `played_duck`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from workbench.mix.balance import Mix
from workbench.mix.speech_band import duck_bands
from workbench.params import RenderParams
from workbench.render.schedule import Music, schedule


def played_plan(plan: Music, rate: int) -> dict[str, Any]:
    """A plan or a placed track in samples of the track's rate: the fields of `workbench.render.schedule.Schedule`."""
    return asdict(schedule(plan, rate))


def played_duck(mix: Mix | None, params: RenderParams) -> list[list[float]]:
    """The ducking of a mix, for the page's player: of each point video seconds and positive dB.

    Where the bands differ, the dB outside the band of speech come third.
    """
    if mix is None or mix.duck is None:
        return []
    ducked = duck_bands(mix.duck.envelope_points, mix.duck.speech_ranges, params)
    if not ducked.differ:
        return [[at, db] for at, db in ducked.inside]
    return [[at, db, other] for (at, db), (_, other) in zip(ducked.inside, ducked.outside, strict=True)]
