"""OpenTimelineIO edits are read back by the library's own reader, played, and compared with the renderer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlparse

import numpy as np
import opentimelineio as otio
import soundfile

from workbench.analysis.workspace import Workspace
from workbench.export.envelope import TOLERANCE_DB
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import MixBody
from workbench.workflows.export import export_plan

Exported = Callable[..., Path]

RATE = 44_100


def read(path: Path) -> Any:
    """The edit, its media found from where it lies."""
    edit = otio.adapters.read_from_file(str(path), adapter_name="otio_json")
    for clip in edit.find_clips():
        clip.media_reference.target_url = urljoin(path.as_uri(), clip.media_reference.target_url)
    return edit


def samples(time: Any) -> int:
    """A time of the music in samples of the track, which must be whole."""
    count: float = time.value / time.rate * RATE
    assert abs(count - round(count)) < 1e-6
    return round(count)


def lane(edit: Any, name: str) -> Any:
    (found,) = [child for child in edit.tracks if child.name == name]
    return found


def media(clip: Any) -> Path:
    return Path(unquote(urlparse(clip.media_reference.target_url).path))


def play(music: Any) -> FloatArray:
    """Play a music track: clips where the library puts them, handles under transitions, keyed levels."""
    total = samples(music.duration())
    sound = np.zeros((2, total))
    children = list(music)
    for k, clip in enumerate(children):
        if not isinstance(clip, otio.schema.Clip):
            continue
        source, rate = soundfile.read(media(clip), always_2d=True)
        assert rate == RATE
        begin = samples(clip.range_in_parent().start_time)
        start, length = samples(clip.source_range.start_time), samples(clip.source_range.duration)
        before = children[k - 1] if k and isinstance(children[k - 1], otio.schema.Transition) else None
        after = children[k + 1] if k + 1 < len(children) else None
        lead = samples(before.in_offset) if before else 0
        rest = samples(after.out_offset) if after else 0
        places = np.arange(-lead, length + rest)
        keys = np.array(clip.metadata["workbench"]["gain_keys"])
        gain = 10 ** (np.interp(places, *keys.T) / 20)
        if before:
            gain *= curve(before, places) ** exponent(before)
        if after:
            gain *= (1 - curve(after, places - length)) ** exponent(after)
        heard = source[places + start].T * gain
        inside = (begin + places >= 0) & (begin + places < total)
        sound[:, begin + places[inside]] += heard[:, inside]
    return sound


def curve(transition: Any, places: np.ndarray) -> FloatArray:
    """Progress of a crossfade at samples counted from its cut."""
    seconds = transition.metadata["workbench"]["seconds"]
    progress: FloatArray = np.clip(places / RATE / seconds + 0.5, 0.0, 1.0)
    return progress


def exponent(transition: Any) -> float:
    return float(transition.metadata["workbench"]["exponent"])


def test_the_edit_plays_what_the_renderer_plays(
    exported: Exported,
    plan: LoopPlan,
    video: Path,
    any_mix: MixBody | None,
    residue_db: Callable[..., float],
    envelope_db: float,
) -> None:
    out = exported("otio", plan, video=video, mix=any_mix)
    made = play(lane(read(out), "Music"))
    assert residue_db(made, plan, any_mix) < envelope_db
    assert residue_db(made, plan, any_mix, matched=True, beside_seams=0.001) < -40.0


def test_a_placed_track_is_one_clip(
    exported: Exported,
    placed: PlacedTrack,
    video: Path,
    mix: MixBody,
    residue_db: Callable[..., float],
    envelope_db: float,
) -> None:
    out = exported("otio", placed, video=video, mix=mix)
    music = lane(read(out), "Music")
    (clip,) = music.find_clips()
    begins = samples(clip.range_in_parent().start_time) - samples(clip.source_range.start_time)
    assert begins == round(placed.offset_seconds * RATE)
    made = play(music)
    assert residue_db(made, placed, mix, padded=True) < envelope_db
    assert residue_db(made, placed, mix, padded=True, matched=True) < -40.0


def test_a_late_start_is_a_gap(
    workspace: Workspace, late_plan: LoopPlan, track: Path, tmp_path: Path, residue_db: Callable[..., float]
) -> None:
    out = export_plan(workspace, late_plan, "otio", tmp_path / "late.otio", track=track)
    edit = read(out)
    music = lane(edit, "Music")
    assert isinstance(music[0], otio.schema.Gap)
    assert samples(music[0].duration()) == round(0.777 * RATE)
    assert [child.name for child in edit.tracks] == ["Music"]
    assert residue_db(play(music), late_plan, padded=True) < -40.0


def test_picture_and_soundtrack_are_the_whole_video(exported: Exported, plan: LoopPlan, video: Path) -> None:
    edit = read(exported("otio", plan, video=video))
    picture, soundtrack, music = (lane(edit, name) for name in ("Picture", "Soundtrack", "Music"))
    assert (picture.kind, soundtrack.kind, music.kind) == ("Video", "Audio", "Audio")
    for one in (picture, soundtrack):
        assert one[0].source_range.duration == otio.opentime.RationalTime(510, 30000 / 1001)
        assert media(one[0]).samefile(video)


def test_a_timeline_has_one_rate(exported: Exported, plan: LoopPlan, video: Path) -> None:
    """Times of picture, music, media and markers alike: a reader may compare and add them as they are."""
    for filmed, rate in ((video, 30000 / 1001), (None, 25.0)):
        out = exported("otio", plan, video=filmed)
        rates = re.findall(r'"rate": ([0-9.]+)', out.read_text(encoding="utf-8"))
        assert {float(one) for one in rates} == {rate}


def test_media_in_another_folder_are_found_too(
    exported: Exported, workspace: Workspace, plan: LoopPlan, track: Path, tmp_path: Path
) -> None:
    for out in (exported("otio", plan), export_plan(workspace, plan, "otio", tmp_path / "m.otio", track=track)):
        assert media(next(iter(read(out).find_clips()))) == track


def test_resolve_gets_the_levels_as_its_own_volume_effect(
    exported: Exported, plan: LoopPlan, video: Path, mix: MixBody
) -> None:
    edit = read(exported("otio", plan, video=video, mix=mix))
    (soundtrack,) = lane(edit, "Soundtrack")
    assert volume(soundtrack)["Parameter Value"] == 2.0
    assert not volume(soundtrack)["Key Frames"]
    starts = plan.segment_starts
    assert mix.duck is not None
    for k, clip in enumerate(lane(edit, "Music").find_clips()):
        keys = {int(frame): key["Value"] for frame, key in volume(clip)["Key Frames"].items()}
        keys = dict(sorted(keys.items()))
        frames = np.arange(min(keys), max(keys))
        times = starts[k] + frames * 1001 / 30000
        segment = plan.segments[k]
        glide = np.clip((times - starts[k]) / plan.gain_glide_seconds, 0, 1)
        level = segment.gain_in_db + (segment.gain_db - segment.gain_in_db) * glide - 4.0
        level -= np.interp(times, *np.array(mix.duck.envelope_points).T)
        calm = (times > plan.start_fade_seconds) & (times < plan.window_end - plan.end_fade_seconds)
        drawn = np.interp(frames, list(keys), list(keys.values()))
        # Keys have the level of their own frame; one is left out where the line passes within 0.25 dB.
        assert np.abs(drawn - level)[calm].max() < TOLERANCE_DB


def volume(clip: Any) -> Any:
    (effect,) = clip.effects
    (parameter,) = effect.metadata["Resolve_OTIO"]["Parameters"]
    assert parameter["Parameter ID"] == "volume"
    return parameter
