"""A plan as the page plays it: cues and fades in samples of the track, as JSON.

The page's player (`assets/sound.js` of the dashboard) reads the track's own samples and applies what stands here; no
music is rendered for it. What it applies is `workbench.render.schedule`, sample by sample; a test in a browser decodes
what it plays and compares it with `workbench.render.playback`. The limiter is not part of it: what is listened to while
one works has headroom instead.

Functions: `played_plan`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from workbench.render.schedule import Music, schedule


def played_plan(plan: Music, rate: int) -> dict[str, Any]:
    """A plan or a placed track in samples of one rate.

    Parameters
    ----------
    plan : what is played
    rate : Hz, the track's

    Returns
    -------
    dict : the fields of `workbench.render.schedule.Schedule`; a crossfade that there is not is None
    """
    return asdict(schedule(plan, rate))
