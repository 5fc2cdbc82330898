"""The plan score: the number that ranks plans of one track under one video, `plan_score`.

It is the weighted mean (weights in `CoverParams`) of six parts, each 0 to 1:

- seams: ``0.6 worst**2 + 0.4 mean**2`` of the seam scores, for one bad seam spoils a video that nine good ones carry,
  and squared, for a video is played more than once, and a doubtful seam is met each time. Under 0.75 the worst seam w
  counts as ``0.75**2 - 2.5 (0.75 - w)``, at least 0, in place of its square;
- ending: the track's own outro or last bars 1.0, its own last hit 0.9; a fade 0.6 at a section's border, 0.5 after
  any multiple of eight bars of a section, 0.4 of four, 0.2 elsewhere. A fade belongs to the last bar line that is not
  after the end of the last segment; bar line 0 is the beginning of a section and no border. Up to 0.25 less where an
  own ending starts the music late (0.03 a second) or leaves silence after it (0.08 a second), both together;
- freshness: how long until the same bar comes again. The bar at a random instant plays again R seconds later;
  the part is the mean of ``1 - exp(-R / fresh_seconds)`` (1 where it never comes again), over the same for the track
  played round and round, the most that any loop of it can reach: ``1 - a exp(-T / fresh_seconds)``, with T the length
  of all bars, at most the video's, and a the share of the video that is after T. At most 1;
- coverage: how evenly the track is used. Bar b, of length d_b, plays n_b times, so that a bar picked at random from
  the plan plays ``M = sum(n_b**2 d_b) / sum(n_b d_b)`` times; were every bar played equally often, it would be
  ``E = sum(n_b d_b) / sum(d_b)`` times; the part is E / M;
- phrasing: mean over the splices, each as often as it is taken, of 1.0 for one that moves from section border to
  section border (here with bar line 0) or by a multiple of eight bars, 0.8 four bars, 0.4 two, 0.1 otherwise;
- economy: ``1 - exp(-2 H / fresh_seconds)`` with H the harmonic mean of the segments' lengths: few seams rather than
  many, and none close to the next.

Bars are counted whole, from bar line to bar line; the last one lasts to the track's last sound. The first segment
counts from bar 0; the last one, where the music fades, to the bar line of the fade.

Two limits are stated in `CoverParams`: how many passes of one body may follow each other (`max_passes_in_a_row`; one
splice taken n times in a row makes n + 1 passes, but for one that begins the whole track again and for a body of
`LONG_BODY_SECONDS` and more, in which no listener notices a run), and how often at most a bar plays (`most_plays`:
`max_plays_over_mean` times E, and always one more than E rounded up, without which hardly any length could be met).
Each that is passed, by a ratio r, costs half of `LIMIT_PENALTY` at once and another half for every doubling,
``LIMIT_PENALTY (1 + log2 r) / 2``, so that more repetition is preferred to an audible seam or to losing the track's own
ending, but not to a barely audible seam. The total is at least 0.

Nothing here looks at sound: seam scores come from `workbench.seams.seam_score`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.params import CoverParams
from workbench.plans.plan import PlanKind
from workbench.recording import FloatArray, IntArray
from workbench.seams.profile import EndingKind, LoopProfile

LIMIT_PENALTY = 0.06  # of plan_score, lost at twice a limit; as much as good seams worse by 0.07
AUDIBLE = 0.5  # seam score under which a seam is more likely audible than not
FAIR = 0.35  # seam score of the least seams that are taken for variety, see `workbench.plans.loop`
NOTICED = 0.75  # seam score under which many listeners notice the seam
# seam score under which no seam is taken, not even for a kept part or the track's own ending; the floor of a plan for
# which nothing is kept is `CoverParams.min_seam_score`, which may be less
REQUEST_FLOOR = 0.2
SEAM_SCORE_POWER = 2  # of a loop: a video is played more than once, and a doubtful seam is met each time
_NOTICED_COST = 2.5  # what the part of the worst seam loses for each unit that it is under `NOTICED`
_OWN_ENDING = {EndingKind.OUTRO: 1.0, EndingKind.RESOLVE: 1.0, EndingKind.ABRUPT: 0.9}


def is_raised(floor: float) -> bool:
    """Whether a floor is stricter than the default: such a floor is never lowered."""
    return floor > CoverParams().min_seam_score


@dataclass(frozen=True, slots=True, eq=False)
class PlanScore:
    """What a score is made of, numbers or arrays of one shape; see the module's head."""

    worst: FloatArray  # score of the worst seam; 1 without seams, as the next
    mean: FloatArray
    ending: FloatArray  # 0 to 1, as the next three
    freshness: FloatArray
    phrasing: FloatArray
    coverage: FloatArray
    segment_seconds: FloatArray  # harmonic mean of the segments' lengths, s
    lost: FloatArray  # what passing a limit costs, see `over_limits`
    seam_power: int = SEAM_SCORE_POWER  # see `seams_part`

    def total(self, params: CoverParams) -> FloatArray:
        """The weighted mean of the parts less what limits cost, element by element; 0 where all weights are 0."""
        parts = (
            (params.seams_weight, seams_part(self.worst, self.mean, self.seam_power)),
            (params.ending_weight, self.ending),
            (params.freshness_weight, self.freshness),
            (params.phrasing_weight, self.phrasing),
            (params.coverage_weight, self.coverage),
            (params.economy_weight, 1.0 - np.exp(-2.0 * self.segment_seconds / params.fresh_seconds)),
        )
        mean = sum(weight * np.asarray(part) for weight, part in parts)
        return np.asarray(np.maximum(0.0, mean / max(sum(weight for weight, _ in parts), 1e-9) - self.lost))


def seams_part(worst: FloatArray, mean: FloatArray, seam_power: int = SEAM_SCORE_POWER) -> FloatArray:
    """Quality of all seams, 0 to 1, from the worst and the mean score.

    Both are raised to `seam_power`. It is 1 where a plan can do without seams, or one without seams would nearly
    always win.
    """
    lost = _NOTICED_COST * np.maximum(0.0, NOTICED - worst)
    worst = np.maximum(0.0, np.maximum(worst, NOTICED) ** seam_power - lost)
    return np.asarray(0.6 * worst + 0.4 * mean**seam_power)


def seam_score_power(kind: PlanKind) -> int:
    """`SEAM_SCORE_POWER` for a loop, 1 for other kinds of plans; see `seams_part`."""
    return SEAM_SCORE_POWER if kind is PlanKind.LOOP else 1


def fresh_again(gap_seconds: FloatArray, params: CoverParams) -> FloatArray:
    """How fresh music sounds that comes again after so many seconds, 0 to 1.

    `gap_seconds` runs from one beginning to the next.
    """
    return np.asarray(1.0 - np.exp(-gap_seconds / params.fresh_seconds))


def freshness_part(fresh: FloatArray, video_seconds: float, track_seconds: float, params: CoverParams) -> FloatArray:
    """Freshness, at most 1, from the mean of `fresh_again` over the video, against the track played round and round.

    `track_seconds` is the music in one play of the track.
    """
    again = max(0.0, video_seconds - track_seconds) / video_seconds
    best = 1.0 - again * np.exp(-track_seconds / params.fresh_seconds)
    return np.asarray(np.minimum(1.0, fresh / best))


def most_plays(mean_plays: FloatArray, params: CoverParams) -> FloatArray:
    """How often at most a bar should play where all play so often on average.

    At least one more than the mean rounded up; the mean is weighted by the length of the bars.
    """
    return np.asarray(np.maximum(np.ceil(mean_plays - 1e-9) + 1.0, params.max_plays_over_mean * mean_plays))


def over_limits(run: FloatArray, plays: FloatArray, mean_plays: FloatArray, params: CoverParams) -> FloatArray:
    """What a plan loses for the limits that it passes.

    It is taken off the weighted mean, and 0 if no limit is passed. `run` is the longest run of passes of one body;
    `plays` and `mean_plays` are how often the bar played most, and all bars on average, play.
    """
    ratios = (run / params.max_passes_in_a_row, plays / most_plays(mean_plays, params))
    lost = sum(np.where(ratio > 1.0, 0.5 + 0.5 * np.log2(np.maximum(ratio, 1.0)), 0.0) for ratio in ratios)
    return np.asarray(LIMIT_PENALTY * lost)


def coverage_part(times_played: FloatArray, bar_seconds: FloatArray) -> FloatArray:
    """How evenly the track is used, 0 to 1; 1 if every bar plays equally often."""
    played = np.sum(times_played * bar_seconds)
    return np.asarray(played**2 / np.sum(bar_seconds) / np.sum(times_played**2 * bar_seconds))


def own_ending_part(kind: EndingKind, late_seconds: FloatArray, tail_seconds: FloatArray) -> FloatArray:
    """Part of the track's own ending, 0.65 to 1; less if music starts late for it or leaves silence after it.

    `late_seconds` are of video before the music starts, `tail_seconds` of silence after the last sound.
    """
    return np.asarray(_OWN_ENDING[kind] - np.minimum(0.25, 0.03 * late_seconds + 0.08 * tail_seconds))


def fade_part(profile: LoopProfile) -> FloatArray:
    """Part of a fade that resolves on each bar line, 0.2 to 0.6, shape (n_bars,)."""
    inside = bars_into_section(profile)
    part = np.where(inside % 8 == 0, 0.5, np.where(inside % 4 == 0, 0.4, 0.2))
    for section in profile.sections:
        for border in (section.first_bar, section.last_bar):
            if 0 < border < part.size:
                part[border] = 0.6
    return part


def bars_into_section(profile: LoopProfile) -> IntArray:
    """How many bars after the start of its section each bar begins, shape (n_bars,); -1 outside of all."""
    inside = np.full(profile.downbeats.size, -1)
    for section in profile.sections:
        bars = np.arange(section.first_bar, min(section.last_bar, inside.size))
        inside[bars] = bars - section.first_bar
    return inside


def phrasing_part(profile: LoopProfile, leave: IntArray, enter: IntArray) -> FloatArray:
    """Part of each splice as a phrase, 0.1 to 1, shape of `leave`; see the module's head.

    `leave` and `enter` are bar lines.
    """
    bars = np.abs(np.asarray(leave, dtype=np.int64) - np.asarray(enter, dtype=np.int64))
    part = np.where(bars % 8 == 0, 1.0, np.where(bars % 4 == 0, 0.8, np.where(bars % 2 == 0, 0.4, 0.1)))
    borders = {section.first_bar for section in profile.sections} | {section.last_bar for section in profile.sections}
    at_borders = np.isin(leave, list(borders)) & np.isin(enter, list(borders))
    return np.where(at_borders, 1.0, part)
