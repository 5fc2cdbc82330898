"""Every tunable number of the project: one class a stage, one field a number, with range, unit and reason.

Each stage takes its own params object. Command-line options, notebook cells, sliders, profile files and cache keys are
made from these fields, so a number is defined once. There is a module for each area; `renamed` holds the names that
fields had before.
"""

from __future__ import annotations

from workbench.params.align import AlignParams, EventParams, LandmarkParams
from workbench.params.base import Params
from workbench.params.beats import BeatParams
from workbench.params.loops import CoverParams, SeamParams
from workbench.params.match import MATCH_PARTS, MatchParams
from workbench.params.mix import DUCK_PRESETS, DuckParams, MixParams, VoiceParams
from workbench.params.render import DELIVERY_TARGETS, DeliveryTarget, PreviewParams, RenderParams
from workbench.params.structure import SectionParams
from workbench.params.underscore import UnderscoreParams
from workbench.params.video import CutParams
from workbench.params.workbench import WorkbenchParams

__all__ = [
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
