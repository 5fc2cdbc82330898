"""Why there is no loop: a musical no, which is a value and not an exception."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Every reason a loop can be refused for."""

    VIDEO_NOT_LONGER = "video_not_longer"
    LOW_CONFIDENCE = "low_confidence"
    NO_VIABLE_LOOP = "no_viable_loop"
    NO_LOOP_PROFILE = "no_loop_profile"
    TIMEOUT = "timeout"
    PROFILE_ERROR = "profile_error"
    MISSING_PROFILE = "missing_profile"
    AUDIO_UNAVAILABLE = "audio_unavailable"


RETRYABLE = frozenset({Reason.TIMEOUT, Reason.PROFILE_ERROR, Reason.MISSING_PROFILE, Reason.AUDIO_UNAVAILABLE})
"""Reasons that calling again in a few seconds normally clears; for every other the answer is settled."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """No loop, and why."""

    reason: Reason
    hint: str
    """the reason in words and what to do"""
    video_seconds: float | None = None
    """only with video_not_longer, as are the next two"""
    track_seconds: float | None = None
    required_excess_seconds: float | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.reason in RETRYABLE
