"""Silence: thirty seconds of digital zero, for whatever must cope with a file that holds nothing."""

from __future__ import annotations

from data.recipes.engine.mixdown import Song
from data.recipes.engine.score import Form


def compose() -> Song:
    """Write nothing down."""
    form = Form(60, "5/4", tail=0.0)  # a bar is five seconds
    form.section("nothing", 6)
    return Song(
        "silence",
        {
            "title": "Thirty Seconds of Nothing",
            "artist_name": "No One",
            "description": "Digital silence: every sample is zero. No sound, no beat, nothing to loop.",
            "tags": ["silence", "test"],
            "moods": ["still"],
            "genres": ["silence"],
            "instruments": [],
            "bpm": None,
            "energy": 0.0,
            "explicit": False,
            "instrumental": True,
            "expected_refusal": "no_loop_profile",
        },
        form,
        "",
        "",
        kind="refusal",
        quality=0.2,
        has_pulse=False,
        traits=("digital silence",),
    )
