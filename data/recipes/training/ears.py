"""Convert `ears.onnx`: a musicnn network of Pons & Serra, which tags music, for onnxruntime.

    python -m data.recipes.training.ears [--set SET]

The wheel of `musicnn` 0.1.0 is fetched into SET; the package itself needs a TensorFlow of 2019 and is not installed.
Its checkpoint is an index, an uncompressed LevelDB table of protocol buffers, and one file of raw numbers. The network
is written as its `models.py` builds it, in inference: batch normalisation by stored moments, no dropout. Needs the
package `onnx`, which nothing else here does (`pip install onnx`).

References
----------
J. Pons & X. Serra, "musicnn: pre-trained convolutional neural networks for music audio tagging", ISMIR 2019 (late
breaking).
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.recipes.fitting.cards import parser
from workbench.features.ears import BANDS, MODEL_FILE, PATCH_FRAMES, TAGS
from workbench.files import model_path

WHEEL = "musicnn-0.1.0-py3-none-any.whl"
CHECKPOINT = "MSD_musicnn"
EPSILON = 1e-3
"""of batch normalisation in TensorFlow"""

Weights = dict[str, NDArray[np.float32]]


def checkpoint(wheel: Path, name: str) -> Weights:
    """The variables of a checkpoint in the wheel, by name, without those of the optimiser."""
    with zipfile.ZipFile(wheel) as archive:
        index, data = (archive.read(f"musicnn/{name}/{part}") for part in (".index", ".data-00000-of-00001"))
    _, at = _varint(index, len(index) - 48)  # the footer: two blocks' offsets and sizes, of which the second counts
    _, at = _varint(index, at)
    found: Weights = {}
    for _, block in _entries(index, at):
        for key, entry in _entries(block, 0, inner=index):
            numbers = dict(_fields(entry))
            if not key or b"Adam" in key or numbers.get(1) != 1:  # 1 is DT_FLOAT
                continue
            shape = [dict(_fields(size)).get(1, 0) for tag, size in _fields(numbers.get(2, b"")) if tag == 2]
            start, size = numbers.get(4, 0), numbers.get(5, 0)
            found[key.decode()] = np.frombuffer(data[start : start + size], "<f4").reshape(shape)
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def _entries(handle: bytes, at: int, inner: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of the LevelDB block that a handle names, an offset and a size."""
    start, at = _varint(handle, at)
    size, _ = _varint(handle, at)
    block = (handle if inner is None else inner)[start : start + size]
    end = size - 4 - 4 * int.from_bytes(block[-4:], "little")  # restart points, and how many
    at, key = 0, b""
    while at < end:
        shared, at = _varint(block, at)
        new, at = _varint(block, at)
        length, at = _varint(block, at)
        key, at = key[:shared] + block[at : at + new], at + new
        yield key, block[at : at + length]
        at += length


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and values of the fields of a protocol buffer."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
        elif tag & 7 == 5:
            at += 4
        else:
            size, at = _varint(message, at)
            yield tag >> 3, message[at : at + size]
            at += size


class _Graph:
    """An ONNX graph that grows node by node; each method returns the name of its output."""

    def __init__(self, weights: Weights) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.weights = weights

    def node(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def weight(self, name: str, *axes: int) -> str:
        """A variable, its axes in another order; stored in half precision, which moves log-odds by 0.02 at most."""
        from onnx import TensorProto, numpy_helper

        value = self.weights[name].astype(np.float16)
        value = value.transpose(axes) if axes else value
        stored = f"weight_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), stored))
        return self.node("Cast", stored, to=TensorProto.FLOAT)

    def norm(self, x: str, at: int) -> str:
        name = f"batch_normalization_{at}" if at else "batch_normalization"
        parts = [self.weight(f"{name}/{part}") for part in ("gamma", "beta", "moving_mean", "moving_variance")]
        return self.node("BatchNormalization", x, *parts, epsilon=EPSILON)

    def conv(self, x: str, at: int, pads: tuple[int, int, int, int]) -> str:
        """Convolution, rectifier, batch normalisation; the first norm belongs to the input."""
        name = f"conv2d_{at}" if at else "conv2d"
        convolved = self.node(
            "Conv", x, self.weight(f"{name}/kernel", 3, 2, 0, 1), self.weight(f"{name}/bias"), pads=pads
        )
        return self.norm(self.node("Relu", convolved), at + 1)

    def dense(self, x: str, name: str) -> str:
        return self.node("Gemm", x, self.weight(f"{name}/kernel"), self.weight(f"{name}/bias"))

    def network(self, channel: str) -> str:
        """From `patches` to log-odds of the tags; `channel` is the number of that axis."""
        x = self.norm(self.node("Unsqueeze", "patches", channel), 0)  # (n, 1, time, band)
        # musically motivated front end: high filters for timbres, wide ones for rhythms, each at its strongest band
        pads = [(3, 0, 3, 0)] * 2 + [((size - 1) // 2, 0, size // 2, 0) for size in (128, 64, 32)]
        heard = [self.node("ReduceMax", self.conv(x, at, pad), axes=[3], keepdims=0) for at, pad in enumerate(pads)]
        front = self.node("Unsqueeze", self.node("Concat", *heard, axis=1), channel)  # (n, 1, filter, time)
        layers = [self.node("Transpose", front, perm=[0, 1, 3, 2])]
        for at in (5, 6, 7):  # dense mid end: each layer sees all filters of the one before, and adds to it
            layer = self.node("Transpose", self.conv(layers[-1], at, (3, 0, 3, 0)), perm=[0, 3, 2, 1])
            layers.append(layer if at == 5 else self.node("Add", layer, layers[-1]))
        every = self.node("Concat", *layers, axis=3)
        pooled = [self.node(kind, every, axes=[2], keepdims=0) for kind in ("ReduceMax", "ReduceMean")]
        # as TensorFlow flattens (n, filter, 2): maximum and mean of a filter side by side
        flat = self.node("Flatten", self.node("Transpose", self.node("Concat", *pooled, axis=1), perm=[0, 2, 1]))
        return self.dense(self.norm(self.node("Relu", self.dense(self.norm(flat, 9), "dense")), 10), "dense_1")


def network(weights: Weights) -> bytes:
    """The network as ONNX: log mel spectrograms, (n, PATCH_FRAMES, BANDS), to probabilities of tags, (n, n_tags)."""
    from onnx import TensorProto, checker, helper, numpy_helper

    graph = _Graph(weights)
    graph.constants.append(numpy_helper.from_array(np.array([1]), "channel"))
    graph.node("Sigmoid", graph.network("channel"), output="tags")
    shapes: list[tuple[str, list[str | int | None]]] = [
        ("patches", ["n", PATCH_FRAMES, BANDS]),
        ("tags", ["n", len(TAGS)]),
    ]
    inputs, outputs = ([helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name, shape in shapes)
    model = helper.make_model(
        helper.make_graph(graph.nodes, "musicnn", inputs, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
    )  # fmt: skip
    checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


def main() -> None:
    """Fetch the wheel, convert, write."""
    folder: Path = parser(__doc__).parse_args().set
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / WHEEL).exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "musicnn==0.1.0"]
        subprocess.run(pip, check=True)
    model_path(MODEL_FILE).write_bytes(network(checkpoint(folder / WHEEL, CHECKPOINT)))


if __name__ == "__main__":
    main()
