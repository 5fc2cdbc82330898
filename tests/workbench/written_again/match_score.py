"""The match score, written again from the head of `workbench.match.ranking` and its page in the book alone."""

from __future__ import annotations

import numpy as np
from scipy.stats import gamma

from workbench.catalog.columns import Columns
from workbench.match.ranking import LOOP_EXCESS_SECONDS
from workbench.match.video_facts import VideoFacts
from workbench.params import MatchParams
from workbench.recording import FloatArray, IntArray


def _clip(values: FloatArray | float, low: float = 0.0, high: float = 1.0) -> FloatArray:
    return np.asarray(np.clip(values, low, high))


def _bell(values: FloatArray, wanted: float, width: float) -> FloatArray:
    return np.asarray(np.exp(-((values - wanted) ** 2) / (2 * width**2)))


def _with_words(heard: FloatArray, words: FloatArray, share: float) -> FloatArray:
    return np.where(np.isnan(words), heard, np.where(np.isnan(heard), words, heard + share * (words - heard)))


def wanted(video: VideoFacts, params: MatchParams) -> tuple[float, float, float]:
    loud = 0.5 if video.sound_lufs is None else float(_clip((video.sound_lufs + 50) / 30))
    evidence = np.array([1.0, video.pace, video.movement, loud, video.brightness, 4 * video.colourfulness])
    weights = (params.model.wanted_energy, params.model.wanted_pulse, params.model.wanted_valence)
    energy, pulse, valence = (float(_clip(np.dot(one, evidence))) for one in weights)
    return (
        energy * (1 - params.model.calm_under_voice * min(1, video.speech_share / params.model.much_speech)),
        pulse,
        valence,
    )


def _felt(bpm: FloatArray, density: FloatArray) -> FloatArray:
    tempo = _clip(np.log(bpm / 60) / np.log(3), -0.2, 1.2)
    notes = _clip(np.log(density / 2) / np.log(6), 0.0, 1.2)
    both = 0.75 * tempo + 0.25 * notes
    return _clip(np.where(np.isnan(bpm), notes, np.where(np.isnan(density), tempo, both)))


def parts(video: VideoFacts, columns: Columns, params: MatchParams) -> dict[str, FloatArray]:
    names = (
        "bpm", "density", "energy", "mode", "brightness", "key_clarity", "vocals", "speech_band", "duration",
        "loopable", "words_energy", "words_valence",
    )  # fmt: skip
    of = {name: np.asarray(getattr(columns, name), dtype=np.float64) for name in names}
    energy, pulse, valence = wanted(video, params)
    speech = min(1, video.speech_share / params.model.much_speech)

    tempo = _bell(_felt(of["bpm"], of["density"]), pulse, params.model.pulse_width)
    octave = np.where(of["bpm"] < 104, 2 * of["bpm"], of["bpm"] / 2)
    felt = params.model.octave_weight * _bell(_felt(octave, of["density"]), pulse, params.model.pulse_width)

    mode = np.nan_to_num(of["mode"])
    by_key = np.stack([np.ones(mode.size), mode, of["key_clarity"]])
    by_sound = np.stack([np.ones(mode.size), mode, np.where(np.isnan(of["brightness"]), 0.5, of["brightness"])])
    unclear = np.isnan(of["key_clarity"])
    cheer = np.where(
        unclear, np.array(params.model.valence_of_music) @ by_sound, np.array(params.model.valence_of_key) @ by_key
    )

    sings = _clip((of["vocals"] - 0.3) / 0.4)
    crowded = _clip((of["speech_band"] - params.model.free_band) / params.model.full_band)
    crowded = np.where(np.isnan(of["speech_band"]), 0.5, crowded)

    straight = _clip(1 - 2 * _clip(1 - of["duration"] / video.duration))
    loopable = np.where(np.isnan(of["loopable"]), 0.5, of["loopable"])
    looped = loopable * _clip(1 - 0.08 * np.log2(video.duration / of["duration"]), 0.3, 1.0)
    loops = video.duration - of["duration"] >= LOOP_EXCESS_SECONDS

    in_time = 0.5 + 0.5 * _bars(video.cuts, of["bpm"], columns.beats_per_bar)
    found = {
        "pulse": np.where(np.isnan(of["bpm"]), tempo, np.maximum(tempo, felt)),
        "level": _bell(
            _with_words(of["energy"], of["words_energy"], params.model.words_share_of_energy),
            energy,
            params.model.energy_width,
        ),
        "mood": _bell(
            _with_words(_clip(cheer), of["words_valence"], params.model.words_share_of_valence),
            valence,
            params.model.valence_width,
        ),
        "voice": 1 - speech * (params.model.vocals_share * sings + (1 - params.model.vocals_share) * crowded),
        "length": np.where(loops, np.maximum(straight, looped), straight),
        "bars": np.where(np.isnan(of["bpm"]), np.nan, in_time),
        "arc": _arc(video, np.asarray(columns.contour, dtype=np.float64), of["duration"], params),
    }
    return {name: np.where(np.isnan(part), params.usual_parts[name], part) for name, part in found.items()}


def _bars(cuts: FloatArray, bpm: FloatArray, beats_per_bar: IntArray) -> FloatArray:
    agreement = np.zeros(bpm.size)
    if cuts.size < 4:
        return agreement
    runs = np.array_split(cuts, max(1, round(cuts.size / 16)))
    counts = np.array([run.size for run in runs])
    shot = float(np.median(np.diff(cuts)))
    for track in np.flatnonzero(~np.isnan(bpm)):
        beat = 60 / bpm[track]
        bar = beat * (beats_per_bar[track] if beats_per_bar[track] >= 1 else 4)
        for unit in (bar, bar / 2, beat):
            lengths = np.array([abs(np.exp(2j * np.pi * run / unit).mean()) for run in runs])
            chance = min(1.0, 3 * float(gamma.sf(np.sum(counts * lengths**2), len(runs))))
            mean = float(np.average(lengths, weights=counts)) * 0.01 / (0.01 + chance)
            if shot <= 4.5 * unit:
                agreement[track] = max(agreement[track], mean)
    return agreement


def _arc(video: VideoFacts, contour: FloatArray, duration: FloatArray, params: MatchParams) -> FloatArray:
    edges = np.array([video.scenes[0].start, *(scene.end for scene in video.scenes)])
    lengths, drive = np.diff(edges), np.array([scene.drive for scene in video.scenes])
    trust = max(0.0, 1 - 1.5 / lengths.size)
    found = np.full(duration.size, np.nan)
    for track in np.flatnonzero(~np.isnan(duration) & ~np.isnan(contour).any(axis=1)):
        until = np.concatenate([[0.0], np.cumsum(contour[track])]) / contour.shape[1]
        plays, place = np.divmod(edges / duration[track], 1.0)
        heard = plays * until[-1] + np.interp(place, np.linspace(0.0, 1.0, until.size), until)
        energy = np.diff(heard) * duration[track] / lengths
        covariance = np.cov(drive, energy, bias=True, aweights=lengths)
        swing, spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        r = covariance[0, 1] / (swing * spread) if min(swing, spread) > 1e-9 else 0.0
        share = swing / (swing + params.model.usual_swing) * spread / (spread + params.model.usual_spread)
        found[track] = 0.5 + 0.5 * r * trust * share
    return found


def raw_score(given: dict[str, FloatArray], params: MatchParams) -> FloatArray:
    logs = [
        weight * np.log(np.maximum(given.get(name, np.array(params.usual_parts[name])), 0.02))
        for name, weight in params.weights.items()
    ]
    return np.asarray(np.exp(sum(logs) / sum(params.weights.values())))


def score(raw: FloatArray, params: MatchParams) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-(params.model.calibration_offset + params.model.calibration_slope * raw))))
