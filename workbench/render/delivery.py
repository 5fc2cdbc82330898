"""Delivery: the gain that brings sound to a loudness under a ceiling, and what a finished file falls short of.

One gain for the whole, then the true-peak limiter. The limiter takes some loudness away again, so the gain is found in
rounds: the sound is played, limited, measured, and the gain raised until nothing is missing. The limiter may take only
so much off the highest peak (`RenderParams.max_limiting_db`); where the target asks for more, the gain stops there,
because a file that pumps is worse than one that is quiet.

References
----------
EBU R 128 version 4 (2020) and ATSC A/85 (2013), which both ask for one gain of the whole programme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from workbench.mix.limiter import limit_blocks
from workbench.params import DeliveryTarget, RenderParams
from workbench.recording import FloatArray
from workbench.render.sound_levels import SoundLevels, measure_blocks

# In each round the gain is raised by what the limiter took away, judged by what the round before gained (secant)
_ROUNDS = 4
_LEAST_SLOPE = 0.3  # LU a dB of gain that a round counts on at least, so that one step does not run away
_CLOSE_LU = 0.05  # LU of the target that are close enough; meters may differ by 0.1 (EBU Tech 3341)
_PEAK_TOLERANCE_DB = 0.1  # dB over the ceiling that is no fault yet; the decoders of lossy files differ by as much


@dataclass(frozen=True, slots=True)
class DeliveryGain:
    """The gain for a target, and what it costs."""

    gain_db: float  # of the whole, signed; 0 for silence
    asked_lufs: float  # loudness asked of this sound
    dialogue: bool  # whether it is asked of the speech alone
    limiting_db: float  # dB that the limiter takes off the highest peak; 0 where it does nothing
    # LU by which the gain stops before the target, so that the limiter does not take off too much
    missing_lu: float = 0.0


def asked_loudness(levels: SoundLevels, target: DeliveryTarget) -> tuple[float, float, bool]:
    """Loudness of the target and of the sound, LUFS, and whether both are of the speech alone.

    Where a target asks for a loudness of the dialogue and too little is spoken, the whole is measured instead.
    """
    spoken = levels.dialogue_lufs
    if target.measured_on == "programme":
        return target.loudness_lufs, levels.loudness_lufs, False
    if spoken is not None and levels.dialogue_share >= target.min_dialogue_share:
        return target.loudness_lufs, spoken, True
    asked = target.loudness_lufs if target.programme_lufs is None else target.programme_lufs
    return asked, levels.loudness_lufs, False


def gain_for(levels: SoundLevels, target: DeliveryTarget, params: RenderParams | None = None) -> DeliveryGain:
    """The gain that brings a sound to a target, before what the limiter takes away is made up for."""
    params = params or RenderParams()
    asked, measured, dialogue = asked_loudness(levels, target)
    if not (isfinite(measured) and isfinite(levels.true_peak_dbtp)):
        return DeliveryGain(0.0, asked, dialogue, 0.0)
    return _held_back(asked - measured, DeliveryGain(0.0, asked, dialogue, 0.0), levels, target, params)


def find_gain(
    sound: Callable[[], Iterator[FloatArray]],
    rate: int,
    target: DeliveryTarget,
    speech: Sequence[Sequence[float]] = (),
    params: RenderParams | None = None,
) -> DeliveryGain:
    """Find the gain that brings a sound to a target once it is limited; 0 dB for silence.

    `sound` plays the unlimited sound from its beginning and is called once a round; `speech` lists disjoint pairs of
    seconds. The ceiling of `params` is replaced by that of the target.
    """
    params = (params or RenderParams()).model_copy(update={"ceiling_dbtp": target.ceiling_dbtp})
    levels = measure_blocks(sound(), rate, speech)
    found = gain_for(levels, target, params)
    before: tuple[float, float] | None = None
    for _ in range(_ROUNDS):
        if found.limiting_db <= 0.0 or found.missing_lu > 0.0:
            break
        limited = measure_blocks(limit_blocks(amplify(sound(), found.gain_db), rate, params), rate, speech)
        _, reached, _ = asked_loudness(limited, target)
        lost = found.asked_lufs - reached
        if abs(lost) < _CLOSE_LU:
            break
        # Above the ceiling a dB of gain brings less than a dB of loudness: the secant of the last two rounds says how
        # much. Where it comes out near zero, the least slope bounds the step.
        slope = 1.0 if before is None else (reached - before[1]) / (found.gain_db - before[0])
        before = (found.gain_db, reached)
        found = _held_back(found.gain_db + lost / min(max(slope, _LEAST_SLOPE), 1.0), found, levels, target, params)
    return found


def amplify(blocks: Iterator[FloatArray], gain_db: float) -> Iterator[FloatArray]:
    """Apply a gain to a stream; at 0 dB the blocks pass untouched."""
    gain = np.float32(10.0 ** (gain_db / 20.0))
    for block in blocks:
        yield block if gain_db == 0.0 else block * gain


def shortfalls(
    name: str, target: DeliveryTarget, levels: SoundLevels, found: DeliveryGain, params: RenderParams | None = None
) -> tuple[str, ...]:
    """What a finished file falls short of, a line each; none where everything asked is met."""
    params = params or RenderParams()
    lines = []
    _, measured, _ = asked_loudness(levels, target)
    asked = f"{name} asks for {found.asked_lufs:g} LUFS"
    if not isfinite(measured):
        return (f"{asked}, but the file is silent",)
    if target.measured_on == "dialogue" and not found.dialogue:
        share = f"only {100 * levels.dialogue_share:.0f} % of the time is speech"
        found_speech = share if levels.dialogue_share else "no speech was found"
        lines.append(f"{name}: {found_speech}, so the whole is brought to {found.asked_lufs:g} LUFS instead")
    if found.missing_lu > 0.0 and abs(measured - found.asked_lufs) > target.tolerance_lu:
        lines.append(
            f"{asked}; the limiter would have to take {found.limiting_db + found.missing_lu:.1f} dB off the highest "
            f"peaks, more than {params.max_limiting_db:g} dB, so the gain stops at {found.gain_db:+.1f} dB and "
            f"{measured:.1f} LUFS; compress the peaks before, or choose a quieter target"
        )
    elif abs(measured - found.asked_lufs) > target.tolerance_lu:
        lines.append(f"{asked}, within {target.tolerance_lu:g} LU; the file has {measured:.1f} LUFS")
    if levels.true_peak_dbtp > target.ceiling_dbtp + _PEAK_TOLERANCE_DB:
        lines.append(
            f"{name} asks for a true peak of {target.ceiling_dbtp:g} dBTP at most; the file has "
            f"{levels.true_peak_dbtp:.1f} dBTP"
        )
    if target.max_short_term_lufs is not None and levels.max_short_term_lufs > target.max_short_term_lufs:
        lines.append(
            f"{name} asks for {target.max_short_term_lufs:g} LUFS at most in any 3 s; the loudest have "
            f"{levels.max_short_term_lufs:.1f} LUFS"
        )
    return tuple(lines)


def _held_back(
    gain_db: float, found: DeliveryGain, levels: SoundLevels, target: DeliveryTarget, params: RenderParams
) -> DeliveryGain:
    """A gain, lowered until the limiter takes off no more than it may."""
    most = target.ceiling_dbtp + params.max_limiting_db - levels.true_peak_dbtp
    held = min(gain_db, max(most, 0.0) if gain_db > 0.0 else gain_db)
    limiting = max(0.0, levels.true_peak_dbtp + held - target.ceiling_dbtp)
    return DeliveryGain(held, found.asked_lufs, found.dialogue, limiting, gain_db - held)
