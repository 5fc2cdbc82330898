"""The knobs of the project: one class a stage, one field a knob, with range, unit and reason.

Each stage takes its own params object. Command-line options, notebook cells, sliders, profile files and cache keys are
made from these fields, so a knob is defined once. The field `model` of a stage holds its fitted numbers, which a sweep
varies and no profile; all other numbers are constants beside the code that uses them.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from workbench.params.align import AlignParams, EventParams, LandmarkParams
from workbench.params.base import Params
from workbench.params.beats import BeatParams, SectionParams
from workbench.params.loops import CoverParams, SeamParams
from workbench.params.matching import BRIEF_PART, MATCH_PARTS, MatchParams, UnderscoreParams
from workbench.params.mix import DUCK_PRESETS, DuckParams, MixParams, VoiceParams
from workbench.params.render import DELIVERY_TARGETS, DeliveryTarget, PreviewParams, RenderParams
from workbench.params.video import CutParams
from workbench.params.workbench import WorkbenchParams

__all__ = [
    "BRIEF_PART",
    "DELIVERY_TARGETS",
    "DUCK_PRESETS",
    "MATCH_PARTS",
    "AlignParams",
    "BeatParams",
    "CoverParams",
    "CutParams",
    "DeliveryTarget",
    "DuckParams",
    "EventParams",
    "LandmarkParams",
    "MatchParams",
    "MixParams",
    "Params",
    "PreviewParams",
    "RenderParams",
    "SeamParams",
    "SectionParams",
    "UnderscoreParams",
    "VoiceParams",
    "WorkbenchParams",
]

if TYPE_CHECKING:
    import pandas as pd


class _Called(ModuleType):
    """This package, which is a function too: `wb.params()` gives the parameters as a table."""

    def __call__(self, name: str | None = None) -> pd.DataFrame:
        """As `workbench.params.described.params`."""
        from workbench.params.described import params

        return params(name)


sys.modules[__name__].__class__ = _Called
