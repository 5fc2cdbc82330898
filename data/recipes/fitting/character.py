"""Fit what tells key, voices and drums in `workbench/models/character.json`.

    python -m data.recipes.fitting.character [--set SET]            fit on the pieces of a set and write the file
    python -m data.recipes.fitting.character [--set SET] --check    only say how well the method does

SET is what the beat network's script has made; its folders dev, calibration and validation have the sound. Whether a
piece has a singer, a talker or drums stands in its tags; its key is what the composer drew, found by composing the
piece again from its number. All three models are linear and are cross-validated, pieces held out in six parts.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import rankdata

from data.recipes.fitting.cards import parser, write_figures, write_numbers
from data.recipes.training import generate, textures, writing
from data.recipes.training.composition import STYLES, load_styles
from workbench.character.drums import strike_clues
from workbench.character.fitted import FILE
from workbench.character.key import tone_profile
from workbench.character.vocals import RATE, excerpts, voice_clues
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum, resampled
from workbench.media.audio import decode
from workbench.media.speech import speech_probabilities

SPLITS = ("dev", "calibration", "validation")
MAJOR = {"major", "mixolydian", "lydian"}
PARTS = 6
SHRINKAGE = {"key": 3.0, "voice": 1.0, "drums": 3.0}
_DRAWN: list[Any] = []

Rows = NDArray[np.float64]


def watch_keys() -> None:
    """Note every key that a composer draws; to be called before the styles are loaded."""
    for module in (writing, textures):
        draw = vars(module)["draw_key"]

        def drawn(*arguments: Any, _draw: Any = draw, **named: Any) -> Any:
            _DRAWN.append(_draw(*arguments, **named))
            return _DRAWN[-1]

        vars(module)["draw_key"] = drawn


def key_of(split: str, number: int, style: str) -> tuple[int, int] | None:
    """Tonic and mode (0 major, 1 minor) of a piece; None where it has none, or several."""
    rng = np.random.default_rng([number, [*generate.SHARES, "calibration"].index(split)])
    if rng.random() < generate.PULSELESS_SHARE:
        return None
    name = generate._style(generate.Order(number, split, Path(), (), audio=True), rng)
    if name != style:
        return None
    _DRAWN.clear()
    STYLES[name].compose(rng)
    keys = {(int(key.tonic) % 12, 0 if key.mode in MAJOR else 1) for key in _DRAWN}
    return keys.pop() if len(keys) == 1 else None


def heard(path: Path) -> dict[str, Any]:
    """What the models see of a piece."""
    recording = decode(path)
    spectrum = analyze_spectrum(recording.samples, recording.sample_rate)
    sound = excerpts(resampled(recording.samples, recording.sample_rate, RATE))
    return {
        "profile": tone_profile(spectrum.tones, spectrum.tone_midi),
        "voice": voice_clues(sound, speech_probabilities([sound])),
        "drums": strike_clues(spectrum, detect_onsets(spectrum)),
    }


def fit_odds(clues: Rows, truth: NDArray[np.int64], shrinkage: float) -> dict[str, Any]:
    """Logistic regression on standardised clues."""
    mean, scale = clues.mean(axis=0), clues.std(axis=0) + 1e-9
    rows = np.c_[(clues - mean) / scale, np.ones(len(clues))]

    def loss(weights: Rows) -> tuple[float, Rows]:
        odds = rows @ weights
        shrunk = np.r_[weights[:-1], 0.0]
        value = np.logaddexp(0.0, -odds * (2 * truth - 1)).sum() + 0.5 * shrinkage * shrunk @ shrunk
        return float(value), rows.T @ (1 / (1 + np.exp(-odds)) - truth) + shrinkage * shrunk

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    return {"mean": mean, "scale": scale, "weights": found[:-1], "bias": float(found[-1])}


def odds_of(model: dict[str, Any], clues: Rows) -> Rows:
    """Log-odds by a model of `fit_odds`."""
    return np.asarray((clues - model["mean"]) / model["scale"] @ model["weights"] + model["bias"])


def turned(profile: Rows) -> Rows:
    """A profile as each tonic sees it, shape (12, 36)."""
    return np.stack([np.roll(profile, -tonic, axis=1).ravel() for tonic in range(12)])


def fit_key(profiles: Rows, truth: NDArray[np.int64], shrinkage: float) -> dict[str, Any]:
    """Multinomial logistic regression over 24 keys that share two templates; truth has shape (n, 2)."""
    seen = np.stack([turned(profile) for profile in profiles])
    mean = seen.mean(axis=(0, 1))
    seen = seen - mean
    size, at = seen.shape[2], truth[:, 0] * 2 + truth[:, 1]

    def loss(weights: Rows) -> tuple[float, Rows]:
        templates = weights[:-1].reshape(2, size)
        scores = (seen @ templates.T + np.array([0.0, weights[-1]])).reshape(len(seen), 24)
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        value = -np.log(chances[np.arange(len(at)), at] + 1e-12).sum() + 0.5 * shrinkage * weights[:-1] @ weights[:-1]
        chances[np.arange(len(at)), at] -= 1.0
        off = chances.reshape(len(seen), 12, 2)
        slope = np.einsum("ntm,ntd->md", off, seen).ravel() + shrinkage * weights[:-1]
        return float(value), np.r_[slope, off[:, :, 1].sum()]

    found = minimize(loss, np.zeros(2 * size + 1), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return {"mean": mean, "weights": found[:-1].reshape(2, size), "bias": float(found[-1])}


def keys_by(model: dict[str, Any], profiles: Rows) -> NDArray[np.int64]:
    """Tonic and mode of each profile by a model of `fit_key`, shape (n, 2)."""
    scores = np.stack([(turned(profile) - model["mean"]) @ model["weights"].T for profile in profiles])
    scores[:, :, 1] += model["bias"]
    return np.stack(np.divmod(scores.reshape(len(profiles), 24).argmax(axis=1), 2), axis=1)


def area(odds: Rows, truth: NDArray[np.int64]) -> float:
    """Chance that a piece with the thing has higher odds than one without: the area under the curve."""
    ones = int(truth.sum())
    return float((rankdata(odds)[truth == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(truth) - ones)))


def main() -> None:
    """Read the command line."""
    wanted = parser(__doc__)
    wanted.add_argument("--check", action="store_true")
    wanted.add_argument("--pieces", type=int, default=10_000, help="of each split at most")
    options = wanted.parse_args()
    watch_keys()
    load_styles()
    paths = [path for split in SPLITS for path in sorted((options.set / split).glob("*.flac"))[: options.pieces]]
    about = [json.loads(path.with_suffix(".json").read_text()) for path in paths]
    pieces = [heard(path) for path in paths]
    tags = [set(row["tags"]) for row in about]
    voice = np.array([bool({"vocal", "speech"} & own) for own in tags], dtype=np.int64)
    drums = np.array(["drumless" not in own for own in tags], dtype=np.int64)
    keys = [key_of(p.parent.name, int(p.stem), row["style"]) for p, row in zip(paths, about, strict=True)]
    keyed = [at for at, key in enumerate(keys) if key is not None and "varispeed" not in tags[at]]
    part = np.random.default_rng(0).integers(0, PARTS, len(paths))
    models: dict[str, dict[str, Any]] = {}
    for name, truth in (("voice", voice), ("drums", drums)):
        usable = np.array([at for at, piece in enumerate(pieces) if piece[name] is not None])
        clues, truth = np.stack([pieces[at][name] for at in usable]), truth[usable]
        odds = np.zeros(len(usable))
        for out in range(PARTS):
            inside = part[usable] != out
            if inside.all():
                continue
            odds[~inside] = odds_of(fit_odds(clues[inside], truth[inside], SHRINKAGE[name]), clues[~inside])
        card = f"Fitted on {len(usable)} composed pieces, {int(truth.sum())} of them with; held out in {PARTS} parts: "
        card += f"area under the curve {area(odds, truth):.2f}, {np.mean((odds > 0) == truth):.0%} right at one half."
        models[name] = {"card": card, **fit_odds(clues, truth, SHRINKAGE[name])}
    profiles = np.stack([pieces[at]["profile"] for at in keyed])
    truth = np.array([keys[at] for at in keyed])
    right = np.zeros(len(keyed), dtype=bool)
    for out in range(PARTS):
        inside = part[keyed] != out
        if inside.all():
            continue
        model = fit_key(profiles[inside], truth[inside], SHRINKAGE["key"])
        right[~inside] = (keys_by(model, profiles[~inside]) == truth[~inside]).all(axis=1)
    card = (
        f"Fitted on {len(keyed)} composed pieces with a drawn key; held out in {PARTS} parts: {right.mean():.0%} right."
    )
    models = {"key": {"card": card, **fit_key(profiles, truth, SHRINKAGE["key"])}, **models}
    for name, model in models.items():
        print(f"{name}: {model['card']}")
    if not options.check:
        written = {name: {part: _plain(value) for part, value in model.items()} for name, model in models.items()}
        write_numbers(FILE, written)
        write_figures(FILE, [f"- {name}: {model['card']}" for name, model in models.items()])


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.round(value, 5).tolist()
    return round(value, 5) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
