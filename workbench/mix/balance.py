"""Music under a soundtrack: both gains, and the ducking under a voice-over.

The voice is raised to the usual loudness of speech, the music set to about the loudness of the voice; the ducking curve
then lowers the music utterance by utterance. Everything is measured: the voice inside its utterances, less the
background there, and the music as it will be played. Where the soundtrack is music itself, the music plays on, goes
under it or is silent, as `MixParams.own_music` says. If silent, it has faded out by the last of its bar lines before,
and returns on the first one after.

The order of application is soundtrack at `video_gain_db`, music at `music_gain_db`, the curve as further attenuation of
the music alone, sum, limiter. Levels are dB or LUFS, times are video seconds.

References
----------
AES TD1008 (2021), "Recommendations for loudness of internet audio streaming and on-demand distribution": -18 LUFS for
speech. ITU-R BS.1770-5 for what is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workbench.errors import ParameterError
from workbench.features.levels import LevelCurve, voice_alone
from workbench.mix.ducking import (
    ENVELOPE_HZ,
    deepest_curve,
    duck_curve,
    duck_depths,
    split_utterances,
    steady_depths,
    thin_stretches,
)
from workbench.params import DuckParams, MixParams, WorkbenchParams
from workbench.recording import FloatArray, NotebookValue
from workbench.video.soundtrack import CLASSIFICATIONS, Classification
from workbench.video.speech_ranges import Utterances, speech_seconds
from workbench.video.utterances import Detected, SoundtrackMeasure, classify, own_music_in, utterances_in

_YIELD_DB = 60.0
"""dB by which music is pulled down where it yields to the video's own: nothing is left of it"""
_OWN_MUSIC_FADE_MS = 1200
"""ms in which music goes down before the video's own and comes back after, slower than for speech: a change of music"""
_NEAR_BAR_SECONDS = 8.0
"""s from the video's own music within which a bar line is waited for"""
_LEAST_RISE_SECONDS = 0.1
"""least s in which the music rises, before the bar line at which it is back in full"""
_BEFORE_BAR_SECONDS = 0.02
"""s before a bar line at which music has gone, or is back: a grid may be that late on the sound that opens a bar"""


@dataclass(frozen=True, slots=True)
class Duck:
    """How far the music is lowered under a voice, and when.

    Attributes
    ----------
    envelope_points : (video seconds, dB to pull the music down), times strictly increasing, dB 0 or more; linear
        between points, held before the first and after the last; empty where the music is low enough already
    envelope_hz : grid on which the curve was sampled; not needed to render
    speech_ranges : (first, last sound) of each stretch of speech, video seconds, sorted and disjoint
    depth_db : maximum of the curve
    attack_ms : nominal time of the fade down into speech
    release_ms : nominal time of the fade up after it
    measured_points : the measured curve where `envelope_points` were drawn (`workbench.mix.drawn_envelope`); None:
        they are it
    """

    envelope_points: tuple[tuple[float, float], ...]
    envelope_hz: int
    speech_ranges: tuple[tuple[float, float], ...]
    depth_db: float
    attack_ms: int
    release_ms: int
    measured_points: tuple[tuple[float, float], ...] | None = None

    def __repr__(self) -> str:
        return f"<ducking by up to {self.depth_db:.1f} dB under {len(self.speech_ranges)} utterances>"

    def __post_init__(self) -> None:
        _refuse(self.envelope_hz < 1, f"envelope_hz must be 1 or more, got {self.envelope_hz}")
        _refuse(self.attack_ms < 0 or self.release_ms < 0, "attack_ms and release_ms must not be negative")
        times = [time for time, _ in self.envelope_points]
        for before, after in pairwise(times):
            _refuse(not before < after, f"envelope points must increase strictly in time, got {before} and {after}")
        for time, attenuation in self.envelope_points:
            _refuse(
                not attenuation >= 0, f"envelope points hold positive attenuations, got {attenuation} dB at {time} s"
            )
        deepest = max((attenuation for _, attenuation in self.envelope_points), default=0.0)
        _refuse(
            abs(self.depth_db - deepest) > 1e-9,
            f"depth_db must be the maximum of the curve, {deepest} dB, got {self.depth_db}",
        )
        for start, end in self.speech_ranges:
            _refuse(not start < end, f"speech must end after it begins, got {start} to {end} s")
        for (_, end), (start, _) in pairwise(self.speech_ranges):
            _refuse(
                not end < start, f"speech ranges must be sorted and disjoint, got one to {end} s, one from {start} s"
            )


@dataclass(frozen=True, slots=True)
class Mix(NotebookValue):
    """Levels for a video of soundtrack and music.

    Attributes
    ----------
    voiceover : whether there is a sustained, measured voice to duck under
    classification : what the soundtrack is
    music_gain_db : signed; only with a voice-over
    video_gain_db : signed; only with a voice-over
    duck : only with a voice-over, or where the music gives way to the video's own
    """

    voiceover: bool
    classification: Classification
    music_gain_db: float | None = None
    video_gain_db: float | None = None
    duck: Duck | None = None

    def __post_init__(self) -> None:
        _refuse(self.classification not in CLASSIFICATIONS, f"no such classification: {self.classification}")
        _refuse(
            self.voiceover and self.classification != "voice",
            f"there is no voice-over in sound that is classified as {self.classification}",
        )
        for name in ("music_gain_db", "video_gain_db"):
            given = getattr(self, name) is not None
            _refuse(given != self.voiceover, f"{name} is given with a voice-over and only then")
        _refuse(self.voiceover and self.duck is None, "duck is given with a voice-over")
        spoken = self.duck is not None and bool(self.duck.speech_ranges)
        _refuse(spoken and not self.voiceover, "without a voice-over nothing is ducked under speech")
        for name in ("music_gain_db", "video_gain_db"):
            value = getattr(self, name)
            _refuse(value is not None and not abs(value) < 120, f"{name} must be a level in dB, got {value}")


def plan_mix(
    soundtrack: SoundtrackMeasure,
    music: LevelCurve,
    video_seconds: float,
    params: WorkbenchParams | None = None,
    detected: Detected | None = None,
    bar_lines: FloatArray | None = None,
) -> Mix:
    """Decide how music and soundtrack play together; `music` is as it is played, on the video's clock, at its own gain.

    `bar_lines` are those of the music as it is played, video seconds; None: they are not known. There are gains and
    ducking where someone speaks for at least `min_speech_seconds`, ducking alone where the music only gives way to the
    video's own. Gains are rounded to 0.01 dB before the depths are measured, points to 0.01 dB and to their grid.
    Detection takes far longer than the rest: give `detected` if it is known.
    """
    params = params or WorkbenchParams()
    voice, duck, own = params.voice, params.duck, params.mix
    if not 0 < video_seconds < float("inf"):
        raise ParameterError(f"a video must last more than 0 s, got {video_seconds} s")
    if detected is None:
        found = utterances_in(soundtrack, video_seconds, voice)
        detected = Detected(found, () if own.own_music == "ignore" else own_music_in(soundtrack, video_seconds, own))
    utterances = detected.utterances
    own_music = () if own.own_music == "ignore" else detected.own_music
    classification = classify(soundtrack, utterances)
    if soundtrack.levels is None:
        return Mix(voiceover=False, classification=classification)
    if classification != "voice" or speech_seconds(utterances) < voice.min_speech_seconds:
        points = _points(_under_own_music(own_music, soundtrack.levels, music, video_seconds, duck, own, bar_lines))
        given_way = _duck(points, (), _OWN_MUSIC_FADE_MS, _OWN_MUSIC_FADE_MS) if points else None
        return Mix(voiceover=False, classification=classification, duck=given_way)
    # The gain raises the voice with its background; the music is compared with the voice alone.
    sounding = soundtrack.levels.lufs_within(utterances)
    # Rounded before anything is measured with them, so that depths fit the gains that are stored and rendered.
    video_gain_db = round(min(max(0.0, duck.voice_lufs - sounding), duck.max_video_gain_db), 2)
    voice_level = voice_alone(soundtrack.levels, utterances)
    spoken = voice_level.lufs_within(utterances)
    played = music.integrated()
    wanted = spoken + video_gain_db - played if np.isfinite(played) else 0.0
    music_gain_db = round(min(wanted, duck.max_music_gain_db), 2)
    pieces = split_utterances(utterances, duck)
    depths = duck_depths(pieces, voice_level.raised(video_gain_db), music.raised(music_gain_db), duck)
    curve = duck_curve(pieces, steady_depths(pieces, depths, duck), video_seconds, duck)
    louder = soundtrack.levels.raised(video_gain_db)
    under = _under_own_music(own_music, louder, music.raised(music_gain_db), video_seconds, duck, own, bar_lines)
    points = _points(deepest_curve(curve, under, video_seconds))
    return Mix(
        voiceover=True,
        classification=classification,
        music_gain_db=music_gain_db,
        video_gain_db=video_gain_db,
        duck=_duck(points, utterances, duck.attack_ms, duck.release_ms),
    )


def _points(curve: FloatArray) -> tuple[tuple[float, float], ...]:
    return tuple((round(float(time), 6), round(float(attenuation), 2)) for time, attenuation in curve)


def _duck(points: tuple[tuple[float, float], ...], utterances: Utterances, attack_ms: int, release_ms: int) -> Duck:
    return Duck(
        envelope_points=points,
        envelope_hz=ENVELOPE_HZ,
        speech_ranges=utterances,
        depth_db=max((attenuation for _, attenuation in points), default=0.0),
        attack_ms=attack_ms,
        release_ms=release_ms,
    )


def _under_own_music(
    ranges: Utterances,
    levels: LevelCurve,
    music: LevelCurve,
    video_seconds: float,
    duck: DuckParams,
    own: MixParams,
    bar_lines: FloatArray | None,
) -> FloatArray:
    """The curve that lowers the music under the video's own, shape (n_points, 2); `levels` and `music` as played."""
    fades = {"attack_ms": _OWN_MUSIC_FADE_MS, "release_ms": _OWN_MUSIC_FADE_MS}
    if own.own_music == "yield":
        if bar_lines is not None and bar_lines.size:
            return _silent_between_bars(ranges, bar_lines, video_seconds)
        depths = np.full(len(ranges), _YIELD_DB)
        return duck_curve(ranges, depths, video_seconds, duck.model_copy(update=fades))
    under = {"under_voice_lu": own.under_own_music_lu}
    pieces = split_utterances(ranges, duck)
    depths = duck_depths(pieces, levels, music, duck.model_copy(update=under), min_under_voice_lu=0.0)
    steady = steady_depths(pieces, depths, duck)
    return duck_curve(pieces, steady, video_seconds, duck.model_copy(update=fades))


def _silent_between_bars(ranges: Utterances, bar_lines: FloatArray, video_seconds: float) -> FloatArray:
    """The curve that takes the music away by the last bar line before each range, until the first one after it.

    Without a bar line before, the music begins after the range; without one after, it does not come back. It waits for
    no bar line that is further than `_NEAR_BAR_SECONDS`. Bar lines ascend.
    """
    fade, never = _OWN_MUSIC_FADE_MS / 1000, video_seconds + 1.0
    spans: list[tuple[float, float, float]] = []
    for start, end in ranges:
        before, after = bar_lines[bar_lines <= start], bar_lines[bar_lines >= end]
        gone = _on_line(0.0 if not before.size else before[-1] if start - before[-1] <= _NEAR_BAR_SECONDS else start)
        back = _on_line(never if not after.size else after[0] if after[0] - end <= _NEAR_BAR_SECONDS else end)
        rises = max(gone, back - min(fade, max(_LEAST_RISE_SECONDS, back - end)))
        if spans and gone - fade <= spans[-1][2]:
            gone = spans.pop()[0]
        spans.append((gone, rises, back))
    times = np.arange(int(video_seconds * ENVELOPE_HZ + 1e-9) + 1) / ENVELOPE_HZ
    curve = np.zeros(times.size)
    for gone, rises, back in spans:
        dip = np.interp(times, (gone - fade, gone, rises, back), (0.0, _YIELD_DB, _YIELD_DB, 0.0))
        curve = np.maximum(curve, dip)
    return thin_stretches(times, curve)


def _on_line(bar_line: float) -> float:
    """The last step of the envelope's grid that is before a bar line."""
    return float(np.floor((bar_line - _BEFORE_BAR_SECONDS) * ENVELOPE_HZ + 1e-9) / ENVELOPE_HZ)


def _refuse(broken: bool, rule: str) -> None:
    if broken:
        raise ParameterError(rule)
