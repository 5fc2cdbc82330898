"""Ground truth beside a recording, as JAMS 0.3: what was written, not what was detected.

Annotations, all in seconds of song time (0 is the first sample of the decoded file):

- `beat_position`: every beat a listener taps, with its place in the bar from 1 (downbeats are position 1), its bar
  (`measure`, from 1; 0 for a pick-up), tapped beats a bar (`num_beats`) and the lower number of the signature
  (`beat_units`). 6/8 and 12/8 are tapped in dotted quarters: 6/8 has `num_beats` 2 and `beat_units` 8, and its
  eighths are in the sandbox as `pulses`. A held last bar has its downbeat only. Half time keeps the piece's grid.
- `segment_open`: the sections of the form, whole bars each.
- `tempo` and `key_mode`: tapped beats a minute by section, and the key.
- sandbox `exact_repeats`: pairs of ranges of whole bars in which every part plays the same written notes, longest
  first: `first` and `second` as [from, until] in seconds, `bars`, `first_bar` and `second_bar` (from 1),
  `same_length` (both last equally long), `residual_db`: for each bar the level of the difference of the two, relative
  to their own level, before encoding; and `identical_from_bar`: the bar of the pair (from 0) from which on every
  residual is below -50 dB, null when there is none. The first bars of a pair often differ: what came before rings on.

Pieces without a pulse have the annotations too, with no beats and no sections in them, and no metres.
"""

from __future__ import annotations

from collections.abc import Sequence

import jams
import numpy as np

from data.recipes.engine.effects import Sound
from data.recipes.engine.mixdown import Song
from data.recipes.engine.sampler import RATE

IDENTICAL_DB = -50.0


def _signatures(song: Song) -> list[tuple[object, ...]]:
    """What every part plays in each bar, written so that equal bars compare equal."""
    bars = song.form.bars()
    found: list[list[object]] = [[round(end - start, 6)] for start, end in bars]
    edges = np.array([start for start, _ in bars])
    for stem in song.stems:
        rows: list[tuple[int, tuple[object, ...]]] = []
        for note in stem.part.notes:
            bar = int(np.searchsorted(edges, note.start + 1e-6, "right")) - 1
            if bar >= 0:
                rows.append(
                    (bar, (round(note.start - edges[bar], 4), round(note.length, 4), note.pitch, note.velocity))
                )
        for move in stem.part.moves:
            bar = int(np.searchsorted(edges, move.start + 1e-6, "right")) - 1
            if bar >= 0:
                rows.append(
                    (
                        bar,
                        (
                            round(move.start - edges[bar], 4),
                            round(move.end - edges[bar], 4),
                            move.controller,
                            move.from_value,
                            move.to_value,
                        ),
                    )
                )
        for bar, row in sorted(rows):
            found[bar].append((stem.part.name, *row))
    return [tuple(rows) for rows in found]


def exact_repeats(song: Song, least_bars: int = 2) -> list[tuple[int, int, int]]:
    """Pairs of equal stretches as (first bar, second bar, bars), bars from 0, none part of a longer pair.

    Stretches may not overlap; a loop of four bars heard four times gives the pairs that do not.
    """
    bars = _signatures(song)
    n, result = len(bars), []
    for distance in range(least_bars, n):
        start = 0
        while start + distance < n:
            length = 0
            while (
                start + distance + length < n
                and length < distance
                and bars[start + length] == bars[start + distance + length]
                and len(bars[start + length]) > 1
            ):
                length += 1
            if length >= least_bars and not (
                start and length < distance and bars[start - 1] == bars[start + distance - 1]
            ):
                result.append((start, start + distance, length))
            start += max(1, length)
    return sorted(result, key=lambda row: (-row[2], row[0], row[1]))


def _residual_db(mix: Sound, first: float, second: float, seconds: float) -> float:
    """Level of the difference of two equally long ranges over their own, in dB."""
    n = min(round(seconds * RATE), len(mix) - round(second * RATE))
    a, b = (mix[round(start * RATE) :][:n] for start in (first, second))
    power = np.mean(a**2) + np.mean(b**2) + 1e-20
    return float(10 * np.log10(2 * np.mean((a - b) ** 2) / power + 1e-12))


def _described(song: Song, mix: Sound, first: int, second: int, length: int) -> dict[str, object]:
    """One exact repeat, as the sandbox has it."""
    edges = song.form.time(np.array([start for start, _ in song.form.bars()] + [song.form.end]))
    residuals = [
        _residual_db(mix, edges[first + n], edges[second + n], edges[first + n + 1] - edges[first + n])
        for n in range(length)
    ]
    loud = [n for n, residual in enumerate(residuals) if residual >= IDENTICAL_DB]
    settled = loud[-1] + 1 if loud else 0
    spans = [[float(edges[bar]), float(edges[bar + length])] for bar in (first, second)]
    return {
        "first": [round(t, 6) for t in spans[0]],
        "second": [round(t, 6) for t in spans[1]],
        "bars": length,
        "first_bar": first + 1,
        "second_bar": second + 1,
        "same_length": bool(abs(np.ptp(spans[0]) - np.ptp(spans[1])) < 1e-4),
        "residual_db": [round(residual, 1) for residual in residuals],
        "identical_from_bar": settled if settled < length else None,
    }


def annotate(song: Song, mix: Sound, most_repeats: int = 60) -> jams.JAMS:
    """The truth of a song whose mix is at hand."""
    form, duration = song.form, len(mix) / RATE
    result = jams.JAMS()
    result.file_metadata.title = str(song.facts["title"])
    result.file_metadata.artist = str(song.facts["artist_name"])
    result.file_metadata.duration = round(duration, 6)

    def annotation(namespace: str) -> jams.Annotation:
        one = jams.Annotation(namespace=namespace, time=0, duration=round(duration, 6))
        one.annotation_metadata.data_source = "program"
        one.annotation_metadata.annotation_tools = "data/recipes/compose.py"
        one.annotation_metadata.annotation_rules = "data/recipes/truth.py"
        result.annotations.append(one)
        return one

    beats, segments, tempi, keys = (annotation(n) for n in ("beat_position", "segment_open", "tempo", "key_mode"))
    if song.has_pulse:
        for place, bar, position, section in form.beats():
            value = {
                "position": position,
                "measure": bar,
                "num_beats": section.metre.beats,
                "beat_units": section.metre.unit,
            }
            beats.append(time=round(float(form.time(place)), 6), duration=0.0, value=value, confidence=1.0)
    last_beat = max((float(form.time(section.start)) for section in form.sections), default=0.0)
    for section in form.sections if song.kind == "song" or song.has_pulse else form.sections[:0]:
        start, end = float(form.time(section.start)), min(duration, float(form.time(section.end)))
        segments.append(time=round(start, 6), duration=round(end - start, 6), value=section.label, confidence=1.0)
        middle = (end - start) and (section.end - section.start) / section.metre.beat_quarters / (end - start) * 60
        tempi.append(time=round(start, 6), duration=round(end - start, 6), value=round(middle, 4), confidence=1.0)
    if song.key_name:
        keys.append(time=0.0, duration=round(duration, 6), value=f"{song.key_name}:{song.key_mode}", confidence=1.0)
    pairs = exact_repeats(song)[:most_repeats] if song.has_pulse else []
    repeats = [_described(song, mix, *pair) for pair in pairs]
    result.sandbox.update(
        name=song.name,
        kind=song.kind,
        batch=song.batch,
        traits=list(song.traits),
        has_pulse=song.has_pulse,
        metres=sorted({section.metre.name for section in form.sections}) if song.has_pulse else [],
        swing=form.swing,
        swing_unit_quarters=form.swing_unit,
        lead_in_seconds=form.lead_in,
        music_ends=round(min(duration, float(form.time(form.end))), 6),
        exact_repeats=repeats,
        pulses=_pulses(song),
        last_section_starts=round(last_beat, 6),
    )
    return result


def _pulses(song: Song) -> Sequence[float]:
    """The eighths of 6/8 and 12/8, which are faster than the tapped beats."""
    form, result = song.form, []
    for section in form.sections if song.has_pulse else []:
        if section.metre.name in ("6/8", "12/8"):
            places = section.start + 0.5 * np.arange(round((section.end - section.start) * 2))
            result += [round(float(t), 6) for t in form.time(places)]
    return result
