"""How driving and how cheerful the bundled songs are, as their composer described them."""

from __future__ import annotations

BUNDLED_SONGS = {
    "attic_tape": (0.4, 0.55),
    "blue_corner": (0.5, 0.5),
    "corner_store": (0.68, 0.7),
    "first_snow": (0.25, 0.6),
    "glass_circuit": (0.8, 0.6),
    "harbour_lights": (0.72, 0.85),
    "hill_road": (0.6, 0.85),
    "iron_procession": (0.75, 0.15),
    "long_way_up": (0.82, 0.5),
    "no_way_back": (0.55, 0.4),
    "paper_lanterns": (0.42, 0.5),
    "rooftop_relay": (0.75, 0.75),
    "slow_ember": (0.3, 0.4),
    "slow_tide": (0.42, 0.3),
    "standing_water": (0.15, 0.2),
    "tidewater": (0.36, 0.7),
    "top_of_the_hour": (0.85, 0.4),
    "undertow": (0.92, 0.5),
    "unsent_letter": (0.22, 0.35),
}
"""arousal and valence, 0 to 1, by name; silence suits nothing"""
