"""What the Plan tab shows and plays: the options that are compared, and what is known of them; no widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from workbench.analysis.provenance import CHANGED_BY_HAND
from workbench.dashboards.sounds.plan import (
    RenderedOption,
    TimelineVideo,
    headroom_db,
    matching_gains,
)
from workbench.dashboards.views import LongSound
from workbench.mix.balance import Mix
from workbench.mix.drawn_envelope import drawn_points, with_drawn
from workbench.params import CoverParams
from workbench.plans.constraints import clock
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plots.plan import played_blocks
from workbench.render.video import gains_of
from workbench.results.plan_words import option_differences, seams_in_words
from workbench.seams.profile import TrackSection
from workbench.workflows.plan import Planned
from workbench.workflows.seams import planned_scores

_Any = TypeVar("_Any")
_MATCH_SECONDS = 5.0
"""to either side of the playhead, over which A and B are made equally loud where no loop is set"""


@dataclass(eq=False)
class PlanState:
    """The options that are compared, and the facts about them; no widgets."""

    loop: Planned | None = None
    video: TimelineVideo | None = None
    a: int = 0
    b: int | None = None
    chosen: str = "a"
    rendered: dict[int, RenderedOption] = field(default_factory=dict)
    """by option, counted from 0: its music, and its mix"""
    outdated: set[int] = field(default_factory=set)
    """options of `rendered` whose mix follows from parameters that have changed since"""
    sounds: dict[int, LongSound] = field(default_factory=dict)
    """by option: its music, to draw"""
    soundtrack: LongSound | None = None

    @property
    def options(self) -> tuple[LoopPlan, ...]:
        """The options of the plan as they were planned, best first; empty while there is none, or a refusal."""
        if self.loop is None or isinstance(self.loop.answer, Refusal):
            return ()
        return self._in_order(self.loop.answer.options or (self.loop.answer,))

    def _in_order(self, of_options: Sequence[_Any]) -> tuple[_Any, ...]:
        """What there is of each option, the plan in use first, in the order in which they were planned."""
        numbers = () if self.loop is None else self.loop.option_numbers
        by_number = dict(zip(numbers, of_options, strict=True))
        return tuple(by_number[number] for number in sorted(numbers))

    @property
    def used(self) -> int:
        """Number, from 0, of the option that is the plan of the page; it keeps its number among the options."""
        return next(iter(self.loop.option_numbers), 1) - 1 if self.loop is not None else 0

    @property
    def shown(self) -> int:
        """Number of the option that is shown and played."""
        return self.b if self.chosen == "b" and self.b is not None else self.a

    @property
    def plan(self) -> LoopPlan | None:
        """The option that is shown and played."""
        return self.options[self.shown] if self.options else None

    @property
    def is_alone(self) -> bool:
        """Whether the plan was changed by hand, and no other options have been planned since."""
        made = None if self.loop is None else self.loop.provenance
        return len(self.options) == 1 and made is not None and bool(made.constraints.get(CHANGED_BY_HAND))

    @property
    def seconds(self) -> float:
        """Length of the plan, or without one of the video, s; 0 without either."""
        if self.plan is not None:
            return self.plan.window_end
        return 0.0 if self.loop is None or self.loop.video is None else self.loop.video_seconds

    def _differences(self, params: CoverParams) -> tuple[str, ...]:
        """How each option differs from the plan in use, in words; empty for that plan."""
        if self.loop is None or self.loop.analysis is None or not isinstance(self.loop.answer, LoopPlan):
            return ("",) * len(self.options)
        return self._in_order(
            option_differences(self.loop.answer, self.loop.analysis.profile, params, self.loop.request.constraints)
        )

    @property
    def sections(self) -> Sequence[TrackSection]:
        """Sections of the track."""
        return () if self.loop is None or self.loop.analysis is None else self.loop.analysis.profile.sections

    @property
    def scores(self) -> tuple[float | None, ...]:
        """Scores of the seams of the chosen option; None where the planner left none."""
        if self.plan is None or self.loop is None or self.loop.analysis is None:
            return ()
        return planned_scores(self.plan, self.loop.analysis)

    def is_same_plan(self, loop: Planned) -> bool:
        """Whether a loop is the one that is looked at, but for its mix."""
        mine = self.loop
        return (
            mine is not None
            and isinstance(loop.answer, LoopPlan)
            and (loop.track.path, loop.video, loop.answer) == (mine.track.path, mine.video, mine.answer)
        )

    def take(self, loop: Planned | None) -> None:
        """Look at another plan; renders of the one before are forgotten."""
        same_video = loop is not None and self.loop is not None and loop.video == self.loop.video
        self.loop = loop
        self.a, self.b, self.chosen = self.used, None, "a"
        self.rendered, self.sounds, self.outdated = {}, {}, set()
        if not same_video:
            self.video = self.soundtrack = None

    def take_mix(self, loop: Planned) -> None:
        """Balance the plan with another mix; other options keep theirs until they are balanced again."""
        before, self.loop = None if self.loop is None else self.loop.mix, loop
        if before is not None and loop.mix is not None and with_drawn(before, None) == with_drawn(loop.mix, None):
            points = drawn_points(loop.mix)  # only the envelope was drawn, which every option has
            for option, one in self.rendered.items():
                mix = None if one.mix is None else with_drawn(one.mix, points)
                self.rendered[option] = replace(one, mix=mix)
            return
        own = loop.answer.alone if isinstance(loop.answer, LoopPlan) else None
        for option, one in self.rendered.items():
            if one.plan == own:
                self.rendered[option] = replace(one, mix=loop.mix)
            else:
                self.outdated.add(option)

    def hear(self, option: int, rendered: RenderedOption) -> None:
        """Take an option that was rendered and balanced."""
        self.rendered[option] = rendered
        self.outdated.discard(option)

    def balanced(self, option: int) -> RenderedOption | None:
        """An option with the mix that it has now; None where it is not rendered, or another mix was set since."""
        return None if option in self.outdated else self.rendered.get(option)

    def mix_of(self, option: int | None) -> Mix | None:
        """The mix of an option; until its own is known, that of the plan served."""
        if option is None or self.loop is None:
            return None
        rendered = self.rendered.get(option)
        return self.loop.mix if rendered is None else rendered.mix

    def pick(self, option: int, name: str) -> None:
        """Compare an option as A or B, and look at it; the same option cannot be both."""
        if name == "a":
            self.a, self.b = option, (None if self.b == option else self.b)
        elif option != self.a:
            self.b = option
        self.chosen = name if name == "a" or self.b is not None else "a"

    def matching(self, at: float, region: Sequence[float]) -> tuple[float, float]:
        """Gains, dB, that make A and B equally loud in the loop, or around the playhead; 0 without both."""
        a, b = self.rendered.get(self.a), self.rendered.get(-1 if self.b is None else self.b)
        if a is None or b is None:
            return 0.0, 0.0
        first, last = region if len(region) == 2 else (at - _MATCH_SECONDS, at + _MATCH_SECONDS)
        return matching_gains(a, b, max(0.0, first), last)

    def headroom_db(self) -> float:
        """Gain under which soundtrack and music together cannot clip, even if their peaks meet; dB, at most 0."""
        soundtrack = 0.0 if self.video is None else self.video.soundtrack.soundtrack.peak
        peaks = [gains_of(one.mix).peak(one.levels.peak, soundtrack) for one in self.rendered.values()]
        return headroom_db(max(peaks, default=0.0))

    def facts(self, params: CoverParams) -> list[dict[str, Any]]:
        """What the card of each option shows: blocks and seams as shares of the video, score and words."""
        facts = []
        for plan, difference in zip(self.options, self._differences(params), strict=True):
            total = plan.window_end
            blocks = played_blocks(plan, self.sections)
            body = plan.kind.in_words if plan.body is None else f"{plan.body.bars} bars × {plan.body.repeats}"
            joined = seams_in_words(plan)
            begins = f"music from {clock(round(plan.music_in, 1))} · " if plan.music_in else ""
            numbers = f"{begins}{joined} · {body} · {plan.end_label}"
            words = f"{difference} · {numbers}" if difference else numbers
            facts.append(
                {
                    "pieces": [(block.first / total, block.last / total, block.colour) for block in blocks],
                    "seams": [time / total for time in plan.seam_times],
                    "score": f"{plan.plan_score:.2f}",
                    "words": words,
                    "title": f"{words}; parts of the track: {', '.join(plan.sections_covered)}",
                }
            )
        return facts
