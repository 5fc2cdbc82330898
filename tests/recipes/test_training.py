"""Training: targets stay on their beats, the loss rewards what is right, runs repeat and resume, exports agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import SupportsIndex

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is missing; make test installs it")

import torch

import workbench as wb
from data.recipes.training.network import N_HEADS, BeatNetwork, beat_logits, export, side_logits
from data.recipes.training.pieces import Piece, bar_lengths, piece_of
from data.recipes.training.train import Example, Spoils, example, loss_of, train
from workbench.beats.grid import BeatGrid
from workbench.beats.network import (
    DIVISIONS,
    FRAMES_PER_SECOND,
    METRES,
    N_BANDS,
    N_CHANGES,
    N_INPUTS,
    TEMPO_BINS,
    run,
)
from workbench.features.temporal_network import unpack

STRETCHED_ONLY = Spoils(tempo=0.2, tone_db=0.0, noise=0.0, mask=0.0)


def clicks(seconds: float = 80.0, bpm: float = 120.0, beats_per_bar: int = 4) -> Piece:
    """A piece in which every beat is a loud frame, the first a second after the beginning."""
    beats = np.arange(1.0, seconds - 2.0, 60.0 / bpm)
    levels = np.full((round(seconds * FRAMES_PER_SECOND), N_BANDS), 60, dtype=np.uint8)
    levels[np.round(beats * FRAMES_PER_SECOND).astype(int)] = 220
    positions = np.arange(beats.size) % beats_per_bar + 1
    changes = np.zeros((len(levels), N_CHANGES), dtype=np.uint8)
    return Piece(levels, changes, beats, positions, np.full(beats.size, beats_per_bar), 2)


def whole(piece: Piece) -> Example:
    return example(piece, np.random.default_rng(0), Spoils.none(), len(piece.levels))


@pytest.mark.parametrize("seed", range(6))
def test_beats_stay_on_their_clicks_at_any_tempo(seed: int) -> None:
    drawn = example(clicks(), np.random.default_rng(seed), STRETCHED_ONLY, crop=2000)
    loud = drawn.inputs[:, :N_BANDS].mean(axis=1)
    beats = np.flatnonzero(drawn.targets[:, 0])
    assert beats.size > 50
    for beat in beats[1:-1]:
        assert abs(int(np.argmax(loud[beat - 5 : beat + 6])) - 5) <= 1
    downbeats = np.flatnonzero(drawn.targets[:, 1])
    assert set(downbeats) <= set(beats)
    assert set(np.diff(np.searchsorted(beats, downbeats))) == {4}
    bpm = 60 * FRAMES_PER_SECOND / np.diff(beats).mean()
    heard = TEMPO_BINS[int(np.argmax(drawn.tempo[len(drawn.tempo) // 2]))]
    assert heard == pytest.approx(bpm, rel=0.04)


def test_tempi_are_drawn_on_both_sides() -> None:
    intervals = [
        np.diff(np.flatnonzero(example(clicks(), np.random.default_rng(seed), STRETCHED_ONLY).targets[:, 0])).mean()
        for seed in range(12)
    ]
    assert min(intervals) < 23
    assert max(intervals) > 27


def test_targets_say_tempo_metre_and_division_between_the_beats_only() -> None:
    piece = clicks(seconds=20.0, bpm=90.0, beats_per_bar=3)
    wanted = whole(piece)
    assert np.flatnonzero(wanted.targets[:, 0]).tolist() == np.round(piece.beats * FRAMES_PER_SECOND).tolist()
    assert wanted.targets[:, 1].sum() == (piece.positions == 1).sum()
    inside = wanted.metre >= 0
    assert inside.sum() * 2 / FRAMES_PER_SECOND == pytest.approx(np.ptp(piece.beats), abs=0.1)
    assert not inside[: FRAMES_PER_SECOND // 2].any()
    assert not inside[-FRAMES_PER_SECOND // 2 :].any()
    assert set(wanted.metre[inside]) == {METRES.index(3)}
    assert set(wanted.division[inside]) == {DIVISIONS.index(2)}
    assert wanted.tempo.sum(axis=1) == pytest.approx(inside.astype(float), abs=1e-5)
    assert TEMPO_BINS[np.argmax(wanted.tempo[inside], axis=1)] == pytest.approx(90.0, rel=0.03)


def test_a_bar_of_a_length_that_has_no_name_teaches_no_metre() -> None:
    wanted = whole(clicks(seconds=20.0, beats_per_bar=9))
    assert set(wanted.metre) == {-1}
    assert set(wanted.division) > {-1}


def said(wanted: Example, late: int = 0, bpm: float | None = None) -> torch.Tensor:
    """Heads of a network that is sure of the beats, `late` frames behind, and of a tempo."""
    heads = torch.zeros(1, len(wanted.targets) // 2, N_HEADS)
    heads[0, :, :4] = torch.from_numpy(12 * np.roll(wanted.targets, late, axis=0) - 6).reshape(-1, 4)
    if bpm is not None:
        heads[0, :, 4 + int(np.argmin(np.abs(TEMPO_BINS - bpm)))] = 4.0
    return heads


def test_the_loss_forgives_a_frame_and_no_more() -> None:
    wanted = whole(clicks(seconds=20.0))
    right, near, late, nothing = (
        float(loss_of(heads, [wanted]))
        for heads in (said(wanted), said(wanted, 1), said(wanted, 4), torch.zeros_like(said(wanted)))
    )
    assert near == pytest.approx(right, rel=1e-3)
    assert right < 0.5 * nothing
    assert right < 0.5 * late


def test_the_loss_is_lower_for_the_right_tempo() -> None:
    wanted = whole(clicks(seconds=20.0))
    assert loss_of(said(wanted, bpm=120.0), [wanted]) < loss_of(said(wanted, bpm=60.0), [wanted])


def test_a_piece_without_a_pulse_asks_for_silence() -> None:
    piece = clicks(seconds=20.0)
    none = np.zeros(0, dtype=np.int64)
    wanted = whole(Piece(piece.levels, piece.changes, np.zeros(0), none, none, 2))
    silent = torch.zeros(1, len(wanted.targets) // 2, N_HEADS)
    silent[:, :, :4] = -6.0
    assert torch.isfinite(loss_of(silent, [wanted]))
    assert loss_of(silent, [wanted]) < loss_of(torch.zeros_like(silent), [wanted])


class TakenAway(list[Piece]):
    """A training set that is interrupted at the given draw."""

    def __init__(self, of: list[Piece], draws: int) -> None:
        super().__init__(of)
        self.left = draws

    def __getitem__(self, index: SupportsIndex) -> Piece:  # type: ignore[override]  # never asked for a slice
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().__getitem__(index)


def small_run(train_set: list[Piece], folder: Path) -> dict[str, torch.Tensor]:
    dev_set = [clicks(seconds=20.0, bpm=140.0)]
    return train(train_set, dev_set, folder, steps=4, seed=3, channels=8, filters=2, every=2).state_dict()


@pytest.mark.slow
def test_a_run_repeats_and_an_interrupted_one_ends_the_same(tmp_path: Path) -> None:
    train_set = [clicks(seconds=30.0, bpm=bpm) for bpm in (80.0, 120.0, 150.0)]
    uninterrupted = small_run(train_set, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        small_run(TakenAway(train_set, draws=20), tmp_path / "resumed")
    with (tmp_path / "resumed" / "log.jsonl").open("a") as log:
        log.write('{"step": 4}\n')  # as a run leaves it that ends between its log and its checkpoint
    resumed = small_run(train_set, tmp_path / "resumed")
    for name, tensor in uninterrupted.items():
        assert torch.equal(tensor, resumed[name]), name
    logs = [
        [json.loads(line) | {"seconds": 0} for line in (tmp_path / name / "log.jsonl").read_text().splitlines()]
        for name in ("whole", "resumed")
    ]
    assert [row["step"] for row in logs[0]] == [2, 4]
    assert logs[0] == logs[1]


def far_from_start() -> BeatNetwork:
    """A network whose normalization has something to fold in."""
    torch.manual_seed(1)
    network = BeatNetwork(channels=16, filters=4)
    for layer in network.modules():
        if isinstance(layer, torch.nn.BatchNorm1d | torch.nn.BatchNorm2d):
            layer.running_mean = 0.1 * torch.randn(layer.num_features)
            layer.running_var = 0.5 + torch.rand(layer.num_features)
            torch.nn.init.uniform_(layer.weight, 0.7, 1.3)
            torch.nn.init.normal_(layer.bias, 0.0, 0.1)
    return network.eval()


def test_exported_weights_say_in_numpy_what_torch_says(tmp_path: Path) -> None:
    network = far_from_start()
    inputs = np.random.default_rng(2).random((1202, N_INPUTS), dtype=np.float32)
    with torch.no_grad():
        heads = network(torch.from_numpy(inputs[None]))
    export(network, tmp_path / "network.npz", {"seed": 1})
    with np.load(tmp_path / "network.npz") as packed:
        assert json.loads(packed["about"].tobytes()) == {"seed": 1}
        heard = run(inputs, unpack(packed))
    log_odds = beat_logits(heads)[0].numpy()
    assert np.std(log_odds, axis=0).min() > 0.05
    np.testing.assert_allclose(np.stack((heard.beat, heard.downbeat), axis=1), log_odds, atol=1e-2)
    for side, logits in zip((heard.tempo, heard.metre, heard.division), side_logits(heads), strict=True):
        np.testing.assert_allclose(side, torch.log_softmax(logits[0], dim=1).numpy(), atol=1e-2)


def test_an_annotated_recording_is_heard_and_an_unannotated_division_teaches_nothing() -> None:
    track = wb.datasets.bundled()["top_of_the_hour"]
    assert track.grid is not None
    piece = piece_of(track)
    assert piece.beats.tolist() == track.grid.beats.tolist()
    assert len(piece.levels) == len(piece.changes) >= piece.beats[-1] * FRAMES_PER_SECOND
    wanted = whole(Piece(piece.levels, piece.changes, piece.beats, piece.positions, piece.bar_beats))
    assert set(wanted.division) == {-1}
    assert set(wanted.metre) > {-1}
    assert torch.isfinite(loss_of(said(wanted), [wanted]))


def test_an_incomplete_bar_counts_as_a_whole_one() -> None:
    grid = BeatGrid(np.arange(10.0), np.array([3, 4, 1, 2, 3, 1, 2, 3, 4, 1]), 4)
    assert bar_lengths(grid).tolist() == [4, 4, 3, 3, 3, 4, 4, 4, 4, 4]
