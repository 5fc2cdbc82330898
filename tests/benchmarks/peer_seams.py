"""Runs in the peers' environment: PyMusicLooper's own score of given splices, as JSON on standard output.

    .venv/peers/bin/python tests/benchmarks/peer_seams.py FILE BPM < splices.json

The splices come as [[leave_s, enter_s], ...]. What is called is what PyMusicLooper calls to rank its candidates: chroma
of the file, then the similarity of the notes that follow and lead to both places over twelve beats.
"""

import json
import sys

from pymusiclooper.analysis import _analyze_audio, _calculate_loop_score, _weights
from pymusiclooper.audio import MLAudio

TEST_BEATS = 12


def main(path: str, bpm: float) -> None:
    """Print one score a splice."""
    audio = MLAudio(path)
    chroma = _analyze_audio(audio, skip_beat_analysis=True)[0]
    reach = audio.samples_to_frames(int(TEST_BEATS / (bpm / 60) * audio.rate))
    if reach > chroma.shape[-1]:
        reach = chroma.shape[-1] // 4
    weights = _weights(reach, start=max(2, reach // TEST_BEATS), stop=1)
    scores = []
    for leave, enter in json.load(sys.stdin):
        frames = [int(audio.samples_to_frames(int(at * audio.rate) - audio.trim_offset)) for at in (enter, leave)]
        frames = [min(max(frame, 0), chroma.shape[-1] - 1) for frame in frames]
        scores.append(float(_calculate_loop_score(*frames, chroma, test_duration=reach, weights=weights)))
    print(json.dumps(scores))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
