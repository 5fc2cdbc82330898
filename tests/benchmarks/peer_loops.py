"""Runs in the peers' environment: PyMusicLooper's best loop of a file, or its scores of given splices, as JSON.

.venv/peers/bin/python tests/benchmarks/peer_loops.py FILE                       its best loop
.venv/peers/bin/python tests/benchmarks/peer_loops.py FILE BPM < splices.json    [[leave_s, enter_s], ...]
"""

import json
import sys

from pymusiclooper.analysis import _analyze_audio, _calculate_loop_score, _weights
from pymusiclooper.audio import MLAudio
from pymusiclooper.core import MusicLooper
from pymusiclooper.exceptions import LoopNotFoundError

TEST_BEATS = 12


def best_loop(path: str) -> dict[str, object]:
    """Both ends in seconds of track time; `found` is false where there is none."""
    looper = MusicLooper(path)
    try:
        best = looper.find_loop_pairs()[0]
    except LoopNotFoundError:
        return {"found": False}
    rate = looper.mlaudio.rate
    return {"found": True, "song_from": best.loop_start / rate, "song_to": best.loop_end / rate}


def scores(path: str, bpm: float, splices: list[list[float]]) -> list[float]:
    """One score a splice."""
    audio = MLAudio(path)
    chroma = _analyze_audio(audio, skip_beat_analysis=True)[0]
    reach = audio.samples_to_frames(int(TEST_BEATS / (bpm / 60) * audio.rate))
    if reach > chroma.shape[-1]:
        reach = chroma.shape[-1] // 4
    weights = _weights(reach, start=max(2, reach // TEST_BEATS), stop=1)
    found = []
    for leave, enter in splices:
        frames = [int(audio.samples_to_frames(int(at * audio.rate) - audio.trim_offset)) for at in (enter, leave)]
        frames = [min(max(frame, 0), chroma.shape[-1] - 1) for frame in frames]
        found.append(float(_calculate_loop_score(*frames, chroma, test_duration=reach, weights=weights)))
    return found


if __name__ == "__main__":
    file, *tempo = sys.argv[1:]
    print(json.dumps(scores(file, float(tempo[0]), json.load(sys.stdin)) if tempo else best_loop(file)))
