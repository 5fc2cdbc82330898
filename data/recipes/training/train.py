"""Train the beat network on annotated recordings.

    python -m data.recipes.training.train DATASET RUN                 4,000 steps, some 40 minutes on two cores
    python -m data.recipes.training.train DATASET RUN --steps 300     a short training

DATASET is what `workbench.datasets.load` reads: `bundled`, a folder of recordings with their beats beside them, or an
index of mirdata. Recordings without bars are left out, and one in ten is held out to watch the training. RUN gets
`checkpoint.pt`, `log.jsonl` and, at the end, `beat_network.npz`, as `workbench.beats.network` reads it. A training that
was interrupted continues from its checkpoint and ends with the same weights: a batch depends on seed and step alone.

The loss follows Foscarin, Schlüter & Widmer, "Beat This! Accurate beat tracking without DBN postprocessing", ISMIR
2024: cross-entropy that forgives a frame of shift, by taking the greatest activation around a beat and by asking
nothing of the frames beside it. Each step distorts its spectrograms anew, where that is cheap: tempo, tone, a floor of
noise, missing bands, level.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from data.recipes.training import pieces
from data.recipes.training.network import BeatNetwork, beat_logits, export, side_logits
from workbench.beats.network import (
    DIVISIONS,
    FLOOR_DB,
    FRAMES_PER_SECOND,
    METRES,
    N_BANDS,
    N_CHANGES,
    TEMPO_BINS,
    WEIGHTS_FILE,
    compressed_levels,
)
from workbench.lab import datasets

CROP = 3000
"""frames of a training example: a minute"""
BATCH = 8
MEAN_KEEPS = 0.998
"""share of the running mean of the weights that a step leaves"""
HELD_OUT = 10
"""of so many recordings one is held out"""
PEAK_RATE = 3e-3
POSITIVE = (4.0, 6.0)
"""how much a beat and a downbeat weigh against a frame without one"""
SIDE_WEIGHTS = (0.03, 0.08, 0.08)
"""of tempo, metre and division in the loss"""


@dataclass(frozen=True)
class Spoils:
    """How a spectrogram is spoiled; `none` for the ablation and for validation."""

    tempo: float = 0.2
    """spread of the natural logarithm of the tempo's factor, uniform"""
    tone_db: float = 5.0
    """spread of the tone control"""
    noise: float = 0.4
    """how often a floor of noise is added"""
    mask: float = 0.4
    """how often a range of bands is left out"""

    @staticmethod
    def none() -> Spoils:
        """Leave everything as it is."""
        return Spoils(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Example:
    """One minute as the network sees it and what it should say."""

    inputs: NDArray[np.float32]
    targets: NDArray[np.float32]
    """shape (frames, 2), 1 at the frame of a beat, of a downbeat"""
    tempo: NDArray[np.float32]
    """shape (pairs, TEMPO_BINS.size), sums to 1 inside the music and to 0 outside"""
    metre: NDArray[np.int64]
    """shape (pairs,), index; -1 outside and in bars of other lengths"""
    division: NDArray[np.int64]


def example(piece: pieces.Piece, rng: np.random.Generator, spoils: Spoils, crop: int = CROP) -> Example:
    """A random minute of a piece, spoiled."""
    factor = math.exp(rng.uniform(-spoils.tempo, spoils.tempo)) if rng.random() < 0.7 else 1.0
    n_frames = len(piece.levels)
    length = min(n_frames, round(crop * factor))
    first = int(rng.integers(0, n_frames - length + 1))
    at = first + np.arange(min(crop, int(length / factor))) * factor
    levels, changes = _sampled(piece, at)
    inputs = np.zeros((crop, N_BANDS + N_CHANGES), dtype=np.float32)
    inputs[: len(at), :N_BANDS] = compressed_levels(_spoiled(levels, rng, spoils))
    if spoils.tone_db:
        changes = changes * np.float32(rng.uniform(0.6, 1.4))
        if rng.random() < 0.1:
            changes = np.zeros_like(changes)
    inputs[: len(at), N_BANDS:] = changes
    return _with_targets(inputs, piece, first / FRAMES_PER_SECOND, factor, len(at))


def _sampled(piece: pieces.Piece, at: NDArray[np.floating]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Levels in dB and changes at fractional frames."""
    left = np.minimum(at.astype(np.int64), len(piece.levels) - 1)
    right = np.minimum(left + 1, len(piece.levels) - 1)
    share = (at - left).astype(np.float32)[:, None]
    levels = pieces.decibels(piece.levels)
    changes = piece.changes.astype(np.float32) / np.float32(255.0)
    return (
        levels[left] * (1 - share) + levels[right] * share,
        changes[left] * (1 - share) + changes[right] * share,
    )


def _spoiled(levels: NDArray[np.float32], rng: np.random.Generator, spoils: Spoils) -> NDArray[np.float32]:
    """Tone control, a floor of noise, missing bands and another level; dB in and out."""
    bands = np.arange(N_BANDS)
    spoiled = levels
    if spoils.tone_db:
        knots = np.sort(rng.uniform(0, N_BANDS, 5))
        spoiled = spoiled + np.interp(bands, knots, rng.normal(size=5) * spoils.tone_db).astype(np.float32)
        spoiled = spoiled + np.float32(rng.normal() * 3.0)
    if rng.random() < spoils.noise:
        floor = rng.uniform(-60, -18) + np.interp(bands, (0, N_BANDS), rng.uniform(-10, 10, 2))
        flicker = rng.normal(size=spoiled.shape).astype(np.float32) * np.float32(2.5)
        spoiled = np.logaddexp(
            spoiled * np.float32(0.23026), (floor.astype(np.float32) + flicker) * np.float32(0.23026)
        )
        spoiled = spoiled * np.float32(4.3429)
    if rng.random() < spoils.mask:
        spoiled = spoiled.copy()
        if rng.random() < 0.5:
            width = int(rng.integers(3, 16))
            low = int(rng.integers(0, N_BANDS - width))
            spoiled[:, low : low + width] = FLOOR_DB
        elif rng.random() < 0.5:
            spoiled[:, : int(rng.integers(2, 14))] = FLOOR_DB
        else:
            spoiled[:, N_BANDS - int(rng.integers(5, 30)) :] = FLOOR_DB
    return np.maximum(spoiled, np.float32(FLOOR_DB))


def _with_targets(
    inputs: NDArray[np.float32], piece: pieces.Piece, first: float, factor: float, n_frames: int
) -> Example:
    """Frames of the beats that lie inside, and tempo and metre between them."""
    crop = len(inputs)
    beats = (piece.beats - first) / factor
    frames = np.round(beats * FRAMES_PER_SECOND).astype(np.int64)
    inside = (frames >= 0) & (frames < n_frames)
    targets = np.zeros((crop, 2), dtype=np.float32)
    targets[frames[inside], 0] = 1.0
    targets[frames[inside & (piece.positions == 1)], 1] = 1.0
    pairs = crop // 2
    tempo = np.zeros((pairs, TEMPO_BINS.size), dtype=np.float32)
    metre = np.full(pairs, -1, dtype=np.int64)
    division = np.full(pairs, -1, dtype=np.int64)
    if beats.size > 1:
        times = (2 * np.arange(pairs) + 0.5) / FRAMES_PER_SECOND
        which = np.clip(np.searchsorted(beats, times, side="right") - 1, 0, beats.size - 2)
        known = (times >= beats[0]) & (times < beats[-1]) & (times * FRAMES_PER_SECOND < n_frames)
        bpm = 60.0 / (beats[which + 1] - beats[which])
        octaves = np.log2(bpm[:, None] / TEMPO_BINS)
        soft = np.exp(-0.5 * np.square(octaves * 16.0))  # a spread of one bin, a sixteenth of an octave
        tempo = np.where(known[:, None], soft / np.maximum(soft.sum(axis=1, keepdims=True), 1e-9), 0.0).astype(
            np.float32
        )
        named = np.isin(piece.bar_beats[which], METRES)  # a bar of nine teaches nothing about bars of seven
        metre = np.where(known & named, piece.bar_beats[which] - METRES[0], -1)
        if piece.division is not None:
            division = np.where(known, DIVISIONS.index(piece.division), -1)
    return Example(inputs, targets, tempo, metre, division)


def loss_of(heads: Tensor, batch: list[Example]) -> Tensor:
    """Beats and downbeats, forgiving a frame; tempo, metre and division with little weight."""
    logits = beat_logits(heads)
    targets = torch.from_numpy(np.stack([item.targets for item in batch]))
    total = torch.zeros(())
    for k, weight in enumerate(POSITIVE):
        z, t = logits[:, :, k], targets[:, :, k]
        # a missed beat is judged by its best neighbour; the two frames on either side of a beat are no false ones
        near = F.max_pool1d(z[:, None], 3, 1, 1)[:, 0]
        beside = F.max_pool1d(t[:, None], 5, 1, 2)[:, 0]
        missed = (F.softplus(-near) * t).sum()
        false = (F.softplus(z) * (1 - beside)).sum()
        total = total + (weight * missed + false) / z.numel()
    tempo, metre, division = side_logits(heads)
    wanted = torch.from_numpy(np.stack([item.tempo for item in batch]))
    sides = [-(wanted * torch.log_softmax(tempo, dim=2)).sum() / wanted.sum().clamp(min=1)]
    for logit, name in ((metre, "metre"), (division, "division")):
        labels = torch.from_numpy(np.stack([getattr(item, name) for item in batch]))
        sides.append(F.cross_entropy(logit.flatten(0, 1), labels.flatten(), ignore_index=-1))
    for weight, side in zip(SIDE_WEIGHTS, sides, strict=True):
        # a batch without a single label has a mean of nothing, which is NaN
        total = total + weight * torch.nan_to_num(side)
    return total


def frame_f(logits: Tensor, targets: NDArray[np.float32]) -> tuple[float, float]:
    """F of the peaks over even odds, within 40 ms, for beats and downbeats; a quick look, not the benchmark."""
    found = []
    for k in range(2):
        z = logits[:, k]
        peaks = np.flatnonzero(((z >= F.max_pool1d(z[None, None], 9, 1, 4)[0, 0]) & (z > 0)).numpy())
        truth = np.flatnonzero(targets[:, k])
        if not truth.size:
            found.append(float(peaks.size == 0))
            continue
        near = np.abs(peaks[:, None] - truth[None, :]) <= 2 if peaks.size else np.zeros((1, truth.size), dtype=bool)
        hit = float(min(near.any(axis=1).sum(), near.any(axis=0).sum()))
        found.append(2 * hit / (peaks.size + truth.size))
    return found[0], found[1]


@torch.no_grad()
def validate(network: BeatNetwork, held: list[pieces.Piece]) -> dict[str, float]:
    """Loss and quick F over whole pieces."""
    network.eval()
    losses, beat, downbeat = [], [], []
    for piece in held:
        n = len(piece.levels) // 2 * 2
        item = example(piece, np.random.default_rng(0), Spoils.none(), n)
        heads = network(torch.from_numpy(item.inputs[None]))
        losses.append(float(loss_of(heads, [item])))
        b, d = frame_f(beat_logits(heads)[0], item.targets)
        beat.append(b)
        downbeat.append(d)
    network.train()
    return {"loss": float(np.mean(losses)), "beat_f": float(np.mean(beat)), "downbeat_f": float(np.mean(downbeat))}


def _running_mean(mean: Tensor, new: Tensor, n: Tensor | int) -> Tensor:
    """An exponential mean that forgets its beginning quickly, so that short trainings have a mean too."""
    count = float(n)
    keep = min(MEAN_KEEPS, (1.0 + count) / (10.0 + count))
    return torch.lerp(new, mean, keep) if mean.is_floating_point() else new


def rate_at(step: int, steps: int) -> float:
    """Learning rate: it rises over 200 steps, and falls by a cosine over all."""
    fall = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps))
    return PEAK_RATE * min(1.0, (step + 1) / 200) * fall


def train(
    train_set: list[pieces.Piece],
    dev_set: list[pieces.Piece],
    run: Path,
    steps: int,
    seed: int = 0,
    spoils: Spoils | None = None,
    channels: int = 64,
    filters: int = 16,
    every: int = 200,
) -> BeatNetwork:
    """Train for a number of steps, or the rest of them if the folder has a checkpoint of this run.

    Returns the network with the running mean of its weights, which validates better than the weights of the last step.
    """
    torch.manual_seed(seed)
    spoils = spoils or Spoils()
    network = BeatNetwork(channels, filters)
    optimizer = torch.optim.AdamW(network.parameters(), lr=PEAK_RATE, weight_decay=0.02)
    mean = torch.optim.swa_utils.AveragedModel(network, avg_fn=_running_mean, use_buffers=True)
    run.mkdir(parents=True, exist_ok=True)
    checkpoint, log = run / "checkpoint.pt", run / "log.jsonl"
    about = {"seed": seed, "steps": steps, "spoils": asdict(spoils), **network.shape}
    start = 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        if state["run"] != about:
            raise ValueError(f"{checkpoint} belongs to another run ({state['run']}, not {about}): take another folder")
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        mean.load_state_dict(state["mean"])
        start = state["step"]
    _keep_log(log, start)
    began = time.monotonic()
    running = 0.0
    for step in range(start, steps):
        rate = rate_at(step, steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng([seed, step])
        torch.manual_seed(seed * 1_000_003 + step)  # dropout, so that a resumed run is the same run
        batch = [example(train_set[int(rng.integers(len(train_set)))], rng, spoils) for _ in range(BATCH)]
        loss = loss_of(network(torch.from_numpy(np.stack([item.inputs for item in batch]))), batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        mean.update_parameters(network)
        running += float(loss.detach())
        if (step + 1) % every == 0 or step + 1 == steps:
            since = (step + 1 - start) % every or every
            row = {"step": step + 1, "train_loss": running / min(since, step + 1 - start), "rate": rate}
            row |= {f"dev_{name}": value for name, value in validate(mean.module, dev_set).items()} if dev_set else {}
            row["seconds"] = time.monotonic() - began
            running = 0.0
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(" ".join(f"{k} {v:.4g}" for k, v in row.items()), flush=True)
            state = {
                "network": network.state_dict(),
                "optimizer": optimizer.state_dict(),
                "mean": mean.state_dict(),
                "step": step + 1,
                "shape": network.shape,
                "run": about,
            }
            # whole or not at all: a run that is killed here continues from the checkpoint before
            part = checkpoint.with_suffix(".part")
            torch.save(state, part)
            part.replace(checkpoint)
    result: BeatNetwork = mean.module
    return result


def _keep_log(log: Path, steps: int) -> None:
    """Drop the rows of steps that no checkpoint has: they are taken, and logged, once more."""
    if log.exists():
        rows = [line for line in log.read_text().splitlines() if json.loads(line)["step"] <= steps]
        log.write_text("".join(f"{line}\n" for line in rows))


def main() -> None:
    """Read the recordings, train, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", help="bundled, a folder, or an index of mirdata")
    parser.add_argument("run", type=Path, help="folder of the checkpoint, the log and the weights")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    found = [pieces.piece_of(track) for track in datasets.load(options.dataset) if track.grid is not None]
    held_out, learned = found[HELD_OUT - 1 :: HELD_OUT], [p for k, p in enumerate(found) if (k + 1) % HELD_OUT]
    if not learned:
        sys.exit(f"{options.dataset}: no recording has bars")
    network = train(learned, held_out, options.run, options.steps, options.seed)
    weights = options.run / WEIGHTS_FILE
    export(network, weights, {"dataset": options.dataset, "steps": options.steps, "seed": options.seed})
    print(f"{weights}: {weights.stat().st_size / 1000:.0f} kB, {len(learned)} recordings, {len(held_out)} held out")


if __name__ == "__main__":
    main()
