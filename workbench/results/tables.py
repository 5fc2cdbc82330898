"""Values as tables: labelled arrays (xarray) of all there is, data frames (pandas) of the rows that one usually wants.

Axes are called as in the cached arrays (`workbench.analysis.labels`): `beat`, `bar`, `splice`, `seam_part`, `band`,
`tone`, `segment`, `seam`, `match`. The place of an entry is a coordinate: `time` on beats, bars and points of a
curve, in seconds; `band` in Hz, `tone` as a MIDI number, parts of a score by name. Each variable has `units` and
`long_name`. Numbers of the whole value are attributes with their names.

pandas comes with xarray and needs no extra.

Functions: `dataset_of`, `frame_of`, for a `BeatGrid`, `LoopProfile`, `LoopPlan`, `SeamEvidence`, `Mix` or `Lane`.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.beats.grid import BeatGrid
from workbench.features.chroma import LOWEST_MIDI
from workbench.matching.lane import Lane
from workbench.mix.balance import Mix
from workbench.plans.plan import LoopPlan
from workbench.seams.profile import SEAM_PARTS, LoopProfile
from workbench.seams.seam_score import SeamEvidence

if TYPE_CHECKING:
    import pandas
    import xarray


@singledispatch
def dataset_of(value: object) -> xarray.Dataset:
    """A value, one of those that the module names, as labelled arrays; raises `TypeError` for others."""
    raise TypeError(f"there is no dataset of a {type(value).__name__}")


@singledispatch
def frame_of(value: object) -> pandas.DataFrame:
    """A value, one of those that the module names, as a data frame; raises `TypeError` for others."""
    raise TypeError(f"there is no table of a {type(value).__name__}")


def _variable(dims: str | tuple[str, ...], values: Any, unit: str, meaning: str) -> tuple[Any, ...]:
    """An array as xarray takes it."""
    return dims, np.asarray(values), {"units": unit, "long_name": meaning}


def _dataset(variables: dict[str, Any], coordinates: dict[str, Any], **attributes: Any) -> xarray.Dataset:
    import xarray

    return xarray.Dataset(variables, coords=coordinates, attrs=attributes)


def _bar_of_beat(grid: BeatGrid) -> np.ndarray:
    """Number of the bar that holds each beat, shape (n_beats,); -1 before the first bar line."""
    return np.cumsum(grid.positions == 1) - 1


@dataset_of.register(BeatGrid)
def _(grid: BeatGrid) -> xarray.Dataset:
    index = np.arange(grid.beats.size)
    return _dataset(
        {
            "position": _variable("beat", grid.positions, "1", "place in the bar, from 1"),
            "is_downbeat": _variable("beat", grid.positions == 1, "1", "whether it opens a bar"),
        },
        {
            "beat": _variable("beat", index, "1", "number of the beat, from 0"),
            "time": _variable("beat", grid.beats, "s", "track time"),
            "bar": _variable("beat", _bar_of_beat(grid), "1", "number of the bar; -1 before the first bar line"),
        },
        beats_per_bar=grid.beats_per_bar,
        confidence=grid.confidence,
        tempo_bpm=grid.tempo_bpm,
    )


@frame_of.register(BeatGrid)
def _(grid: BeatGrid) -> pandas.DataFrame:
    import pandas

    columns = {"time": grid.beats, "position": grid.positions, "bar": _bar_of_beat(grid)}
    return pandas.DataFrame(columns, index=pandas.RangeIndex(grid.beats.size, name="beat"))


@dataset_of.register(LoopProfile)
def _(profile: LoopProfile) -> xarray.Dataset:
    splices, sections = profile.splices, profile.sections
    variables = {
        "bar_lufs": _variable("bar", profile.bar_lufs, "LUFS", "loudness of the bar"),
        "leave": _variable("splice", splices.leave, "1", "bar line at which the music leaves"),
        "enter": _variable("splice", splices.enter, "1", "bar line at which it goes on"),
        "song_to": _variable("splice", splices.song_to, "s", "fitted leaving time"),
        "song_from": _variable("splice", splices.song_from, "s", "fitted entering time"),
        "score": _variable("splice", splices.score, "1", "seam score, 0 to 1, fitted to an automatic judge"),
        "parts": _variable(("splice", "seam_part"), splices.parts, "1", "parts of the score, 0 to 1"),
        "fade_seconds": _variable("splice", splices.fade_seconds, "s", "length of the crossfade"),
        "exponent": _variable("splice", splices.exponent, "1", "gain law: 0.5 equal power to 1.0 linear"),
        "level_step_db": _variable("splice", splices.level_step_db, "dB", "how much louder the entered side is, LU"),
        "section_first_bar": _variable("section", [one.first_bar for one in sections], "1", "its first bar"),
        "section_last_bar": _variable("section", [one.last_bar for one in sections], "1", "one past its last bar"),
        "section_to": _variable("section", [one.song_to for one in sections], "s", "where it ends"),
        "section_group": _variable("section", [one.group for one in sections], "1", "equal for repetitions"),
    }
    coordinates = {
        "bar": _variable("bar", np.arange(profile.downbeats.size), "1", "number of the bar, from 0"),
        "time": _variable("bar", profile.downbeats, "s", "track time at which the bar opens"),
        "splice": _variable("splice", np.arange(splices.leave.size), "1", "candidates, best first"),
        "seam_part": _variable("seam_part", list(profile.part_names), "1", "what is judged"),
        "section": _variable("section", np.arange(len(sections)), "1", "number of the section"),
        "section_label": _variable("section", np.array([one.label for one in sections], dtype=str), "1", "its name"),
        "section_from": _variable("section", [one.song_from for one in sections], "s", "where it begins"),
    }
    ending = profile.ending
    return _dataset(
        variables,
        coordinates,
        song_duration=profile.song_duration,
        song_start=profile.song_start,
        last_sound=profile.last_sound,
        beats_per_bar=profile.beats_per_bar,
        grid_confidence=profile.grid_confidence,
        ending="none" if ending is None else ending.kind.value,
        ending_start_bar=-1 if ending is None else ending.start_bar,
    )


@frame_of.register(LoopProfile)
def _(profile: LoopProfile) -> pandas.DataFrame:
    import pandas

    splices = profile.splices
    names = ("leave", "enter", "song_to", "song_from", "score", "fade_seconds", "exponent", "level_step_db")
    columns = {name: getattr(splices, name) for name in names}
    columns |= dict(zip(list(profile.part_names), splices.parts.T, strict=True))
    return pandas.DataFrame(columns, index=pandas.RangeIndex(splices.leave.size, name="splice"))


def _segments(plan: LoopPlan) -> dict[str, Any]:
    return {
        "video_from": plan.segment_starts[:-1],
        "video_to": plan.segment_starts[1:],
        "song_from": np.array([segment.song_from for segment in plan.segments]),
        "song_to": np.array([segment.song_to for segment in plan.segments]),
        "gain_in_db": np.array([segment.gain_in_db for segment in plan.segments]),
        "gain_db": np.array([segment.gain_db for segment in plan.segments]),
    }


_PLAN_NUMBERS = (
    "music_in", "music_out", "music_end", "tail_seconds", "song_duration", "beats_per_bar", "seam_score", "plan_score",
    "start_fade_seconds", "end_fade_seconds", "gain_glide_seconds", "end_label",
)  # fmt: skip


@dataset_of.register(LoopPlan)
def _(plan: LoopPlan) -> xarray.Dataset:
    rows = _segments(plan)
    meaning = {
        "video_to": ("s", "video time at which the segment ends"),
        "song_from": ("s", "track time at which it starts"),
        "song_to": ("s", "track time at which it ends"),
        "gain_in_db": ("dB", "level at which it starts"),
        "gain_db": ("dB", "level that it reaches"),
    }
    variables = {name: _variable("segment", rows[name], *meaning[name]) for name in meaning}
    variables |= {
        "fade_seconds": _variable("seam", plan.seam_fades, "s", "length of the crossfade"),
        "exponent": _variable("seam", plan.seam_curves, "1", "gain law: 0.5 equal power to 1.0 linear"),
    }
    coordinates = {
        "segment": _variable("segment", np.arange(len(plan.segments)), "1", "in the order of playback"),
        "video_from": _variable("segment", rows["video_from"], "s", "video time at which the segment starts"),
        "seam": _variable("seam", np.arange(len(plan.seam_times)), "1", "between a segment and the next"),
        "time": _variable("seam", plan.seam_times, "s", "video time of the seam"),
    }
    numbers = {name: getattr(plan, name) for name in _PLAN_NUMBERS}
    return _dataset(variables, coordinates, kind=plan.kind.value, **numbers)


@frame_of.register(LoopPlan)
def _(plan: LoopPlan) -> pandas.DataFrame:
    import pandas

    none = [np.nan]
    seams = {"fade_in_seconds": none + list(plan.seam_fades), "exponent": none + list(plan.seam_curves)}
    return pandas.DataFrame(_segments(plan) | seams, index=pandas.RangeIndex(len(plan.segments), name="segment"))


@dataset_of.register(SeamEvidence)
def _(evidence: SeamEvidence) -> xarray.Dataset:
    n_beats, ticks, _ = evidence.loudness.shape
    n_tones = evidence.tones.shape[2]
    variables = {
        "position": _variable("beat", evidence.positions, "1", "place in the bar, from 1"),
        "loudness": _variable(("beat", "tick", "band"), evidence.loudness, "1", "specific loudness"),
        "rhythm": _variable(("beat", "tick", "onset_group"), evidence.rhythm, "1", "rises of specific loudness"),
        "tones": _variable(("beat", "edge", "tone"), evidence.tones, "1", "compressed power of semitones"),
        "harmony": _variable(("beat", "edge", "harmony_feature"), evidence.harmony, "1", "what tones rise, and tones"),
        "level_db": _variable("beat", evidence.level_db, "dB", "level of the compressed bands"),
        "brightness": _variable("beat", evidence.brightness, "octave", "centre of the specific loudness re 1 kHz"),
        "own_breaks": _variable(("seam_part", "bar_line"), evidence.own, "1", "breaks of the track's adjacent bars"),
    }
    coordinates = {
        "beat": _variable("beat", np.arange(n_beats), "1", "number of the beat, from 0"),
        "time": _variable("beat", evidence.edges[:-1], "s", "track time at which the beat begins"),
        "tick": _variable("tick", np.arange(ticks), "1", "equal parts of the beat"),
        "band": _variable("band", evidence.band_hz, "Hz", "centre of the band"),
        "edge": _variable("edge", np.array(["begins", "ends"]), "1", "of the beat"),
        "tone": _variable("tone", np.arange(n_tones) + LOWEST_MIDI, "1", "MIDI number"),
        "seam_part": _variable(
            "seam_part", [*SEAM_PARTS, *(one.name for one in evidence.others)], "1", "what is judged"
        ),
        "bar_line": _variable("bar_line", evidence.lines[: evidence.own.shape[1]], "1", "beat that the bar opens on"),
    }
    return _dataset(variables, coordinates)


@frame_of.register(SeamEvidence)
def _(evidence: SeamEvidence) -> pandas.DataFrame:
    import pandas

    names = ("positions", "level_db", "brightness")
    columns = {"time": evidence.edges[:-1]} | {name: getattr(evidence, name) for name in names}
    table = pandas.DataFrame(columns, index=pandas.RangeIndex(evidence.positions.size, name="beat"))
    return table.rename(columns={"positions": "position"})


@dataset_of.register(Mix)
def _(mix: Mix) -> xarray.Dataset:
    points = np.array(() if mix.duck is None else mix.duck.envelope_points, dtype=np.float64).reshape(-1, 2)
    speech = np.array(() if mix.duck is None else mix.duck.speech_ranges, dtype=np.float64).reshape(-1, 2)
    numbers = {
        name: getattr(mix, name) for name in ("music_gain_db", "video_gain_db") if getattr(mix, name) is not None
    }
    return _dataset(
        {
            "attenuation_db": _variable("time", points[:, 1], "dB", "how far the music is lowered, linear between"),
            "speech_to": _variable("utterance", speech[:, 1], "s", "video time of the last sound of an utterance"),
        },
        {
            "time": _variable("time", points[:, 0], "s", "video time"),
            "utterance": _variable("utterance", np.arange(len(speech)), "1", "number of the utterance"),
            "speech_from": _variable("utterance", speech[:, 0], "s", "video time of its first sound"),
        },
        classification=mix.classification,
        voiceover=int(mix.voiceover),
        **numbers,
    )


@frame_of.register(Mix)
def _(mix: Mix) -> pandas.DataFrame:
    import pandas

    points = np.array(() if mix.duck is None else mix.duck.envelope_points, dtype=np.float64).reshape(-1, 2)
    return pandas.DataFrame({"time": points[:, 0], "attenuation_db": points[:, 1]})


def _reason_table(lane: Lane) -> tuple[list[str], np.ndarray]:
    """Names of the reasons, and their scores, shape (n_matches, n_names), NaN where a match lacks one."""
    names = list(dict.fromkeys(reason.called or reason.video for one in lane.matches for reason in one.reasons))
    scores = np.full((len(lane.matches), len(names)), np.nan)
    for row, one in enumerate(lane.matches):
        for reason in one.reasons:
            scores[row, names.index(reason.called or reason.video)] = reason.score
    return names, scores


@dataset_of.register(Lane)
def _(lane: Lane) -> xarray.Dataset:
    names, scores = _reason_table(lane)
    tracks = [one.track for one in lane.matches]
    return _dataset(
        {
            "score": _variable("match", [one.score for one in lane.matches], "1", "how well it fits, 0 to 1"),
            "unmet": _variable(
                "match", np.array([one.unmet for one in lane.matches], dtype=str), "1", "rules of the brief not met"
            ),
            "reason_score": _variable(("match", "reason"), scores, "1", "in one respect, 0 to 1"),
            "bpm": _variable("match", [one.bpm or np.nan for one in tracks], "BPM", "tempo of the track"),
        },
        {
            "match": _variable("match", np.arange(len(tracks)), "1", "best first"),
            "track_id": _variable(
                "match", np.array([one.track_id for one in tracks], dtype=str), "1", "in the catalog"
            ),
            "title": _variable("match", np.array([one.title or "" for one in tracks], dtype=str), "1", "of the track"),
            "reason": _variable("reason", np.array(names, dtype=str), "1", "respect in which they go together"),
        },
        title=lane.title,
        reasoning=lane.reasoning,
    )


@frame_of.register(Lane)
def _(lane: Lane) -> pandas.DataFrame:
    import pandas

    names, scores = _reason_table(lane)
    columns: dict[str, Any] = {
        "track_id": [one.track.track_id for one in lane.matches],
        "title": [one.track.title or "" for one in lane.matches],
        "score": [one.score for one in lane.matches],
        "unmet": [one.unmet for one in lane.matches],
    }
    columns |= {name: scores[:, number] for number, name in enumerate(names)}
    return pandas.DataFrame(columns, index=pandas.RangeIndex(len(lane.matches), name="match"))
