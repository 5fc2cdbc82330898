import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from workbench.loops.plan import LoopPlan, LoopSegment


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """The plain renderer beside this file; tests are no package, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location("reference", Path(__file__).with_name("reference.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def make_plan() -> Callable[..., LoopPlan]:
    """Builds a valid plan from (song_from, song_to, gain_db, gain_in_db) rows; all that is not played is filled in."""

    def build(
        rows: list[tuple[float, float, float, float]],
        fades: list[float],
        curves: list[float],
        *,
        song_duration: float,
        glide: float = 0.0,
        music_in: float = 0.0,
        start_fade: float = 0.0,
        end_fade: float = 0.0,
        tail: float = 0.0,
        ends_with_song: bool = False,
    ) -> LoopPlan:
        segments = tuple(LoopSegment(*row) for row in rows)
        starts = np.cumsum([music_in, *(segment.length for segment in segments)])
        reached = round(float(starts[-1]), 6)
        window_end = round(reached + tail, 6) if ends_with_song else reached
        music_end = round(window_end - tail, 6)
        body = max(segments, key=lambda segment: segment.length)
        return LoopPlan(
            segments=segments,
            seam_fades=tuple(fades),
            seam_curves=tuple(curves),
            gain_glide_seconds=glide,
            music_in=music_in,
            music_out=window_end,
            window_end=window_end,
            music_end=music_end,
            tail_seconds=round(window_end - music_end, 6),
            song_start=segments[0].song_from,
            song_duration=song_duration,
            loop_start_a=body.song_from,
            loop_end_b=body.song_to,
            bars=1,
            beats_per_bar=4,
            repeats=1,
            seam_score=1.0,
            seam_times=tuple(round(float(start), 6) for start in starts[1:-1]),
            sections_covered=("verse",),
            end_label="fades out",
            start_fade_seconds=start_fade,
            end_fade_seconds=end_fade,
            plan_score=1.0,
        )

    return build
