"""Runs in the peers' environment: PyMusicLooper's best loop of one file as JSON on standard output.

.venv/peers/bin/python tests/benchmarks/peer_loop.py FILE
"""

import json
import sys

from pymusiclooper.core import MusicLooper
from pymusiclooper.exceptions import LoopNotFoundError


def main(path: str) -> None:
    """Print loop_start and loop_end in seconds of track time, and the score; `found` false where there is none."""
    looper = MusicLooper(path)
    try:
        best = looper.find_loop_pairs()[0]
    except LoopNotFoundError as reason:
        print(json.dumps({"found": False, "reason": str(reason)}))
        return
    rate = looper.mlaudio.rate
    print(
        json.dumps(
            {
                "found": True,
                "song_from": best.loop_start / rate,
                "song_to": best.loop_end / rate,
                "score": float(best.score),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
