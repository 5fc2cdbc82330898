"""Why there is no plan: a refusal on musical grounds is returned, not raised.

Five reasons are settled answers about this track, length and request. Four more (`RETRYABLE`) are temporary: calling
again in a few seconds normally clears them. Each has a function here that states it in words. What would help in
spite of it (a splice to pin, the track again from its head) is data, which `workbench.cli.option_words` words.

A recording without bars (silence, speech, a drone, less than two bars of sound) has nothing a loop could be made of and
is `no_loop_profile`. What decides for every other is the scores of its best seams. Where none reaches the required
one, the track is `no_viable_loop` if its bars are sure, and `low_confidence` if they are more likely wrong
than right: right bars might have shown a seam. `constraints` says that there is a plan, but none that satisfies
all that was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.errors import Sentence, plain_seconds

if TYPE_CHECKING:  # processes that answer HTTP know refusals, and load no array code
    from workbench.plans.constraints import Constraint, NamedSplice


class RefusalReason(StrEnum):
    """Every reason a plan can be refused for."""

    VIDEO_NOT_LONGER = "video_not_longer"
    LOW_CONFIDENCE = "low_confidence"
    NO_VIABLE_LOOP = "no_viable_loop"
    NO_LOOP_PROFILE = "no_loop_profile"
    TIMEOUT = "timeout"
    PROFILE_ERROR = "profile_error"
    MISSING_PROFILE = "missing_profile"
    AUDIO_UNAVAILABLE = "audio_unavailable"
    CONSTRAINTS = "constraints"
    """never in `/v1`, which takes no constraints"""


SURE_CONFIDENCE = 0.5  # chance of right downbeats under which a track without a good seam is refused as low_confidence
RETRYABLE = frozenset(
    {RefusalReason.TIMEOUT, RefusalReason.PROFILE_ERROR, RefusalReason.MISSING_PROFILE, RefusalReason.AUDIO_UNAVAILABLE}
)
"""Reasons that calling again in a few seconds normally clears; for every other the answer is settled."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """No plan, and why.

    Attributes
    ----------
    reason : of which kind
    sentence : the reason and what to do; constraints in it are values
    constraints : those that cannot be satisfied together; with the reason `constraints`
    video_seconds : length of the video; with `video_not_longer`
    track_seconds : length of the track; with `video_not_longer`
    required_excess_seconds : by which the video must be longer; with `video_not_longer`
    best_splice : a splice that makes a plan if it is pinned, though it is likely audible
    best_score : its score, 0 to 1
    restart : a restart that makes a plan if it is pinned: the track begins again from its head after its own
        ending
    """

    reason: RefusalReason
    sentence: Sentence
    constraints: tuple[Constraint, ...] = ()
    video_seconds: float | None = None
    track_seconds: float | None = None
    required_excess_seconds: float | None = None
    best_splice: NamedSplice | None = None
    best_score: float = 0.0
    restart: NamedSplice | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.reason in RETRYABLE

    @property
    def hint(self) -> str:
        """The reason in words and what to do."""
        return str(self.sentence)

    def __str__(self) -> str:
        return self.hint


def video_not_longer(video_seconds: float, track_seconds: float, required_excess_seconds: float) -> Refusal | None:
    """The refusal of a video that is not longer than the track by `required_excess_seconds`; None for one that is.

    Decided on the reported values, after rounding to the microsecond, so that a client's own subtraction agrees.
    """
    video, track, excess = (round(seconds, 6) for seconds in (video_seconds, track_seconds, required_excess_seconds))
    if round((video - track) * 1e6) >= round(excess * 1e6):
        return None
    why = f"The video ({video:.1f} s) is not at least {excess:.0f} s longer than the track ({track:.1f} s)."
    pick = (
        f", or pick a track under {plain_seconds(video - excess)} s."
        if video > excess
        else f"; no track can be looped under a video of {excess:.0f} s or less."
    )
    return Refusal(
        RefusalReason.VIDEO_NOT_LONGER,
        Sentence(f"{why} Play the track straight{pick}"),
        video_seconds=video,
        track_seconds=track,
        required_excess_seconds=excess,
    )


def _refusal(reason: RefusalReason, hint: str) -> Refusal:
    return Refusal(reason, Sentence(hint))


def low_confidence(confidence: float, best_score: float, required: float) -> Refusal:
    """No splice reaches the required score, and the grid is more likely wrong than right.

    All are 0 to 1: `confidence` is the chance that the downbeats are right, `best_score` the track's best seam's.
    """
    return _refusal(
        RefusalReason.LOW_CONFIDENCE,
        f"No place was found where this track could be looped unnoticed (the best seam scores {best_score:.2f}, "
        f"needed {required:.2f}), and its bars are unsure (confidence {confidence:.2f}). Pick a track with a clear "
        "beat, or have its bars corrected and try again.",
    )


def no_viable_loop(why: str) -> Refusal:
    """The track has bars, but no splices that make a plan for this video. `why` is a clause."""
    return _refusal(
        RefusalReason.NO_VIABLE_LOOP,
        f"This track cannot be looped under this video without an audible seam: {why}. Pick a track whose parts "
        "repeat, or one that is longer.",
    )


def not_filled(why: str, reason: RefusalReason = RefusalReason.NO_VIABLE_LOOP) -> Refusal:
    """The track cannot fill the length. `why` is a sentence without its full stop."""
    return Refusal(reason, Sentence(why, "."))


def contradiction(sentence: Sentence, constraints: tuple[Constraint, ...]) -> Refusal:
    """Constraints that no plan satisfies together. `sentence` is without its full stop."""
    return Refusal(RefusalReason.CONSTRAINTS, sentence + ".", constraints)


def no_loop_profile() -> Refusal:
    """The track has no bars at all: silence, speech, a drone, or less than two bars of music."""
    return _refusal(
        RefusalReason.NO_LOOP_PROFILE,
        "No bars were found in this track (silence, speech, a sound without a pulse, or less than two bars of "
        "music), so there is nothing to loop. Pick a track with a beat.",
    )


def timeout(seconds: float) -> Refusal:
    """The analysis did not finish in time; what it finished is stored."""
    return _refusal(
        RefusalReason.TIMEOUT,
        f"The track's analysis did not finish within {seconds:.0f} s. The finished stages are stored: "
        "call again in a few seconds and it goes on where it stopped.",
    )


def profile_error(detail: str) -> Refusal:
    """The stored analysis is broken, or computing it failed. `detail` is a clause fit to show, without a full stop."""
    return _refusal(
        RefusalReason.PROFILE_ERROR,
        f"The track's analysis could not be made or read: {detail}. Call again in a few seconds: it runs again then.",
    )


def missing_profile() -> Refusal:
    """The track is known, its analysis is not there yet."""
    return _refusal(
        RefusalReason.MISSING_PROFILE,
        "The track has not been analysed yet. Its analysis has been started: call again in a few seconds.",
    )


def audio_unavailable(detail: str) -> Refusal:
    """The track's sound cannot be read just now. `detail` is a clause fit to show, without a full stop."""
    return _refusal(
        RefusalReason.AUDIO_UNAVAILABLE,
        f"The track's audio could not be read: {detail}. Call again in a few seconds; if it stays so, pick another "
        "track.",
    )
