"""Why there is no loop: a refusal on musical grounds is returned, not raised.

Four reasons are settled answers about this pair of track and video. Four more (`RETRYABLE`) are temporary: calling
again in a few seconds normally clears them. Each has a function here that states it in words, with what to do.

A recording without bars (silence, speech, a drone, less than two bars of sound) has nothing a loop could be made of and
is `no_loop_profile`. What decides for every other is the chance that its best seams pass unnoticed. Where none reaches
the stated one, the track is `no_viable_loop` if its bars are sure, and `low_confidence` if they are more likely wrong
than right: right bars might have shown a seam.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class RefusalReason(StrEnum):
    """Every reason a loop can be refused for."""

    VIDEO_NOT_LONGER = "video_not_longer"
    LOW_CONFIDENCE = "low_confidence"
    NO_VIABLE_LOOP = "no_viable_loop"
    NO_LOOP_PROFILE = "no_loop_profile"
    TIMEOUT = "timeout"
    PROFILE_ERROR = "profile_error"
    MISSING_PROFILE = "missing_profile"
    AUDIO_UNAVAILABLE = "audio_unavailable"


SURE_CONFIDENCE = 0.5  # chance of right downbeats under which a track without a good seam is refused as low_confidence
RETRYABLE = frozenset(
    {RefusalReason.TIMEOUT, RefusalReason.PROFILE_ERROR, RefusalReason.MISSING_PROFILE, RefusalReason.AUDIO_UNAVAILABLE}
)
"""Reasons that calling again in a few seconds normally clears; for every other the answer is settled."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """No loop, and why."""

    reason: RefusalReason
    hint: str
    """the reason in words and what to do"""
    command_hint: str | None = None
    """the same for the command line, where a command helps; None: `hint`"""
    video_seconds: float | None = None
    """only with video_not_longer, as are the next two"""
    track_seconds: float | None = None
    required_excess_seconds: float | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.reason in RETRYABLE


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
        f"{why} Play the track straight{pick}",
        f"{why} `workbench fit TRACK --seconds {plain_seconds(video)}` makes music of exactly that length from it"
        f"{pick}",
        video_seconds=video,
        track_seconds=track,
        required_excess_seconds=excess,
    )


def plain_seconds(seconds: float) -> str:
    """Seconds to the millisecond, as one types them: without zeros at the end."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


def low_confidence(confidence: float, best_score: float, required: float) -> Refusal:
    """No splice reaches the required score, and the grid is more likely wrong than right.

    All are 0 to 1: `confidence` is the chance that the downbeats are right, `best_score` the track's best seam's.
    """
    hint = (
        f"No place was found where this track could be looped unnoticed (the best seam scores {best_score:.2f}, needed "
        f"{required:.2f}), and its bars are unsure (confidence {confidence:.2f}). Pick a track with a clear beat, or "
        "have its bars corrected and try again"
    )
    return Refusal(
        RefusalReason.LOW_CONFIDENCE,
        f"{hint}.",
        f"{hint}: `workbench beats TRACK --tempo BPM` hears them at the tempo that you know, `workbench beats TRACK "
        "--grid FILE` takes your own grid, `workbench beats TRACK --confirm` keeps the heard one as right, and "
        "`workbench dashboard` opens a page to correct it on.",
    )


def no_viable_loop(why: str) -> Refusal:
    """The track has bars, but no splices that make a plan for this video. `why` is a clause."""
    return Refusal(
        RefusalReason.NO_VIABLE_LOOP,
        f"This track cannot be looped under this video without an audible seam: {why}. Pick a track whose parts "
        "repeat, or one that is longer.",
    )


def suggest_restart(refusal: Refusal, splice: str) -> Refusal:
    """A refusal of a track that can be played again from its head after its own ending, where somebody wants that.

    `splice` is the one by which it begins again, as one types it.
    """
    return replace(
        refusal,
        command_hint=f"{refusal.command_hint or refusal.hint} It can also be heard to end and to begin again from its "
        f"head: `workbench loop` plays it so with `--pin-seam {splice}`.",
    )


def suggest_splice(refusal: Refusal, leave: str, enter: str, score: float) -> Refusal:
    """The refusal of a track that can be looped at its best splice, where somebody puts up with hearing it.

    `leave` and `enter` are as one types them; `score`, 0 to 1, is the chance that the splice passes unnoticed.
    """
    return replace(
        refusal,
        command_hint=f"{refusal.command_hint or refusal.hint} To hear its best splice back, which scores {score:.2f}: "
        f"`workbench splice TRACK {leave} {enter} --out FILE.wav`; `workbench loop` plays it all the same with "
        f"`--pin-seam {leave}-{enter}`.",
    )


def no_loop_profile() -> Refusal:
    """The track has no bars at all: silence, speech, a drone, or less than two bars of music."""
    return Refusal(
        RefusalReason.NO_LOOP_PROFILE,
        "No bars were found in this track (silence, speech, a sound without a pulse, or less than two bars of "
        "music), so there is nothing to loop. Pick a track with a beat.",
    )


def timeout(seconds: float) -> Refusal:
    """The analysis did not finish in time; what it finished is kept."""
    return Refusal(
        RefusalReason.TIMEOUT,
        f"The track's analysis did not finish within {seconds:.0f} s. The finished stages are kept: "
        "call again in a few seconds and it goes on where it stopped.",
    )


def profile_error(detail: str) -> Refusal:
    """The stored analysis is broken, or computing it failed. `detail` is a clause fit to show, without a full stop."""
    return Refusal(
        RefusalReason.PROFILE_ERROR,
        f"The track's analysis could not be made or read: {detail}. Call again in a few seconds: it is made anew then.",
    )


def missing_profile() -> Refusal:
    """The track is known, its analysis is not there yet."""
    return Refusal(
        RefusalReason.MISSING_PROFILE,
        "The track has not been analysed yet. Its analysis has been started: call again in a few seconds.",
    )


def audio_unavailable(detail: str) -> Refusal:
    """The track's sound cannot be read just now. `detail` is a clause fit to show, without a full stop."""
    return Refusal(
        RefusalReason.AUDIO_UNAVAILABLE,
        f"The track's audio could not be read: {detail}. Call again in a few seconds; if it stays so, pick another "
        "track.",
        f"The track's audio could not be read: {detail}. Call again in a few seconds; "
        "if it stays so, check that the file is where the catalog says.",
    )
