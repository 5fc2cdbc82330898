"""The beat network as PyTorch trains it; `workbench.beats.network` runs the same thing in numpy.

A temporal convolutional network (Davies & Böck, "Temporal convolutional networks for musical audio beat tracking",
EUSIPCO 2019; Böck & Davies, "Deconstruct, analyse, reconstruct", ISMIR 2020), not causal. One convolution over time
and frequency at 50 frames a second; pairs of frames become one; residual blocks with doubling dilation at 25 frames a
second see about 80 s; the heads speak for both frames of a pair again, so that beats keep a resolution of 20 ms.

Outputs, a frame: log-odds of a beat and of a downbeat; and, a pair of frames, the tempo in 42 log-spaced bins from 40
to 240 BPM, the beats of the bar (2 to 7) and the division of the beat (2 or 3), which make the network listen for metre
and help the decoder to choose between readings.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from workbench.beats.network import DIVISIONS, METRES, N_BANDS, N_CHANGES, TEMPO_BINS

N_HEADS = 2 * 2 + TEMPO_BINS.size + len(METRES) + len(DIVISIONS)
"""beat and downbeat of two frames, tempo, metre, division"""
_KERNEL = 5


class ConvBlock(nn.Module):
    """A dilated convolution and a mix of channels, added to what came in."""

    def __init__(self, channels: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.convolve = nn.Conv1d(channels, channels, _KERNEL, dilation=dilation, padding=2 * dilation, bias=False)
        self.normal = nn.BatchNorm1d(channels)
        self.mix = nn.Conv1d(channels, channels, 1)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (batch, channels, pairs) in and out."""
        hidden = torch.relu(self.normal(self.convolve(x)))
        return x + self.mix(self.dropout(hidden))


class BeatNetwork(nn.Module):
    """From (batch, frames, N_BANDS + N_CHANGES) to (batch, pairs, N_HEADS); an even number of frames."""

    def __init__(self, channels: int = 64, filters: int = 16, levels: int = 9, dropout: float = 0.15) -> None:
        super().__init__()
        self.shape = {"channels": channels, "filters": filters, "levels": levels}
        self.front = nn.Conv2d(1, filters, (5, 6), stride=(1, 3), padding=(2, 0), bias=False)
        self.front_normal = nn.BatchNorm2d(filters)
        positions = (N_BANDS - 6) // 3 + 1
        self.gather = nn.Linear(2 * (filters * positions + N_CHANGES), channels, bias=False)
        self.gather_normal = nn.BatchNorm1d(channels)
        self.dropout = nn.Dropout1d(dropout)
        dilations = [*(2**level for level in range(levels)), 1]
        self.blocks = nn.ModuleList(ConvBlock(channels, dilation, dropout) for dilation in dilations)
        self.heads = nn.Linear(channels, N_HEADS)

    def forward(self, inputs: Tensor) -> Tensor:
        """All heads; see the module."""
        batch, frames, _ = inputs.shape
        bands = inputs[:, None, :, :N_BANDS]
        x = torch.relu(self.front_normal(self.front(bands)))
        x = x.permute(0, 2, 1, 3).reshape(batch, frames, -1)
        x = torch.cat((x, inputs[:, :, N_BANDS:]), dim=2).reshape(batch, frames // 2, -1)
        x = self.gather(x).permute(0, 2, 1)
        x = self.dropout(torch.relu(self.gather_normal(x)))
        for block in self.blocks:
            x = block(x)
        heads: Tensor = self.heads(torch.relu(x).permute(0, 2, 1))
        return heads


def beat_logits(heads: Tensor) -> Tensor:
    """Log-odds of beat and downbeat, shape (batch, frames, 2)."""
    batch, pairs, _ = heads.shape
    return heads[:, :, :4].reshape(batch, 2 * pairs, 2)


def side_logits(heads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Logits of tempo, metre and division, shape (batch, pairs, n) each."""
    tempo, metre, division = torch.split(heads[:, :, 4:], [TEMPO_BINS.size, len(METRES), len(DIVISIONS)], dim=2)
    return tempo, metre, division


def export(network: BeatNetwork, path: Path, about: dict[str, object]) -> None:
    """Write the weights as `workbench.beats.network` reads them: normalization folded in, half precision.

    `about` is written into the file as JSON: data, seed, steps, figures.
    """
    network.eval()
    blocks = [block for block in network.blocks if isinstance(block, ConvBlock)]
    arrays: dict[str, np.ndarray] = {}

    def folded(weight: Tensor, normal: nn.BatchNorm1d | nn.BatchNorm2d) -> tuple[np.ndarray, np.ndarray]:
        assert normal.running_var is not None
        assert normal.running_mean is not None
        scale = normal.weight / torch.sqrt(normal.running_var + normal.eps)
        bias = normal.bias - normal.running_mean * scale
        return (weight * scale.reshape(-1, *[1] * (weight.ndim - 1))).detach().numpy(), bias.detach().numpy()

    front, arrays["front_bias"] = folded(network.front.weight, network.front_normal)
    arrays["front"] = front[:, 0]
    arrays["gather"], arrays["gather_bias"] = folded(network.gather.weight, network.gather_normal)
    for k, block in enumerate(blocks):
        arrays[f"convolve_{k}"], arrays[f"convolve_bias_{k}"] = folded(block.convolve.weight, block.normal)
        arrays[f"mix_{k}"] = block.mix.weight.detach().numpy()[:, :, 0]
        arrays[f"mix_bias_{k}"] = block.mix.bias.detach().numpy()
    arrays["dilations"] = np.array([block.convolve.dilation[0] for block in blocks], dtype=np.int32)
    arrays["heads"] = network.heads.weight.detach().numpy()
    arrays["heads_bias"] = network.heads.bias.detach().numpy()
    packed: dict[str, Any] = {name: a if a.dtype == np.int32 else a.astype(np.float16) for name, a in arrays.items()}
    packed["about"] = np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8)
    np.savez(path, **packed)
