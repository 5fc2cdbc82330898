"""One edit, written in each format that is read: OTIO by its library, FCPXML and EDL by hand."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Placed(NamedTuple):
    """A shot in whole frames of the edit."""

    media: str | None
    source: int
    frames: int
    speed: Fraction = Fraction(1)
    dissolve: int = 0
    """frames of a dissolve into it, half of them before the cut"""


Writer = Callable[[Path, Sequence[Placed], Fraction], Path]


def time_code(frames: int, rate: Fraction, drop: bool = False) -> str:
    """A count of frames from midnight as a time code."""
    whole = round(rate)
    if drop:
        tens, rest = divmod(frames, 17_982)
        frames += 18 * tens + 2 * max(0, (rest - 2) // 1798)
    seconds, frame = divmod(frames, whole)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}{';' if drop else ':'}{frame:02}"


def write_edl(path: Path, shots: Sequence[Placed], rate: Fraction, drop: bool = False) -> Path:
    """The record side begins at one hour."""
    lines = ["TITLE: test", f"FCM: {'DROP FRAME' if drop else 'NON-DROP FRAME'}", ""]
    # An hour of time code, which at 29.97 is not an hour.
    at = 107_892 if drop else 3600 * round(rate)
    reels = {media: f"REEL{k}" for k, media in enumerate(dict.fromkeys(shot.media for shot in shots))}

    def codes(*frames: int) -> str:
        return " ".join(time_code(frame, rate, drop) for frame in frames)

    for number, shot in enumerate(shots, start=1):
        after = shots[number].dissolve // 2 if number < len(shots) else 0
        head, frames = shot.dissolve // 2, shot.frames - after
        begins = at - head
        at += shot.frames
        if shot.media is None:
            continue
        source = shot.source - round(head * shot.speed)
        length = round((frames + head) * shot.speed)
        what = f"{number:03}  {reels[shot.media]:8} V    "
        if shot.dissolve:
            before = shots[number - 2]
            out = before.source + before.frames - head
            lines.append(f"{number:03}  {reels[before.media]:8} V     C        {codes(out, out, begins, begins)}")
            lines.append(f"{what} D    {shot.dissolve:03} {codes(source, source + length, begins, at - after)}")
            lines += [f"* FROM CLIP NAME: {before.media}", f"* TO CLIP NAME: {shot.media}"]
        else:
            lines.append(f"{what} C        {codes(source, source + length, begins, at - after)}")
            lines.append(f"* FROM CLIP NAME: {shot.media}")
        if shot.speed != 1:
            fps = f"{float(shot.speed * round(rate)):05.1f}"
            lines.append(f"M2   {reels[shot.media]:8}       {fps}                {codes(source)}")
    path.write_text("\r\n".join(lines) + "\r\n")
    return path


def write_drop_frame_edl(path: Path, shots: Sequence[Placed], rate: Fraction) -> Path:
    return write_edl(path, shots, rate, drop=True)


def write_fcpxml(path: Path, shots: Sequence[Placed], rate: Fraction) -> Path:
    def time(frames: Fraction | int) -> str:
        seconds = Fraction(frames) / rate
        return f"{seconds.numerator}/{seconds.denominator}s"

    media = [name for name in dict.fromkeys(shot.media for shot in shots) if name is not None]
    assets = "".join(
        f'<asset id="a{k}" name="{name}" start="0s" duration="{time(10_000)}" hasVideo="1" format="r1">'
        f'<media-rep kind="original-media" src="file:///media/{name}"/></asset>'
        for k, name in enumerate(media)
    )
    story, at = [], 0
    for shot in shots:
        if shot.dissolve:
            begins = at - shot.dissolve // 2
            story.append(f'<transition offset="{time(begins)}" duration="{time(shot.dissolve)}"/>')
        placed = f'offset="{time(at)}" duration="{time(shot.frames)}"'
        if shot.media is None:
            story.append(f'<gap name="Gap" {placed} start="3600s"/>')
        else:
            retimed = ""
            if shot.speed != 1:
                points = (
                    (frame, shot.source + (frame - shot.source) * shot.speed)
                    for frame in (shot.source, shot.source + shot.frames)
                )
                retimed = "".join(f'<timept time="{time(x)}" value="{time(y)}" interp="linear"/>' for x, y in points)
                retimed = f"<timeMap>{retimed}</timeMap>"
            reference = f'ref="a{media.index(shot.media)}" name="{shot.media}"'
            story.append(f'<asset-clip {reference} {placed} start="{time(shot.source)}">{retimed}</asset-clip>')
        at += shot.frames
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="1.10">\n<resources>'
        f'<format id="r1" frameDuration="{time(1)}" width="1920" height="1080"/>{assets}</resources>\n'
        '<library><event><project name="test">'
        f'<sequence format="r1" duration="{time(at)}" tcStart="0s"><spine>\n'
        + "\n".join(story)
        + "\n</spine></sequence></project></event></library></fcpxml>\n"
    )
    return path


def write_otio(path: Path, shots: Sequence[Placed], rate: Fraction) -> Path:
    import opentimelineio as otio

    def time(frames: int) -> Any:
        return otio.opentime.RationalTime(frames, float(rate))

    edit = otio.schema.Timeline("test", global_start_time=time(3600 * round(rate)))
    track = otio.schema.Track("V1", kind=otio.schema.TrackKind.Video)
    edit.tracks.append(track)
    for shot in shots:
        if shot.dissolve:
            half = time(shot.dissolve // 2)
            track.append(otio.schema.Transition("dissolve", "SMPTE_Dissolve", in_offset=half, out_offset=half))
        span = otio.opentime.TimeRange(time(shot.source), time(shot.frames))
        if shot.media is None:
            track.append(otio.schema.Gap(duration=time(shot.frames)))
            continue
        reference = otio.schema.ExternalReference(f"file:///media/{shot.media}")
        clip = otio.schema.Clip(shot.media, reference, span)
        if shot.speed == 0:
            clip.effects.append(otio.schema.FreezeFrame())
        elif shot.speed != 1:
            clip.effects.append(otio.schema.LinearTimeWarp(time_scalar=float(shot.speed)))
        track.append(clip)
    otio.adapters.write_to_file(edit, str(path), adapter_name="otio_json")
    return path


def write_fcpxmld(path: Path, shots: Sequence[Placed], rate: Fraction) -> Path:
    path.mkdir()
    write_fcpxml(path / "Info.fcpxml", shots, rate)
    return path


def write_otiod(path: Path, shots: Sequence[Placed], rate: Fraction) -> Path:
    (path / "media").mkdir(parents=True)
    write_otio(path / "content.otio", shots, rate)
    return path


def write_otioz(path: Path, shots: Sequence[Placed], rate: Fraction) -> Path:
    document = write_otio(path.with_suffix(".json"), shots, rate)
    with zipfile.ZipFile(path, "w") as bundle:
        bundle.write(document, "content.otio")
    return path


WRITERS: dict[str, tuple[str, Writer]] = {
    "otio": (".otio", write_otio),
    "otiod": (".otiod", write_otiod),
    "otioz": (".otioz", write_otioz),
    "fcpxml": (".fcpxml", write_fcpxml),
    "fcpxmld": (".fcpxmld", write_fcpxmld),
    "edl": (".edl", write_edl),
    "drop-frame edl": (".edl", write_drop_frame_edl),
}


@pytest.fixture
def write_edit(tmp_path: Path) -> Callable[[str, Sequence[Placed], Fraction], Path]:
    """`write_edit(format, shots, rate)` writes an edit; shots are (media, source, frames, speed, dissolve)."""

    def write(kind: str, shots: Sequence[Placed], rate: Fraction) -> Path:
        suffix, writer = WRITERS[kind]
        number = len(list(tmp_path.iterdir()))
        return writer(tmp_path / f"edit {number}{suffix}", [Placed(*shot) for shot in shots], rate)

    return write
