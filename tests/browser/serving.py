"""What the tests in a browser and the pictures of the page have in common: a small video, and a server of its own.

Functions: `draw_patterns`, `served`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av

from workbench.bundled import bundled_path

CHROMIUM = Path("/usr/bin/chromium")
VIDEO_SECONDS = 250
"""of a video under which `corner_store` has three seams and several options"""

_SERVE = """
import gc, json, signal, sys
from pathlib import Path
from workbench.dashboards.app import make_server
from workbench.dashboards.work import shared_pool
from workbench.home import Home
from workbench.workspace import Workspace

if __name__ == "__main__":
    opens = (Path(sys.argv[3]), Path(sys.argv[4])) if len(sys.argv) > 3 else None
    server = make_server(Workspace(Home(Path(sys.argv[1]))), opens=opens, port=int(sys.argv[2]))
    gc.freeze()
    server.start()
    shared_pool().warm()
    signal.signal(signal.SIGTERM, lambda *_: server.io_loop.add_callback_from_signal(server.io_loop.stop))
    print(json.dumps(server.port), flush=True)
    try:
        server.io_loop.start()
    finally:
        shared_pool().close()
"""


def draw_patterns(seconds: int, out: Path, width: int = 192, rate: int = 12) -> Path:
    """Draw a video of moving patterns, cut twice; after a twelfth of it somebody speaks.

    Parameters
    ----------
    seconds : how long it lasts
    out : its file, `.mp4`
    width : of its pictures, 16 to 9, px
    rate : pictures a second
    """
    sources = ("testsrc2=", "mandelbrot=start_scale=0.3:", "testsrc=")
    scenes = ";".join(
        f"{source}size={width}x{width * 9 // 16}:rate={rate},trim=duration={seconds / len(sources)},"
        f"format=yuv420p[{number}]"
        for number, source in enumerate(sources)
    )
    voice = bundled_path("data", "bundled", "voice", "narration.ogg")
    joined = "".join(f"[{number}]" for number in range(len(sources))) + f"concat=n={len(sources)}[out0]"
    spoken = f"amovie='{voice}',adelay={1000 * seconds // 12}:all=1,apad,atrim=0:{seconds}[out1]"
    with av.open(f"{scenes};{joined};{spoken}", format="lavfi") as drawing, av.open(str(out), "w") as video:
        seen, heard = drawing.streams.video[0], drawing.streams.audio[0]
        picture = video.add_stream("libx264", rate=rate, options={"preset": "ultrafast"})
        picture.width, picture.height, picture.pix_fmt = width, width * 9 // 16, "yuv420p"
        sound = video.add_stream("aac", rate=heard.rate)
        for frame in drawing.decode(seen, heard):
            if isinstance(frame, av.VideoFrame):
                video.mux(picture.encode(frame))
            elif isinstance(frame, av.AudioFrame):
                video.mux(sound.encode(frame))
        video.mux(picture.encode(None))
        video.mux(sound.encode(None))
    return out


@contextmanager
def served(home: Path, *opens: Path, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A dashboard in a process of its own, until the block ends: its address, and the process.

    Parameters
    ----------
    home : folder that it works in
    opens : track and video with which a page begins; none: it lists the projects
    port : 0: any that is free
    """
    script = home / "serve.py"
    script.write_text(_SERVE, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script), str(home), str(port), *map(str, opens)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "WORKBENCH_HOME": str(home)},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{json.loads(process.stdout.readline())}/", process
    finally:
        process.terminate()
        process.communicate(timeout=120)
