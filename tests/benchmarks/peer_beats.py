"""Beats of files by one tracker, a JSON line a file; runs in the environment that has the tracker.

    .venv/peers-madmom/bin/python tests/benchmarks/peer_beats.py madmom FILE ...
    .venv/peers-madmom/bin/python tests/benchmarks/peer_beats.py madmom --version

`downbeats` is null where the tracker has none; a file on which a tracker raises gives `error` instead. CPU seconds are
the whole process's, from decoded samples to times, after a warm-up on made-up clicks, without resampling. Trackers have
their default settings. Nothing of the project is imported unless the tracker asked for is ours.
"""

from __future__ import annotations

import argparse
import collections
import collections.abc
import json
import sys
import time
import types
import warnings
from collections.abc import Callable
from importlib import metadata

import numpy as np
import soundfile
from numpy.typing import NDArray

Samples = NDArray[np.float32]
Found = tuple[NDArray[np.floating], "NDArray[np.floating] | None"]
Tracker = Callable[[Samples, int], Found]  # samples (channels, n) and their rate -> beats, downbeats

WARM_UP_SECONDS = 12.0


def madmom_on_new_python() -> None:
    """Give madmom 0.16.1 the names that `collections` had until Python 3.9."""
    for name in ("MutableSequence", "Sequence", "Iterable"):
        setattr(collections, name, getattr(collections.abc, name))


def librosa_tracker() -> Tracker:
    """`librosa.beat.beat_track`: dynamic programming over onset strength (Ellis 2007); no downbeats."""
    import librosa

    def track(samples: Samples, rate: int) -> Found:
        _, beats = librosa.beat.beat_track(y=samples.mean(axis=0), sr=rate, units="time")
        return np.asarray(beats), None

    return track


def essentia_tracker() -> Tracker:
    """`RhythmExtractor2013`, method multifeature (Zapata et al. 2014), which wants 44.1 kHz; no downbeats."""
    import essentia.standard as standard

    def track(samples: Samples, rate: int) -> Found:
        mono = np.ascontiguousarray(samples.mean(axis=0))
        if rate != 44_100:
            mono = standard.Resample(inputSampleRate=rate, outputSampleRate=44_100)(mono)
        return standard.RhythmExtractor2013(method="multifeature")(mono)[1], None

    return track


def madmom_tracker() -> Tracker:
    """The recurrent ensemble and its bar-pointer model (Böck et al. 2016), bars of 3 and 4 as its program has them."""
    madmom_on_new_python()
    from madmom.audio.signal import Signal, resample
    from madmom.features import DBNDownBeatTrackingProcessor, RNNDownBeatProcessor

    network = RNNDownBeatProcessor()
    decode = DBNDownBeatTrackingProcessor(beats_per_bar=[3, 4], fps=100)

    def track(samples: Samples, rate: int) -> Found:
        signal = Signal(samples.mean(axis=0), sample_rate=rate)
        found = decode(network(signal if rate == 44_100 else resample(signal, 44_100))).reshape(-1, 2)
        return found[:, 0], found[found[:, 1] == 1, 0]

    return track


def beatnet_tracker() -> Tracker:
    """BeatNet (Heydari et al. 2021) offline: its first model, decoded by madmom's bar-pointer model."""
    madmom_on_new_python()
    sys.modules["pyaudio"] = types.ModuleType("pyaudio")  # imported at the top, used for a microphone alone
    import librosa
    from BeatNet.BeatNet import BeatNet

    estimator = BeatNet(1, mode="offline", inference_model="DBN", plot=[], thread=False)

    def track(samples: Samples, rate: int) -> Found:
        mono = librosa.resample(samples.mean(axis=0), orig_sr=rate, target_sr=22_050)
        found = np.asarray(estimator.process(mono)).reshape(-1, 2)
        return found[:, 0], found[found[:, 1] == 1, 0]

    return track


def our_tracker(activation: str) -> Tracker:
    """`track_beats` with every default but the activation."""
    from workbench.beats.track import track_beats
    from workbench.params import BeatParams
    from workbench.recording import Recording

    params = BeatParams.model_validate({"activation": activation})

    def track(samples: Samples, rate: int) -> Found:
        grid = track_beats(Recording.from_samples(samples, rate), params=params)
        return grid.beats, grid.downbeats

    return track


TRACKERS: dict[str, tuple[str, Callable[[], Tracker]]] = {  # name -> the package whose version it has, how to make it
    "workbench-network": ("barline-workbench", lambda: our_tracker("network")),
    "workbench-onsets": ("barline-workbench", lambda: our_tracker("onsets")),
    "librosa": ("librosa", librosa_tracker),
    "essentia": ("essentia", essentia_tracker),
    "madmom": ("madmom", madmom_tracker),
    "BeatNet": ("BeatNet", beatnet_tracker),
}


def clicks() -> Samples:
    """Noise bursts at 120 BPM, shape (2, n) at 44.1 kHz: something to warm up on."""
    samples = np.zeros((2, int(WARM_UP_SECONDS * 44_100)), dtype=np.float32)
    burst = np.random.default_rng(0).normal(scale=0.2, size=2_000).astype(np.float32)
    for start in range(0, samples.shape[1] - burst.size, 22_050):
        samples[:, start : start + burst.size] += burst
    return samples


def measure(track: Tracker, path: str) -> dict[str, object]:
    """What one file gives; see the head of the module."""
    data, rate = soundfile.read(path, dtype="float32", always_2d=True)
    samples = np.ascontiguousarray(data.T)
    decoded = time.process_time()
    try:
        beats, downbeats = track(samples, rate)
    except Exception as reason:  # noqa: BLE001 - a peer may raise anything; that is a result, and shown as one
        return {"file": path, "error": f"{type(reason).__name__}: {reason}"}
    spent = time.process_time() - decoded
    return {
        "file": path,
        "beats": [float(at) for at in beats],
        "downbeats": None if downbeats is None else [float(at) for at in downbeats],
        "cpu_seconds": spent,
        "seconds": samples.shape[1] / rate,
    }


def main() -> None:
    """Warm up, then print a line for every file; with --version check that the tracker loads, and print its version."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tracker", choices=TRACKERS)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--version", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' own, about newer versions of what they use
    package, make = TRACKERS[asked.tracker]
    track = make()
    if asked.version:
        print(metadata.version(package))
        return
    track(clicks(), 44_100)
    for path in asked.files:
        print(json.dumps(measure(track, path)), flush=True)


if __name__ == "__main__":
    main()
