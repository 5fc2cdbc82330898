"""Time by stage as a ratio to the floor, the time of a plan, and peak memory.

    python -m tests.benchmarks.run speed

The floor is decoding the file and one 2048-point STFT at 100 frames a second of its mono sum, measured in the same run;
CPU seconds, the least of three runs each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import scipy.fft
import soundfile

from tests.benchmarks.table import Table, cpu
from tests.benchmarks.tracks import bundled
from workbench.beats.track import track_beats_in
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.media.audio import decode
from workbench.params import BeatParams
from workbench.plans.loop import plan_loop
from workbench.recording import FloatArray
from workbench.seams.build_profile import loop_profile
from workbench.seams.profile import LoopProfile

WANTED_RATIO = 4.0
WANTED_MB = {600.0: 400.0, 7200.0: 1500.0}  # by the length of the recording, s
VIDEOS = {"10 min": (600.0, 20.0), "1 h": (3600.0, 20.0), "10 h": (36_000.0, 150.0)}  # s, and the aim in ms


def stft(mono: FloatArray, rate: int) -> None:
    """One 2048-point STFT at 100 frames a second, magnitudes, in blocks that stay in the processor's cache."""
    hop = rate // 100
    frames = np.lib.stride_tricks.sliding_window_view(mono, 2048)[::hop]
    window = np.hanning(2048).astype(np.float32)
    for first in range(0, len(frames), 256):
        np.abs(scipy.fft.rfft(frames[first : first + 256] * window, axis=1))


def stages() -> tuple[Table, list[LoopProfile]]:
    """CPU seconds by stage for three tracks of different length, and their profiles."""
    table = Table(
        "Analysis by stage, CPU seconds",
        ["track", "length s", "decode", "STFT", "spectrum", "beats", "loops", "ratio", "aim"],
    )
    profiles = []
    tracks = sorted((s for s in bundled() if s.is_song), key=lambda s: s.path.stat().st_size)
    for track in (tracks[0], tracks[len(tracks) // 2], tracks[-1]):
        recording = decode(track.path)
        mono = recording.mono()
        decoding = cpu(partial(decode, track.path))
        floor = cpu(partial(stft, mono, recording.sample_rate))
        spectrum = analyze_spectrum(mono, recording.sample_rate)
        grid = track_beats_in(spectrum, BeatParams(), detect_onsets(spectrum))
        seeing = cpu(partial(analyze_spectrum, mono, recording.sample_rate))
        beating = cpu(partial(track_beats_in, spectrum, BeatParams()))
        looping = cpu(partial(loop_profile, recording, grid))
        ratio = (decoding + seeing + beating + looping) / (decoding + floor)
        table.add(track.name, recording.duration, decoding, floor, seeing, beating, looping, ratio, WANTED_RATIO)
        profiles.append(loop_profile(recording, grid))
    table.notes.append(
        "Ratio: decode, spectrum, beats and loops over decode and STFT. Warm kernels, one thread's CPU time."
    )
    return table, profiles


def plans(profiles: list[LoopProfile]) -> Table:
    """Milliseconds of a plan from a warm profile."""
    table = Table("A plan from a warm analysis, ms", ["video", "median", "longest", "aim"])
    for name, (seconds, aim) in VIDEOS.items():
        spent = [1000 * cpu(partial(plan_loop, profile, seconds)) for profile in profiles]
        table.add(name, float(np.median(spent)), max(spent), aim)
    return table


MEMORY_PROGRAM = """
import json, re, sys
from pathlib import Path
import workbench as wb
def peak():  # not getrusage: its figure is carried over from the parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
with wb.open(sys.argv[2]) as workspace:
    wb.analyze(workspace, sys.argv[1])
print(json.dumps(peak()))
"""


def memory() -> Table:
    """Peak memory of analysing a long recording, a bundled track several times over (Linux)."""
    table = Table("Peak memory, MB", ["what", "peak", "aim"])
    samples, rate = max((s for s in bundled() if s.is_song), key=lambda s: s.path.stat().st_size).samples()
    for seconds, aim in WANTED_MB.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.flac"
            with soundfile.SoundFile(path, "w", rate, samples.shape[0]) as file:
                for first in range(0, round(seconds * rate), samples.shape[1]):
                    file.write(samples[:, : round(seconds * rate) - first].T)
            done = subprocess.run(
                [sys.executable, "-c", MEMORY_PROGRAM, str(path), folder], capture_output=True, text=True, check=True
            )
        peak = json.loads(done.stdout.splitlines()[-1])
        table.add(f"analysis of a {seconds / 60:.0f} min track, whole process", peak, aim)
    return table


def run() -> list[Table]:
    """All tables."""
    by_stage, profiles = stages()
    return [by_stage, plans(profiles), memory()]
