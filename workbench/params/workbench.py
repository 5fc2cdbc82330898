"""All parameters together: what a profile file holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.params.align import AlignParams, EventParams, LandmarkParams
from workbench.params.base import Params
from workbench.params.beats import BeatParams, SectionParams
from workbench.params.loops import CoverParams, SeamParams
from workbench.params.matching import MatchParams, UnderscoreParams
from workbench.params.mix import DuckParams, MixParams, VoiceParams
from workbench.params.render import PreviewParams, RenderParams
from workbench.params.video import CutParams


class WorkbenchParams(Params):
    """The parameters of all stages: what a profile file holds; `wb.params()` lists them with meaning, unit and range.

    Attributes
    ----------
    beats : how beats and bars are tracked
    sections : how sections are found
    seams : how splices are scored and fitted
    cover : how a video is covered
    render : how sound and video are written
    preview : how previews are written
    voice : how speech is detected
    duck : how music is lowered under speech
    mix : how music and soundtrack are balanced
    cuts : how cuts of the picture are found
    landmarks : how accents of the music are found
    events : how events of the picture are found
    align : how a track is placed under a video
    match : how tracks are ranked for a video
    underscore : how tracks are ranked for a script
    """

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

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """What differs from the defaults, for `repr`."""
        return self.model_dump(exclude_defaults=True).items()
