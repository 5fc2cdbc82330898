"""A second renderer, written from the contract's words alone (section 4, 'How a plan is played'): slow and plain.

It imports nothing of the project. For every segment it works out, over the whole video, the track sample that is heard
at each output sample and its gain, and adds the product.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def reference_render(plan: Mapping[str, Any], track: NDArray[np.floating], rate: int) -> NDArray[np.float64]:
    """Plan as a mapping of the specification's fields, track of shape (channels, n); gives shape (channels, m)."""
    segments = plan["segments"]
    n = round(plan["window_end"] * rate)
    time = np.arange(n) / rate
    out = np.zeros((track.shape[0], n))

    starts = [plan["music_in"]]
    for segment in segments:
        starts.append(starts[-1] + (segment["song_to"] - segment["song_from"]))

    for k, segment in enumerate(segments):
        begin, end = starts[k], starts[k + 1]
        # placed at round(T_k · rate), the track read from round(song_from · rate)
        position = np.arange(n) - round(begin * rate) + round(segment["song_from"] * rate)

        # level: gain_in_db to gain_db over the glide, linear in dB; held before and after
        glide = plan["gain_glide_seconds"]
        at = np.minimum(time, end) - begin
        moved = np.clip(at / glide, 0, 1) if glide > 0 else (at >= 0).astype(float)
        level_db = segment["gain_in_db"] + moved * (segment["gain_db"] - segment["gain_in_db"])
        gain = 10 ** (level_db / 20)

        # crossfades, centred on T_{k+1}: x^p for what enters, (1-x)^p for what leaves
        if k > 0:
            fade, curve = plan["seam_fades"][k - 1], plan["seam_curves"][k - 1]
            gain = gain * np.clip((time - begin + fade / 2) / fade, 0, 1) ** curve
        else:
            gain = gain * (np.arange(n) >= round(begin * rate))
        if k < len(segments) - 1:
            fade, curve = plan["seam_fades"][k], plan["seam_curves"][k]
            gain = gain * (1 - np.clip((time - end + fade / 2) / fade, 0, 1)) ** curve
        else:
            gain = gain * (np.arange(n) < round(end * rate))

        inside = (position >= 0) & (position < track.shape[1]) & (gain > 0)
        out[:, inside] += track[:, position[inside]] * gain[inside]

    # ends: raised cosines
    if plan["start_fade_seconds"] > 0:
        x = np.clip((time - plan["music_in"]) / plan["start_fade_seconds"], 0, 1)
        out *= (1 - np.cos(np.pi * x)) / 2
    if plan["end_fade_seconds"] > 0:
        x = np.clip((time - plan["window_end"] + plan["end_fade_seconds"]) / plan["end_fade_seconds"], 0, 1)
        out *= (1 + np.cos(np.pi * x)) / 2
    return out
