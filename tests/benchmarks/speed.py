"""Time by stage as a ratio to the floor, a cold and a warm command, peak memory, and the time of a plan.

The floor is what no analysis can do without: decoding the file and taking one 2048-point STFT at 100 frames a second
of its mono sum. It is measured in the same run, on the same file; CPU seconds, the least of three runs each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import scipy.fft
import soundfile

from tests.benchmarks.table import Table
from tests.benchmarks.tracks import bundled
from workbench.beats.track import track_beats_in
from workbench.features.onsets import detect_onsets
from workbench.features.spectrum import analyze_spectrum
from workbench.media.audio import decode
from workbench.params import BeatParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray
from workbench.render.playback import render_blocks
from workbench.seams.build_profile import loop_profile
from workbench.seams.profile import LoopProfile

WANTED_RATIO = 4.0
WANTED_COLD = 0.012  # CPU seconds a second of sound
WANTED_MB = {600.0: 400.0, 7200.0: 1500.0}  # by the length of the recording, s
WANTED_PLAN_MS = {"10 min": 20.0, "1 h": 20.0, "10 h": 150.0}
VIDEOS = {"10 min": 600.0, "1 h": 3600.0, "10 h": 36_000.0}


def cpu(work: Callable[[], object], times: int = 3) -> float:
    """CPU seconds of the quickest of several runs."""
    spent = []
    for _ in range(times):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent)


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
        onsets = detect_onsets(spectrum)
        grid = track_beats_in(spectrum, BeatParams(), onsets)
        seeing = cpu(partial(analyze_spectrum, mono, recording.sample_rate))
        beating = cpu(partial(track_beats_in, spectrum, BeatParams()))
        looping = cpu(partial(loop_profile, recording, grid))
        whole = decoding + seeing + beating + looping
        ratio = whole / (decoding + floor)
        table.add(track.name, recording.duration, decoding, floor, seeing, beating, looping, ratio, WANTED_RATIO)
        profiles.append(loop_profile(recording, grid))
    table.notes.append(
        "Ratio: decode, spectrum, beats and loops over decode and STFT. Warm kernels, one thread's CPU time."
    )
    return table, profiles


def plans(profiles: list[LoopProfile]) -> Table:
    """Milliseconds of a plan from a warm profile."""
    table = Table("A plan from a warm analysis, ms", ["video", "median", "longest", "segments", "aim"])
    for name, seconds in VIDEOS.items():
        spent, segments = [], 0
        for profile in profiles:
            spent.append(1000 * cpu(partial(plan_loop, profile, seconds)))
            plan = plan_loop(profile, seconds)
            segments = max(segments, len(plan.segments) if isinstance(plan, LoopPlan) else 0)
        table.add(name, float(np.median(spent)), max(spent), segments, WANTED_PLAN_MS[name])
    return table


def rendering(profiles: list[LoopProfile]) -> Table:
    """Speed of the renderer, as a multiple of real time."""
    table = Table("Render of an hour, times real time", ["what", "times real time"])
    tracks = sorted((s for s in bundled() if s.is_song), key=lambda s: s.path.stat().st_size)
    recording = decode(tracks[len(tracks) // 2].path)
    plan = plan_loop(profiles[1], 3600.0)
    if isinstance(plan, LoopPlan):
        spent = cpu(lambda: sum(block.shape[1] for block in render_blocks(plan, recording)), times=1)
        table.add("plan to float32 blocks", 3600.0 / spent)
    return table


def cpu_of(*command: str, keeps: bool = False, times: int = 5) -> float:
    """CPU seconds of a whole process, the median of several runs; one that keeps state gets a new home each time."""
    # An installed package has its bytecode; without it, each process compiles all sources anew.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    spent = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as home:
            whole = [sys.executable, *command, *(("--home", home) if keeps else ())]
            process = subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            _, process.returncode, used = os.wait4(process.pid, 0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(whole)} failed")
        spent.append(used.ru_utime + used.ru_stime)
    return float(np.median(spent))


def cold() -> Table:
    """CPU seconds of commands that find nothing stored, from the start of their process to its end (Linux)."""
    table = Table(
        "One cold command, CPU seconds",
        ["command", "track", "length s", "floor", "whole", "a second of sound", "aim"],
    )
    track = min((s for s in bundled() if s.is_song), key=lambda s: abs(soundfile.info(s.path).duration - 100.0))
    length = soundfile.info(track.path).duration
    read = "import sys; from pathlib import Path; from workbench.media.audio import decode; decode(Path(sys.argv[1]))"
    floor = cpu_of("-c", read, str(track.path))
    for name, arguments, aim in (("beats", [], None), ("loop", ["--seconds", "300"], WANTED_COLD)):
        whole = cpu_of("-m", "workbench", name, str(track.path), *arguments, keeps=True)
        table.add(name, track.name, length, floor, whole, whole / length, aim)
    for words in (("--help",), ("match", "--help")):
        table.add(" ".join(words), None, None, None, cpu_of("-m", "workbench", *words), None, None)
    table.notes.append("Floor: start Python, load numpy and the decoder, decode the file. Kernels compiled beforehand.")
    return table


def warm() -> Table:
    """CPU seconds of commands that find everything stored, from the start of their process to its end (Linux)."""
    table = Table("One warm command, CPU seconds", ["command", "python", "numpy", "libraries", "whole"])
    track = str(
        min((s for s in bundled() if s.is_song), key=lambda s: abs(soundfile.info(s.path).duration - 100.0)).path
    )
    python, numpy = cpu_of("-c", "pass", times=15), cpu_of("-c", "import numpy", times=15)
    floor = cpu_of("-c", "import click, numpy, pydantic_settings, zarr", times=15)
    with tempfile.TemporaryDirectory() as folder:
        plan, seams = Path(folder) / "plan.json", str(Path(folder) / "seams.csv")
        run = partial(subprocess.run, check=True, stderr=subprocess.DEVNULL)
        command = ("-m", "workbench")
        with plan.open("wb") as file:
            run([sys.executable, *command, "fit", track, "--seconds", "60", "--home", folder], stdout=file)
        run([sys.executable, *command, "catalog", "add", track, "--home", folder], stdout=subprocess.DEVNULL)
        for name, words in {
            "beats": (track,),
            "loop": (track, "--seconds", "300"),
            "fit": (track, "--seconds", "60"),
            "export": (str(plan), "--format", "csv", "-o", seams),
            "catalog list": (),
        }.items():
            whole = cpu_of(*command, *name.split(), *words, "--home", folder, times=15)
            table.add(name, python, numpy, floor, whole)
    table.notes.append(
        "Medians of 15 runs. *python*: its bare start; *numpy*: that and numpy; *libraries*: also click, "
        "pydantic-settings and zarr, which a command needs to read its arguments, its settings and what is stored."
    )
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
    """All six tables."""
    by_stage, profiles = stages()
    return [by_stage, cold(), warm(), plans(profiles), rendering(profiles), memory()]
