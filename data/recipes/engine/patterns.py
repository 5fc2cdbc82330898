"""Figures that several songs share: strums, arpeggios, rhythms in chords, walking bass lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.recipes.engine.harmony import bass_class, chord, near
from data.recipes.engine.score import STEP_VELOCITY, Part


def rhythm(
    part: Part,
    start: float,
    text: str,
    keys: Sequence[int],
    *,
    step: float = 0.25,
    scale: float = 0.85,
    gate: float = 0.95,
) -> None:
    """Chords in a rhythm: `X`, `x`, `o`, `g` strike, `_` holds on, anything else is a rest."""
    text = text.replace("|", "").replace(" ", "")
    for n, mark in enumerate(text):
        if mark in STEP_VELOCITY:
            held = 1
            while n + held < len(text) and text[n + held] == "_":
                held += 1
            part.play(start + n * step, held * step * gate, keys, round(STEP_VELOCITY[mark] * scale))


def strum(
    part: Part,
    start: float,
    text: str,
    keys: Sequence[int],
    *,
    step: float = 0.25,
    scale: float = 0.8,
    spread: float = 0.03,
) -> None:
    """Guitar strums: `D`, `d` down, `U`, `u` up (capitals louder), `m` a damped stroke, `_` rings on.

    `spread` is the time in quarters from the first string to the last; the stroke is centred a little behind its place.
    """
    text = text.replace("|", "").replace(" ", "")
    for n, mark in enumerate(text):
        if mark not in "DdUum":
            continue
        held = 1
        while n + held < len(text) and text[n + held] == "_":
            held += 1
        length = 0.06 if mark == "m" else held * step * 0.97
        loud = {"D": 108, "d": 86, "U": 96, "u": 74, "m": 70}[mark] * scale
        strings = sorted(keys, reverse=mark in "Uu")
        strings = strings[: max(3, len(strings) - 1)] if mark in "Uu" else strings
        for place, pitch in enumerate(strings):
            delay = spread * place / max(1, len(strings) - 1)
            fade = 1.0 - 0.05 * place if mark in "Dd" else 0.9
            part.play(start + n * step + delay, max(0.05, length - delay), pitch, round(loud * fade))


def arpeggio(
    part: Part,
    start: float,
    keys: Sequence[int],
    order: Sequence[int],
    *,
    step: float = 0.5,
    ring: float = 1.0,
    velocity: int = 80,
    accents: Sequence[int] = (),
    octave: int = 12,
) -> None:
    """Notes of a chord one after another; `order` counts from the lowest, beyond the top goes on an octave higher.

    A value of -99 is a rest. `accents` are added to the velocity, over and over.
    """
    for n, index in enumerate(order):
        if index == -99:
            continue
        lift, inside = divmod(index, len(keys))
        loud = velocity + (accents[n % len(accents)] if accents else 0)
        part.play(start + n * step, step * ring, keys[inside] + lift * octave, loud)


def walking_bass(
    part: Part,
    start: float,
    changes: Sequence[tuple[str, float]],
    rng: np.random.Generator,
    *,
    low: int = 28,
    high: int = 50,
    velocity: int = 92,
) -> float:
    """Quarter notes through chords given as (name, quarters): root, chord tones, and a step or half step into the next.

    Returns the place after the last. Like a player it keeps direction while it can and turns at the ends of its range.
    """
    place, at, direction = start, (low + high) // 2 - 4, 1
    for number, (name, quarters) in enumerate(changes):
        following = changes[(number + 1) % len(changes)][0]
        at = min((at, low, high), key=lambda k: abs(near(bass_class(name), k) - at))
        at = near(bass_class(name), at)
        at += 12 if at < low else -12 if at > high else 0
        beats = round(quarters)
        tones = {tone % 12 for tone in chord(name)}
        for beat in range(beats):
            if beat > 0 and beat == beats - 1:
                target = near(bass_class(following), at)
                side = 1 if rng.uniform() < 0.5 else -1
                step = side if rng.uniform() < 0.7 else 2 * side
                at = int(np.clip(target + step, low, high))
            elif beat > 0:
                if at >= high - 4:
                    direction = -1
                elif at <= low + 4:
                    direction = 1
                options = [k for k in range(at - 7, at + 8) if k % 12 in tones and k != at and low <= k <= high]
                ahead = [k for k in options if (k - at) * direction > 0] or options
                at = int(
                    ahead[int(rng.integers(0, min(2, len(ahead))))]
                    if direction > 0
                    else ahead[-1 - int(rng.integers(0, min(2, len(ahead))))]
                )
            loud = velocity + (6 if beat % 2 else 0) + int(rng.integers(-4, 5))
            part.play(place, 0.92, at, loud)
            if rng.uniform() < 0.08:
                part.play(place + 0.5, 0.3, at, loud - 26)
            place += 1.0
    return place


def improvised_line(
    part: Part,
    start: float,
    changes: Sequence[tuple[str, float]],
    rng: np.random.Generator,
    *,
    low: int = 60,
    high: int = 84,
    velocity: int = 88,
    density: float = 0.8,
) -> float:
    """A jazz line in eighths through chords given as (name, quarters): chord tones on the beat, steps between.

    Phrases of one to two bars with a breath after each; a change of chord is met by its third or seventh from a half
    step away. Returns the place after the last chord.
    """
    place, at, direction, left = start, (low + high) // 2, 1, int(rng.integers(6, 13))
    for name, quarters in changes:
        steps = chord(name)
        tones = {tone % 12 for tone in steps}
        guides = {steps[1] % 12, steps[-1] % 12}
        scale = sorted(tones | {(tone + 2) % 12 for tone in list(tones)[:3]} | {(steps[0] + 5) % 12})
        for eighth in range(round(quarters * 2)):
            on_beat = eighth % 2 == 0
            if left <= 0:
                left = int(rng.integers(7, 15)) if rng.uniform() < 0.55 else 0
                place += 0.5
                direction = 1 if at < (low + high) / 2 else -1
                continue
            wanted = guides if eighth == 0 else tones if on_beat else set(scale)
            reach = 4 if on_beat else 3
            options = [
                k for k in range(at - reach, at + reach + 1) if k % 12 in wanted and k != at and low <= k <= high
            ]
            ahead = [k for k in options if (k - at) * direction > 0] or options or [at]
            at = int(min(ahead, key=lambda k: abs(k - at) + 1.5 * rng.uniform()))
            if at >= high - 3:
                direction = -1
            elif at <= low + 3:
                direction = 1
            elif rng.uniform() < 0.16:
                direction = -direction
            left -= 1
            if rng.uniform() < density or on_beat:
                loud = velocity + (0 if on_beat else 8) + int(rng.integers(-8, 9))
                part.play(place, 0.45 if left else 0.3, at, loud)
            place += 0.5
    return place
