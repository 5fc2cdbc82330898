"""Export a plan or a placement: lay it out as it is played, and let the format's writer write it.

Every time comes from `workbench.render.schedule`, at the track's own rate; without a track, at a million samples a
second, which is the plan's own resolution.

Functions: `export_plan`; `timeline_of`, the timeline that writers take; `find_sync_points`, the markers of a placement;
`media_beside`, the files that are written with an edit; `all_formats`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import numpy as np

from workbench.align.placements import CHANCE_SCORE
from workbench.analysis.provenance import Provenance
from workbench.analysis.sources import open_library
from workbench.analysis.track import analyze
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.catalog.track import Track
from workbench.edits.shots import USUAL_RATES, exact_rate, find_usual_rate
from workbench.errors import Argument, MediaError, ParameterError, require_extra
from workbench.export.cut_list import count_frames, is_drop_frame
from workbench.export.formats import Format
from workbench.export.tempo import played_beats
from workbench.export.timeline import (
    Crossing,
    EditLevels,
    Item,
    Marker,
    MarkerKind,
    MusicEnds,
    Notes,
    StemMedia,
    Timeline,
    TrackMedia,
    VideoMedia,
)
from workbench.extensions import EXPORT_FORMATS, find, names
from workbench.files import check_overwrites_none, written_whole
from workbench.media.audio import write_audio
from workbench.media.probe import probe, read_tags
from workbench.plans.plan import GRID_TOLERANCE_SECONDS, LoopPlan, nearest_line, segment_table
from workbench.recording import TrackSeconds, VideoSeconds
from workbench.render.playback import check_length_of_video, check_track
from workbench.render.schedule import Crossfade, Music, PlacedTrack, PlayedSegment, Schedule, schedule
from workbench.render.video import MixLevels, Playback, Stem, gains_of, render_audio
from workbench.workflows.align import align_track
from workbench.workflows.beats import map_beats
from workbench.workflows.render import load_stems

PLAN_RATE = 1_000_000  # samples a second without a track: plans are rounded to the microsecond
# Markers for the coincidences of a placement; a track of many bar lines meets many cuts by chance
MOST_SYNC_MARKERS = 12
PACKED = ".zip"  # suffix of an edit that is written with its media
_SAME_PLACE_SECONDS = 0.001  # s between two placements that are the same
# Relative; 24 and 23.976 lie 1e-3 apart, and a mean over a whole video is closer than this
_FRAME_RATE_TOLERANCE = 2e-4
_LEAST_GUESS = 20  # pictures a second; a rate that varies is taken for a usual one over this, which every editor has


def all_formats() -> dict[str, Format]:
    """Our formats, and those that others registered or installed, by their names, in the order they are offered.

    Raises `ParameterError` if one of the others cannot be loaded, or is no format.
    """
    return {name: find(EXPORT_FORMATS, name) for name in names(EXPORT_FORMATS)}


def export_plan(
    workspace: Workspace,
    plan: Music,
    format_name: str,
    out: Path,
    *,
    track: Path | None = None,
    video: Path | None = None,
    mix: MixLevels | None = None,
    provenance: Provenance | None = None,
    sync_points: Sequence[Marker] = (),
    reviews: Sequence[Marker] = (),
    with_media: bool = False,
    frame_rate: float | None = None,
    record: Track | None = None,
    stems: Mapping[str, Path] | None = None,
    ducked: Collection[str] | None = None,
) -> Path:
    """Write a plan, or a placed track (which needs `track`), in a format by its name, see `workbench.extensions`.

    `with_media` writes WAV files beside an edit too, named like it, and lets it name them: the track, or each stem, and
    the music as it is in the mix, which is one more clip, switched off. An edit named `.zip` is packed with all its
    media, the video too. `frame_rate` is that of an edit with the video, 29.97 for 30000/1001; None: as
    `find_frame_rate` finds it. `stems`, files by name, lie in place of the track, each on a track of its own, and
    `ducked` names those that the mix lowers under speech, None all. `record` is what the catalog has of the track;
    None: it is found by the track's bytes. `sync_points` come from `find_sync_points`, `reviews` from
    `workbench.review.comments.review_markers`. Raises `ParameterError` for an unknown format, one that needs a track,
    cannot hold a placement or names no media, or if a file to write is the track or the video itself; `PlanError` if
    the plan was made for another track or a longer video; `ExtraMissing` if the format's library is not installed.
    """
    chosen: Format = find(EXPORT_FORMATS, format_name)
    if chosen.extra:
        require_extra(chosen.extra, f"the format {chosen.name}")
    if isinstance(plan, PlacedTrack) and not chosen.holds_placements:
        raise ParameterError(f"the format {chosen.name} cannot hold a placement: it marks the loop of a plan")
    if chosen.needs_track and track is None:
        raise ParameterError(f"the format {chosen.name} needs the track: give ", Argument("track"))
    out = Path(out)
    if with_media and not chosen.is_edit:
        raise ParameterError(f"the format {chosen.name} names no media; leave ", Argument("with_media"), " out")
    is_packed = chosen.is_edit and out.suffix.lower() == PACKED
    if stems and not chosen.holds_stems:
        raise ParameterError(
            f"the format {chosen.name} has no track for each stem; leave ", Argument("stem"), " out, or write otio, ",
            "fcpxml, xmeml or rpp",
        )  # fmt: skip
    own = media_beside(out, tuple(stems or ())) if with_media and not is_packed else ()
    check_overwrites_none((out, *own), (track, video, *(stems or {}).values()))
    parts = load_stems(workspace, track, stems, ducked) if stems and track is not None else ()
    notes = _notes(workspace, track) if chosen.uses_analysis and track is not None else None
    grid = map_beats(workspace, track).grid if chosen.uses_grid and track is not None else None
    workspace.progress(f"writing {out.name}", 0.0)
    video = video if chosen.uses_video else None
    timeline = replace(
        timeline_of(workspace, plan, track=track, video=video, mix=mix, grid=grid, frame_rate=frame_rate),
        # inside its program an edit has no usual suffix
        name=out.stem if out.suffix.lower() in (chosen.suffix, PACKED) else out.name,
        notes=notes,
        sync_points=tuple(sync_points),
        reviews=tuple(reviews),
        provenance=None if provenance is None else provenance.to_json(),
        stems=tuple(_stem_media(workspace, part) for part in parts),
        record=None if track is None or not chosen.uses_catalog else record or _record(workspace, track),
    )
    if is_packed:
        _pack(workspace, chosen, timeline, plan, mix, parts, out)
    else:
        if own:
            timeline = _with_media(workspace, timeline, plan, mix, parts, out)
        chosen.write(timeline, out)
    workspace.progress(f"writing {out.name}", 1.0)
    return out


def media_beside(out: Path, stems: Sequence[str] = ()) -> tuple[Path, ...]:
    """Where the track of an edit, or its stems, and last the music of the mix are written."""
    names = [f"stem-{name}" for name in stems] or ["track"]
    return tuple(out.with_name(f"{out.stem}-{name}.wav") for name in (*names, "music"))


def _stem_media(workspace: Workspace, stem: Stem) -> StemMedia:
    recording = workspace.load_recording(stem.file)  # a stem in mono stays it
    media = TrackMedia(stem.file, recording.samples.shape[1], recording.sample_rate, recording.channels)
    return StemMedia(stem.name, media, stem.is_ducked)


def _with_media(
    workspace: Workspace, timeline: Timeline, plan: Music, mix: MixLevels | None, stems: Sequence[Stem], out: Path
) -> Timeline:
    """Write the track, or its stems, and the music of the mix beside an edit, and return the edit that names them."""
    assert timeline.track is not None, "edits need the track"
    recording = workspace.load_recording(timeline.track.path)
    *beside, music = media_beside(out, [stem.name for stem in stems])
    named = []
    for layer, path in zip(timeline.layers, beside, strict=True):
        assert layer.track is not None, "edits need the track"
        sound = workspace.load_recording(layer.track.path)
        write_audio(path, [sound.samples], sound.sample_rate, sound.channels, subtype="float32" if stems else "pcm24")
        named.append(replace(layer.track, path=path))
    params = workspace.params.render
    render_audio(Playback(plan, recording, mix, stems), music, params, limit=mix is not None)
    if timeline.stems:
        pairs = zip(timeline.stems, named, strict=True)
        timeline = replace(timeline, stems=tuple(replace(stem, media=media) for stem, media in pairs))
    else:
        timeline = replace(timeline, track=named[0])
    rate, channels = (recording.sample_rate, recording.channels) if mix is None else (params.video_sample_rate, 2)
    mixed = TrackMedia(music, round(plan.window_end * rate), rate, channels)
    return replace(timeline, mixed_music=mixed)


def _pack(
    workspace: Workspace,
    chosen: Format,
    timeline: Timeline,
    plan: Music,
    mix: MixLevels | None,
    stems: Sequence[Stem],
    out: Path,
) -> None:
    """Write an edit and all the media that it names, by their names alone, into one archive."""
    with written_whole(out) as aside, TemporaryDirectory(dir=out.parent) as made:
        edit, video = Path(made) / f"{out.stem}{chosen.suffix}", timeline.video
        packed = _with_media(workspace, timeline, plan, mix, stems, edit)
        if video is not None:
            packed = replace(packed, video=replace(video, path=edit.with_name(video.path.name)))
        chosen.write(packed, edit)
        # sound and video do not get smaller; a camera without a clock dates its files before a zip's first year
        with ZipFile(aside, "w", strict_timestamps=False) as archive:
            for file in sorted(Path(made).iterdir()):
                archive.write(file, file.name)
            if video is not None:
                archive.write(video.path, video.path.name)


def timeline_of(
    workspace: Workspace,
    plan: Music,
    *,
    track: Path | None = None,
    video: Path | None = None,
    mix: MixLevels | None = None,
    grid: BeatGrid | None = None,
    frame_rate: float | None = None,
) -> Timeline:
    """Lay out a plan or a placed track in samples of the track; with the track's grid, its beats too.

    If the plan's splices do not lie on the bar lines of the grid, the plan was made on another one; it is left out.
    Without a `track` the plan's own resolution is the rate. Raises `PlanError` if the plan was made for another track,
    or for a longer video.
    """
    media = None if track is None else _track(workspace, plan, Path(track))
    timing = schedule(plan, PLAN_RATE if media is None else media.rate)
    items = [_placed_item(plan, timing)] if isinstance(plan, PlacedTrack) else _items(plan, timing)
    metre = None if grid is None else grid.beats_per_bar
    if isinstance(plan, LoopPlan):
        metre = plan.beats_per_bar
    return Timeline(
        name="workbench",
        plan=None if isinstance(plan, PlacedTrack) else plan.alone,
        ends=_ends(plan, timing),
        rate=timing.rate,
        length=timing.length,
        items=tuple(items),
        track=media,
        video=None if video is None else _video(plan, Path(video), frame_rate),
        balance=_balance(mix),
        beats=() if grid is None or not _is_on(plan, grid) else played_beats(items, _beats(grid)),
        beats_per_bar=metre,
    )


def find_sync_points(workspace: Workspace, track: Path, video: Path, offset_seconds: VideoSeconds) -> list[Marker]:
    """Find where a track that align or match placed meets the picture: markers at the strongest coincidences, in order.

    The analyses of track and video are those of align, from the store where it has run on them. At most
    `MOST_SYNC_MARKERS`; none where align does not place the track there now, or where the placement's score says that
    they may well be due to chance.
    """
    placements = align_track(workspace, track, video).placements
    clear = [one for one in placements if one.score >= CHANCE_SCORE]
    near = [one for one in clear if abs(one.offset_seconds - offset_seconds) <= _SAME_PLACE_SECONDS]
    found = near[0].coincidences[:MOST_SYNC_MARKERS] if near else ()
    markers = [Marker(one.video_s, f"sync: {one.landmark} on the {one.event}", MarkerKind.SYNC) for one in found]
    return sorted(markers, key=lambda marker: marker.video_s)


def _ends(plan: Music, timing: Schedule) -> MusicEnds:
    if isinstance(plan, LoopPlan):
        return MusicEnds(plan.music_in, plan.music_end, plan.end_label, plan.start_fade_seconds, plan.end_fade_seconds)
    label = "cut off at the end of the video" if timing.end_fade_seconds > 0.0 else "ends with the track"
    return MusicEnds(timing.music_in, plan.music_end, label, timing.start_fade_seconds, timing.end_fade_seconds)


def _placed_item(track: PlacedTrack, timing: Schedule) -> Item:
    cue, plays = timing.cues[0], (timing.music_in, track.music_end)
    song = (plays[0] - track.offset_seconds, plays[1] - track.offset_seconds)
    item = _item(1, timing, (cue.first, cue.stop), song, (0.0, 0.0))
    return replace(item, begins=plays[0], ends=plays[1], fade_in=None, fade_out=None)


def _items(plan: LoopPlan, timing: Schedule) -> list[Item]:
    places = [round(cue.begins * timing.rate) for cue in timing.cues]
    spans = zip(places, [*places[1:], timing.cues[-1].stop], strict=True)
    return [
        _item(number, timing, span, (one.song_from, one.song_to), (one.gain_in_db, one.gain_db))
        for number, (span, one) in enumerate(zip(spans, plan.segments, strict=True), start=1)
    ]


def _item(
    number: int, timing: Schedule, span: tuple[int, int], song: tuple[float, float], gains_db: tuple[float, float]
) -> Item:
    """A cue, by its number from 1: the output samples between which it is placed, its track time, and its gains."""
    cue = timing.cues[number - 1]
    return Item(
        number=number,
        first=cue.first,
        stop=cue.stop,
        placed=span[0],
        cut=span[1],
        song_offset=cue.song_offset,
        begins=cue.begins,
        ends=cue.ends,
        song_from=song[0],
        song_to=song[1],
        gain_in_db=gains_db[0],
        gain_db=gains_db[1],
        fade_in=_crossing(cue.fade_in),
        fade_out=_crossing(cue.fade_out),
        corners=_corners(timing, cue),
        gain=_CueGain(timing, cue),
    )


def _crossing(fade: Crossfade | None) -> Crossing | None:
    return None if fade is None else Crossing(fade.seconds, fade.exponent)


def _corners(timing: Schedule, cue: PlayedSegment) -> tuple[int, ...]:
    """Samples where a glide or a fade begins or ends."""
    last = cue.stop - 1
    turns = [
        cue.begins, cue.begins + cue.glide_seconds, cue.ends,
        timing.music_in + timing.start_fade_seconds, timing.window_end - timing.end_fade_seconds,
    ]  # fmt: skip
    for fade in (cue.fade_in, cue.fade_out):
        if fade is not None:
            turns += [fade.centre - fade.seconds / 2.0, fade.centre + fade.seconds / 2.0]
    inside = {round(turn * timing.rate) for turn in turns}
    return tuple(sorted({cue.first, last, *(turn for turn in inside if cue.first < turn < last)}))


class _CueGain:
    """The gain of one cue at a sample, as `workbench.render.playback` multiplies it."""

    def __init__(self, timing: Schedule, cue: PlayedSegment) -> None:
        self._timing = timing
        self._cues = {
            (into, out): replace(cue, fade_in=cue.fade_in if into else None, fade_out=cue.fade_out if out else None)
            for into in (False, True)
            for out in (False, True)
        }
        self._ends = {
            (start, end): replace(
                timing,
                start_fade_seconds=timing.start_fade_seconds if start else 0.0,
                end_fade_seconds=timing.end_fade_seconds if end else 0.0,
            )
            for start in (False, True)
            for end in (False, True)
        }

    def __call__(
        self,
        sample: int,
        *,
        fade_in: bool = True,
        fade_out: bool = True,
        start_fade: bool = True,
        end_fade: bool = True,
    ) -> float:
        gain = float(self._cues[fade_in, fade_out].gain(sample, sample + 1, self._timing.rate)[0])
        ends = self._ends[start_fade, end_fade].ends_gain(sample, sample + 1)
        return gain if ends is None else gain * float(ends[0])


def _record(workspace: Workspace, track: Path) -> Track:
    """The track of the catalog with the bytes of a file, the one with most credits; else what the file's tags say."""
    content_hash = workspace.hash_file(track)
    known = () if workspace.existing_database is None else open_library(workspace).with_content(content_hash)
    if known:
        return max(known, key=lambda record: len(record.credits))
    title, artist = read_tags(track)
    return Track("track", track, content_hash, title=title, artist_name=artist)


def _track(workspace: Workspace, plan: Music, path: Path) -> TrackMedia:
    recording = workspace.load_recording(path)
    check_track(plan, recording)
    return TrackMedia(path, recording.samples.shape[1], recording.sample_rate, recording.channels)


def _video(plan: Music, path: Path, given_rate: float | None) -> VideoMedia:
    info = probe(path)
    found_rate, _ = find_frame_rate(path)
    rate = found_rate if given_rate is None else exact_rate(given_rate)
    check_length_of_video(plan, path, info.duration)
    timecode, can_drop = info.timecode or "00:00:00:00", is_drop_frame(rate)
    return VideoMedia(
        path=path,
        frame_rate=rate,
        frames=max(1, round(info.duration * rate)),
        width=info.width or 0,
        height=info.height or 0,
        sound_rate=info.sample_rate if info.has_audio else None,
        channels=info.channels or 0,
        start_frame=count_frames(timecode if can_drop else timecode.replace(";", ":"), ceil(rate)),
        drops=can_drop and ";" in timecode,
    )


def find_frame_rate(video: Path) -> tuple[Fraction, str | None]:
    """The frame rate of an edit of a video, and a line that says so where it is not the video's mean rate; else None.

    Telephones and screen recorders leave pictures out, or show them late: their mean rate is no usual one, but the file
    states the nominal rate.
    """
    info = probe(video)
    if not info.has_video or not info.fps:
        raise MediaError(f"{video}: no moving picture in this file; give the video that the plan was made for")
    mean, base = info.fps, info.base_rate
    usual = find_usual_rate(mean, _FRAME_RATE_TOLERANCE)
    if usual is not None or (base is not None and abs(mean / base - 1.0) < _FRAME_RATE_TOLERANCE):
        return usual or Fraction(mean).limit_denominator(1001), None
    if base in USUAL_RATES:
        rate, why = base, "the rate that the file states"
    else:
        editable = [rate for rate in USUAL_RATES if rate > _LEAST_GUESS]
        rate = min(editable, key=lambda rate: abs(log(mean / rate)))
        why = "the nearest usual one, for its rate varies"
    said = f"{video.name} shows {mean:.3f} pictures a second on average; the edit counts {float(rate):.6g}, {why}"
    return rate, said


def _balance(mix: MixLevels | None) -> EditLevels:
    gains = gains_of(mix)
    duck = np.array(gains.duck_points, dtype=np.float64).reshape(-1, 2)
    return EditLevels(gains.music_db, gains.soundtrack_db, duck, gains.speech_ranges)


def _notes(workspace: Workspace, track: Path) -> Notes:
    analysis = analyze(workspace, track)
    grid = analysis.grid
    return Notes(
        beats=_beats(grid),
        sections=tuple((section.song_from, section.song_to, section.label) for section in analysis.profile.sections),
        grid_confidence=grid.confidence,
    )


def _beats(grid: BeatGrid) -> tuple[tuple[TrackSeconds, int], ...]:
    """Time and place in the bar of each beat, track time."""
    return tuple(zip(grid.beats.tolist(), grid.positions.tolist(), strict=True))


def _is_on(plan: Music, grid: BeatGrid) -> bool:
    """Whether every splice of a plan leaves and enters on a bar line of a grid; a placed track has none."""
    if isinstance(plan, PlacedTrack):
        return True
    table = segment_table(plan)
    places, lines = np.concatenate([table[:-1, 1], table[1:, 0]]), grid.downbeats
    if lines.size == 0:
        return False
    return bool(np.all(np.abs(places - lines[nearest_line(lines, places)]) <= GRID_TOLERANCE_SECONDS))
