"""The demo's film, "The Six-Ten": five minutes of a railway line with a narration, in one file that ships.

It takes the place of a customer's video, so it has everything an editor would look for: hard cuts, dissolves, fades to
black, flashes, title cards, calm and hectic stretches, hits, and speech in groups of phrases with long silences
between. When each of them happens stands in the JSON beside it, to the frame; `data/README.md` says how it was drawn.

Function: `write_film`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path

import av
import numpy as np
from av.packet import Packet
from av.video.stream import VideoStream

from workbench.bundled import bundled_path
from workbench.errors import ParameterError
from workbench.files import written_whole
from workbench.media.audio import decode
from workbench.render.remux import copy_stream

FILM = ("data", "bundled", "film", "the_six_ten.mp4")
FRAME_RATE = 25
FILM_SECONDS = 300.0
MAX_SECONDS = 36_000.0


def write_film(path: Path, seconds: float = FILM_SECONDS) -> Path:
    """Write the first seconds of the film, 1 to 36000, to an MP4; a longer one plays it again from its head.

    Raises `ParameterError` if seconds are out of range, and `MediaError` if the file cannot be written.
    """
    if not 1.0 <= seconds <= MAX_SECONDS:
        raise ParameterError(f"the demo video lasts 1 to {MAX_SECONDS:.0f} seconds, got {seconds}")
    film, pictures = bundled_path(*FILM), round(seconds * FRAME_RATE)
    with written_whole(path) as aside:
        if pictures == round(FILM_SECONDS * FRAME_RATE):
            shutil.copyfile(film, aside)
        else:
            _write_part(film, aside, pictures)
    return path


def _write_part(film: Path, out: Path, pictures: int) -> None:
    # Pictures are copied: the film has no B pictures and opens with a key picture, so its first n packets are exactly
    # its first n pictures, and may follow its last one. AAC comes in blocks of 1024 samples, which end neither with a
    # picture nor with the film, so the sound is encoded again, to the sample.
    recording = decode(film)
    rate, end = recording.sample_rate, round(FILM_SECONDS * recording.sample_rate)
    with av.open(str(film)) as source, av.open(str(out), "w", options={"movflags": "+faststart"}) as video:
        video.metadata["title"] = source.metadata["title"]
        picture = copy_stream(video, source.streams.video[0])
        sound = video.add_stream("aac", rate=rate, layout="stereo", options={"aac_coder": "fast"})
        sound.bit_rate = 160_000  # more than the film has: this is its second loss
        for number, packet in enumerate(islice(_packets_again(film), pictures)):
            packet.stream, packet.time_base = picture, Fraction(1, FRAME_RATE)
            packet.pts, packet.dts, packet.duration = number, number, 1
            video.mux(packet)
            span = np.arange(number * rate // FRAME_RATE, (number + 1) * rate // FRAME_RATE) % end
            block = av.AudioFrame.from_ndarray(recording.samples.take(span, axis=1), format="fltp", layout="stereo")
            block.sample_rate, block.pts, block.time_base = rate, number * rate // FRAME_RATE, Fraction(1, rate)
            video.mux(sound.encode(block))
        video.mux(sound.encode(None))


def _packets_again(film: Path) -> Iterator[Packet[VideoStream]]:
    """The packets of the picture, and again from the first."""
    while True:
        with av.open(str(film)) as source:
            yield from (packet for packet in source.demux(video=0) if packet.size)
