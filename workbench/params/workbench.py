"""All parameters together: what a profile file holds."""

from __future__ import annotations

from workbench.params.align import AlignParams, EventParams, LandmarkParams
from workbench.params.base import Params
from workbench.params.beats import BeatParams, SectionParams
from workbench.params.loops import CoverParams, SeamParams
from workbench.params.matching import MatchParams, UnderscoreParams
from workbench.params.mix import DuckParams, MixParams, VoiceParams
from workbench.params.render import PreviewParams, RenderParams
from workbench.params.video import CutParams


class WorkbenchParams(Params):
    """The parameters of all stages: what a profile file holds."""

    beats: BeatParams = BeatParams()
    sections: SectionParams = SectionParams()
    seams: SeamParams = SeamParams()
    cover: CoverParams = CoverParams()
    render: RenderParams = RenderParams()
    preview: PreviewParams = PreviewParams()
    voice: VoiceParams = VoiceParams()
    duck: DuckParams = DuckParams()
    mix: MixParams = MixParams()
    cuts: CutParams = CutParams()
    landmarks: LandmarkParams = LandmarkParams()
    events: EventParams = EventParams()
    align: AlignParams = AlignParams()
    match: MatchParams = MatchParams()
    underscore: UnderscoreParams = UnderscoreParams()
