"""How cheerful music is, by a network that others trained to tag music (musicnn, Pons & Serra).

The network is in `ears.onnx`, whose card is `ears.md`; onnxruntime, of the extra `ears`, runs it. It sees three seconds
at a time as log10(10000 x + 1) of 96 mel bands and gives each of fifty tags a probability; the mean over a recording
counts. Cheerfulness is a fixed sum of six tags, not a fit of fifty tags to a few recordings.

References
----------
J. Pons & X. Serra, "musicnn: pre-trained convolutional neural networks for music audio tagging", ISMIR 2019 (late
breaking). M. Slaney, "Auditory Toolbox", 1998: the mel scale, and bands of equal area.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from workbench.errors import require_extra
from workbench.files import read_model
from workbench.recording import FloatArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MODEL_FILE = "ears.onnx"
RATE = 16_000
"""Hz, sample rate of the sound"""
BANDS, PATCH_FRAMES = 96, 187
_FFT, _HOP = 512, 256
_EVERY = 2  # of the patches; log-odds of the means correlate at 0.997 with those of all, on 36 recordings
TAGS = (
    "rock", "pop", "alternative", "indie", "electronic", "female vocalists", "dance", "00s", "alternative rock",
    "jazz", "beautiful", "metal", "chillout", "male vocalists", "classic rock", "soul", "indie rock", "mellow",
    "electronica", "80s", "folk", "90s", "chill", "instrumental", "punk", "oldies", "blues", "hard rock", "ambient",
    "acoustic", "experimental", "female vocalist", "guitar", "hip-hop", "70s", "party", "country", "easy listening",
    "sexy", "catchy", "funk", "electro", "heavy metal", "progressive rock", "60s", "rnb", "indie pop", "sad", "house",
    "happy",
)  # fmt: skip
"""in the order of the outputs: what listeners call songs"""
_LIGHT, _GRIM = ("happy", "mellow", "easy listening"), ("metal", "ambient", "experimental")
_MIDDLE, _USUAL_ODDS, _SLOPE = 0.55, -1.85, 0.1  # valence of the fit sources, their odds, valence a unit of odds


def tag_chances(samples: FloatArray) -> FloatArray:
    """Mean probability of each of `TAGS` in mono sound at `RATE`, shape (n_tags,); zeros for silence and under 3 s.

    Raises `ExtraMissing` without onnxruntime.
    """
    patches = _patches(samples)
    if not len(patches):
        return np.zeros(len(TAGS))
    chances = [_session().run(None, {"patches": patch[None]})[0][0] for patch in patches[::_EVERY]]
    return np.asarray(np.mean(chances, axis=0, dtype=np.float64))


def _patches(samples: FloatArray) -> FloatArray:
    """The spectrogram in pieces of three seconds, shape (n, PATCH_FRAMES, BANDS); a rest is left out."""
    if float(np.abs(samples).max(initial=0.0)) < 1e-4:
        return np.empty((0, PATCH_FRAMES, BANDS), np.float32)
    frames = log_mel(samples)
    count = len(frames) // PATCH_FRAMES
    return frames[: count * PATCH_FRAMES].reshape(count, PATCH_FRAMES, BANDS)


def cheerfulness(chances: FloatArray) -> float | None:
    """How cheerful music is, 0 sombre to 1, by a few tags for light and for grim music; None for silence."""
    if not chances.any():
        return None
    light, grim = (float(np.mean(_odds(chances, tags))) for tags in (_LIGHT, _GRIM))
    return round(float(np.clip(_MIDDLE + _SLOPE * (light - grim - _USUAL_ODDS), 0.0, 1.0)), 4)


def _odds(chances: FloatArray, tags: tuple[str, ...]) -> FloatArray:
    """Log-odds of some tags."""
    some = np.clip(chances[[TAGS.index(tag) for tag in tags]].astype(np.float64), 1e-6, 1.0 - 1e-6)
    return np.asarray(np.log(some / (1.0 - some)))


def log_mel(samples: FloatArray) -> FloatArray:
    """The spectrogram that the network was trained on, shape (n_frames, BANDS), float32."""
    from scipy import fft

    frames = np.lib.stride_tricks.sliding_window_view(np.pad(samples, _FFT // 2), _FFT)[::_HOP]
    hann = (0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(_FFT) / _FFT)).astype(np.float32)
    power = np.square(np.abs(fft.rfft(frames * hann, axis=1)))
    return np.asarray(np.log10(10_000.0 * (power @ _mel_weights().T) + 1.0), dtype=np.float32)


@cache
def _mel_weights() -> FloatArray:
    """Triangles of equal area on Slaney's mel scale: linear up to 1 kHz, logarithmic beyond; shape (BANDS, n_bins)."""
    knee, step = 15.0, np.log(6.4) / 27.0
    top = knee + np.log(RATE / 2 / 1000.0) / step
    mel = np.linspace(0.0, top, BANDS + 2)
    edges = np.where(mel < knee, mel * 200.0 / 3.0, 1000.0 * np.exp(step * (mel - knee)))
    bins = np.fft.rfftfreq(_FFT, 1.0 / RATE)
    rise = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    weights = np.clip(np.minimum(rise, fall), 0.0, None) * (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return np.asarray(weights.astype(np.float32))


@cache
def _session() -> InferenceSession:
    require_extra("ears", "catalog.ears")
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # catalogs are measured by a process a core
    return InferenceSession(read_model(MODEL_FILE), options, providers=["CPUExecutionProvider"])
