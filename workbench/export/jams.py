"""JAMS, the annotation format of music research (Humphrey et al., ISMIR 2014): beats and sections of the track.

A JAMS file belongs to one recording, so all annotations are in track time. The plan, which plays that track under a
video, is stored whole in the file's sandbox under `workbench`, with the program and version that wrote it;
`workbench.results.plan.plan_from_json` reads the same plan back, and `workbench.analysis.provenance.read_provenance`
what it was made from. A placement is stored there by its times. The segments of the plan are a second `segment_open`
annotation beside the track's sections, each named by its number in the plan; JAMS sorts by track time.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workbench.export.files import plain_name
from workbench.export.formats import Format
from workbench.export.timeline import Notes, Timeline, TrackMedia
from workbench.files import write_text
from workbench.recording import TrackSeconds

_TOOL = "barline-workbench"


def write_jams(timeline: Timeline, out: Path) -> None:
    """Write beats, sections and segments."""
    track, notes, made = timeline.track, timeline.notes, timeline.provenance
    assert track is not None, "the format needs a track"
    assert notes is not None, "the format uses the analysis of the track"
    # Imported here: jams brings pandas and jsonschema, and comes only with the extra `export`.
    jams = import_module("jams")
    document = jams.JAMS()
    seconds = track.samples / track.rate
    document.file_metadata.duration = seconds
    document.file_metadata.title = plain_name(track.path.stem)
    document.annotations.append(_beats(jams, notes, seconds))
    document.annotations.append(_sections(jams, notes, seconds))
    document.annotations.append(_played(jams, timeline, seconds))
    music = _played_music(timeline, track)
    document.sandbox.update(workbench=music if made is None else {**music, "provenance": dict(made)})
    write_text(out, document.dumps(indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _annotation(jams: Any, namespace: str, seconds: float, what: str) -> Any:
    metadata = jams.AnnotationMetadata(
        data_source="program", annotation_tools=_TOOL, version=version(_TOOL), annotation_rules=what
    )
    return jams.Annotation(namespace=namespace, time=0, duration=seconds, annotation_metadata=metadata)


def _beats(jams: Any, notes: Notes, seconds: TrackSeconds) -> Any:
    annotation = _annotation(jams, "beat", seconds, "the value is the place in the bar, 1 a downbeat")
    for time, place in notes.beats:
        annotation.append(time=time, duration=0.0, value=place, confidence=notes.grid_confidence)
    return annotation


def _sections(jams: Any, notes: Notes, seconds: TrackSeconds) -> Any:
    annotation = _annotation(jams, "segment_open", seconds, "sections of the track, whole bars")
    for start, end, name in notes.sections:
        annotation.append(time=start, duration=end - start, value=name, confidence=None)
    return annotation


def _played(jams: Any, timeline: Timeline, seconds: TrackSeconds) -> Any:
    annotation = _annotation(jams, "segment_open", seconds, "segments that the plan plays, numbered in that order")
    for item in timeline.items:
        annotation.append(
            time=item.song_from, duration=item.song_to - item.song_from, value=f"played {item.number}", confidence=None
        )
    return annotation


# of the plan, as its JSON names them
_PLAN_FIELDS = (
    "segments", "seam_fades", "seam_curves", "gain_glide_seconds", "music_in", "music_out", "window_end", "music_end",
    "tail_seconds", "song_start", "song_duration", "loop_start_a", "loop_end_b", "bars", "beats_per_bar", "repeats",
    "seam_score", "seam_times", "sections_covered", "end_label", "start_fade_seconds", "end_fade_seconds", "plan_score",
    "outro_start", "outro_end", "version", "kind", "start_at",
)  # fmt: skip


def _played_music(timeline: Timeline, track: TrackMedia) -> dict[str, Any]:
    tool = {"tool": _TOOL, "version": version(_TOOL)}
    if timeline.plan is None:
        item = timeline.items[0]
        placement = {"offset_seconds": item.begins - item.song_from, "song_from": item.song_from}
        placement |= {"song_to": item.song_to, **asdict(timeline.ends)}
        return {**tool, "sample_rate": track.rate, "placement": placement}
    values = {name: getattr(timeline.plan, name) for name in _PLAN_FIELDS}
    plan = {name: value for name, value in values.items() if value is not None}
    plan["segments"] = [asdict(segment) for segment in timeline.plan.segments]
    return {**tool, "plan_version": timeline.plan.version, "sample_rate": track.rate, "plan": plan}


FORMAT = Format(
    "jams",
    "JAMS",
    "Beats, sections and the plan, as annotations of the track.",
    ".jams",
    write_jams,
    needs_track=True,
    uses_analysis=True,
    extra="export",
)
