"""What the tests in a browser and the pictures of the page have in common: a small video, and a server of its own.

Functions: `draw_patterns`, `served`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av

from workbench.files import bundled_path

CHROMIUM = Path("/usr/bin/chromium")
VIDEO_SECONDS = 250
"""of a video under which `corner_store` has three seams and several options"""


def draw_patterns(seconds: int, out: Path, width: int = 192, rate: int = 12) -> Path:
    """Draw a video of moving patterns, cut twice; after a twelfth of it somebody speaks.

    Parameters
    ----------
    seconds : how long it lasts
    out : its file, `.mp4`
    width : of its pictures, 16 to 9, px
    rate : pictures a second
    """
    sources = ("testsrc2=", "sierpinski=", "testsrc=")
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
    """`workbench dashboard` in a process of its own, until the block ends: its address, and the process.

    Parameters
    ----------
    home : folder that it works in
    opens : track and video with which a page begins; none: it lists the projects
    port : 0: any that is free
    """
    command = [
        sys.executable,
        "-m",
        "workbench",
        "dashboard",
        "--no-show",
        "--port",
        str(port),
        "--home",
        str(home),
    ]
    if opens:
        track, video = opens
        command += [str(track), "--video", str(video)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("listening on "), "the dashboard did not start; what it said stands above"
        yield f"{said.removeprefix('listening on ').strip()}/", process
    finally:
        process.terminate()
        process.communicate(timeout=120)
