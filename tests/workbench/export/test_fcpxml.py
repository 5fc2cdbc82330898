"""FCPXML edits are walked by a plain XML parser, checked against the format's rules, played, and compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree.ElementTree import Element, parse

import numpy as np
import pytest
import soundfile

from workbench.export.fcpxml import time_text
from workbench.loops.plan import LoopPlan
from workbench.recording import FloatArray
from workbench.results.mix import MixBody
from workbench.workflows.export import export_plan

RATE = 44_100

# Children in order and attributes (required ones marked), of the elements that an edit of ours consists of, as the
# document type definition of FCPXML 1.10 states them.
RULES: dict[str, tuple[str, set[str], set[str]]] = {
    "fcpxml": (r"(resources )?(library )?", {"version"}, set()),
    "resources": (r"((asset|effect|format|media|locator) )*", set(), set()),
    "format": ("", {"id"}, {"name", "frameDuration", "width", "height"}),
    "asset": (
        r"(media-rep )+(metadata )?",
        {"id"},
        {
            "name", "start", "duration", "hasVideo", "format", "hasAudio", "videoSources", "audioSources",
            "audioChannels", "audioRate",
        },
    ),
    "media-rep": (r"(bookmark )?", {"src"}, {"kind", "sig", "suggestedFilename"}),
    "library": (r"((event|smart-collection) )*", set(), {"location"}),
    "event": (r"((asset-clip|project) )*", set(), {"name", "uid"}),
    "project": (r"sequence ", set(), {"name", "uid", "id", "modDate"}),
    "sequence": (
        r"(note )?spine (metadata )?",
        {"format"},
        {"duration", "tcStart", "tcFormat", "audioLayout", "audioRate"},
    ),
    "spine": (r"((asset-clip|gap|transition) )*", set(), {"lane", "offset", "name", "format"}),
    "gap": (r"(note )?(asset-clip )*(marker )*(metadata )?", {"duration"}, {"name", "offset", "start"}),
    "asset-clip": (
        r"(note )?(adjust-volume )?(asset-clip )*(marker )*(metadata )?",
        {"ref"},
        {"lane", "offset", "name", "start", "duration", "format", "tcStart", "tcFormat", "audioRole", "videoRole"},
    ),
    "adjust-volume": (r"(param )*", set(), {"amount"}),
    "param": (r"(fadeIn )?(fadeOut )?(keyframeAnimation )?(param )*", {"name"}, {"key", "value", "enabled"}),
    "keyframeAnimation": (r"(keyframe )*", set(), set()),
    "keyframe": ("", {"time", "value"}, {"interp", "curve"}),
    "marker": ("", {"start", "value"}, {"duration", "completed", "note"}),
}  # fmt: skip


def read(path: Path) -> Element:
    """The document, when every element follows the rules."""
    assert path.read_text(encoding="utf-8").startswith('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n')
    root = parse(path).getroot()
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    for element in root.iter():
        children, required, allowed = RULES[element.tag]
        assert re.fullmatch(children, "".join(f"{child.tag} " for child in element)), element.tag
        assert required <= set(element.attrib) <= required | allowed, element.tag
        assert element.get("ref", "r1") in ids
        assert element.get("format", "r1") in ids
    return root


def seconds(text: str | None) -> Fraction:
    assert text is not None
    assert text.endswith("s")
    return Fraction(text[:-1])


def segments(root: Element) -> list[Element]:
    return [clip for clip in root.iter("asset-clip") if clip.get("lane")]


def keys(clip: Element) -> tuple[FloatArray, FloatArray]:
    """Keyed times on the clip's own clock, song seconds, and levels in dB."""
    found = list(clip.iter("keyframe"))
    assert all(key.get("curve") == "linear" for key in found)
    times = np.array([float(seconds(key.get("time"))) for key in found])
    assert np.all(np.diff(times) > 0)
    return times, np.array([float((key.get("value") or "").removesuffix("dB")) for key in found])


def play(root: Element, folder: Path, length: int) -> FloatArray:
    """Play all connected clips: on whole frames, from their exact place in the song, at keyed levels."""
    sources = {asset.get("id"): asset.find("media-rep") for asset in root.iter("asset")}
    frame = seconds(root.find("resources/format").get("frameDuration"))  # type: ignore[union-attr]
    sound = np.zeros((2, length))
    for clip in segments(root):
        offset, start, lasts = (seconds(clip.get(name)) for name in ("offset", "start", "duration"))
        assert (offset / frame).denominator == 1
        assert (lasts / frame).denominator == 1
        media = sources[clip.get("ref")]
        assert media is not None
        url = urlparse(media.get("src") or "")
        source, rate = soundfile.read(folder / unquote(url.path), always_2d=True)
        # Video time of song sample 0, which must be a whole sample, or nothing would be exact.
        zero = (offset - start) * rate
        assert zero.denominator == 1
        places = np.arange(
            int(np.ceil(float(offset * rate))), min(length, int(np.ceil(float((offset + lasts) * rate))))
        )
        taken = places - int(zero)
        inside = (taken >= 0) & (taken < len(source))
        times, levels = keys(clip)
        drawn = np.interp(taken[inside] / rate, times, levels)
        gain = np.where(drawn <= -95.9, 0.0, 10 ** (drawn / 20))
        sound[:, places[inside]] += source[taken[inside]].T * gain
    return sound


@pytest.mark.parametrize("filmed", [True, False])
def test_the_edit_plays_what_the_renderer_plays(
    plan: LoopPlan, song: Path, film: Path, any_mix: MixBody | None, filmed: bool, residue_db: Callable[..., float]
) -> None:
    out = song.parent / "edit.fcpxml"
    export_plan(plan, "fcpxml", out, track=song, video=film if filmed else None, mix=any_mix)
    made = play(read(out), out.parent, round(plan.window_end * RATE))
    assert residue_db(made, plan, any_mix) < -55.0


def test_a_late_start_and_the_songs_own_end(
    late_plan: LoopPlan, song: Path, tmp_path: Path, residue_db: Callable[..., float]
) -> None:
    out = export_plan(late_plan, "fcpxml", tmp_path / "late.fcpxml", track=song)
    made = play(read(out), out.parent, round(late_plan.window_end * RATE))
    # The song has nothing before its first sample, so its clip begins on the next frame.
    begins = round(late_plan.music_in * RATE)
    first = int(np.ceil(np.ceil(late_plan.music_in * 25) / 25 * RATE))
    assert first - begins < RATE / 25
    assert residue_db(made, late_plan, skip=first) < -55.0


def test_the_storyline_is_the_film(plan: LoopPlan, song: Path, film: Path, mix: MixBody) -> None:
    out = export_plan(plan, "fcpxml", song.parent / "film.fcpxml", track=song, video=film, mix=mix)
    root = read(out)
    (story,) = root.iter("spine")
    assert seconds(story[0].get("duration")) == Fraction(510 * 1001, 30000)
    volume = story[0].find("adjust-volume")
    assert volume is not None
    assert volume.get("amount") == "2dB"
    marks = [float(seconds(mark.get("start"))) for mark in story[0].iter("marker")]
    assert marks == pytest.approx([plan.music_in, *plan.seam_times, plan.music_end], abs=1001 / 30000)
    names = [asset.get("name") for asset in root.iter("asset")]
    assert names == [film.stem, song.stem]
    (first, second) = (asset.find("media-rep").get("src") for asset in root.iter("asset"))  # type: ignore[union-attr]
    assert (out.parent / unquote(first or "")).samefile(film)
    assert (out.parent / unquote(second or "")).samefile(song)


def test_neighbours_lie_in_different_lanes_and_overlap(plan: LoopPlan, song: Path) -> None:
    clips = segments(read(export_plan(plan, "fcpxml", song.parent / "lanes.fcpxml", track=song)))
    assert [clip.get("lane") for clip in clips] == ["-1", "-2", "-1", "-2"]
    for before, after, fade in zip(clips[:-1], clips[1:], plan.seam_fades, strict=True):
        ends = seconds(before.get("offset")) + seconds(before.get("duration"))
        overlap = float(ends - seconds(after.get("offset")))
        assert fade - 1e-6 <= overlap <= fade + 2 / 25


def test_times_are_written_as_fractions() -> None:
    assert time_text(Fraction(1001, 30000)) == "1001/30000s"
    assert time_text(Fraction(5)) == "5s"
