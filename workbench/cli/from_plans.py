"""What `render`, `export`, `report` and `conform` do with a plan: they play it, write it, and change it."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

import click

from workbench.analysis.provenance import with_recorded_mix
from workbench.analysis.sources import find_track, find_video, recorded_video, with_audio_of
from workbench.analysis.workspace import Workspace
from workbench.cli.option_words import in_options, refusal_in_options
from workbench.cli.plan_files import (
    folders_of,
    name_file_in_errors,
    name_file_in_plan_errors,
    read_music,
    read_result,
    resolve_music,
    say_kept_mix,
    say_other_streams,
    say_placement,
    spans_in_words,
    warn_of_other_bytes,
)
from workbench.cli.plan_options import AskedMusic
from workbench.cli.terminal import bytes_of, deliver_body, print_body, progress_bar, say
from workbench.errors import InputError
from workbench.export.formats import Format, caution
from workbench.extensions import EXPORT_FORMATS, find
from workbench.files import is_stream, write_json, written_whole
from workbench.media.audio import SOUND_SUFFIXES
from workbench.media.probe import probe
from workbench.media.sound_streams import SoundChoice
from workbench.params import DELIVERY_TARGETS
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plots.conform import conform_figure
from workbench.plots.palette import png
from workbench.render.sound_levels import SoundLevels
from workbench.render.video import VIDEO_SUFFIXES, Playback
from workbench.workflows.conform import ConformRequest, conform, conform_json, conform_summary, conform_table
from workbench.workflows.export import PACKED, export_plan, find_frame_rate, find_sync_points, media_beside
from workbench.workflows.plan import read_planned
from workbench.workflows.render import Delivery, load_stems, own_music_ranges, render_measured
from workbench.workflows.report import choose_option, write_plan_report

_LOUD_DBTP, _LOUD_LUFS = 0.0, -9.0
"""over which a line says that a file is loud: players clip what is over full scale, and turn loud files down by LU"""


def render(
    workspace: Workspace,
    *,
    asked: AskedMusic,
    video: Path | None,
    out: Path,
    audio: SoundChoice | None,
    music_alone: bool,
    stems: dict[str, Path],
    ducked: tuple[str, ...] | None,
    small: bool,
    limit: bool,
    target: str | None,
    ducking: str | None,
) -> None:
    """Play a plan or a placement into a file, and print its levels."""
    if audio is not None and video is None:
        raise click.UsageError("--audio needs --video FILE")
    source = None if video is None else find_video(workspace, video)
    video_path = None if source is None else source.path
    _check_suffix(out, video_path, small, music_alone)
    if stems and is_stream(out):
        raise click.UsageError("--stem writes files beside the output; name a file for that")
    chosen = read_music(workspace, asked, "a render")
    assert chosen.track is not None, "it is needed"
    if music_alone and chosen.mix is None:
        raise click.UsageError(
            "PLAN has no mix; make it with --auto-mix, or leave --music out for the music at its own level"
        )
    if music_alone and chosen.number > 1 and video_path is None and chosen.mix is not None and chosen.mix.duck:
        raise click.UsageError("the mix in PLAN is that of option 1: the music of another option needs --video FILE")
    if ducked is not None and (chosen.mix is None or not (music_alone or video_path)):
        raise click.UsageError("--duck needs a PLAN made with --auto-mix, and --video FILE or --music")
    warn_of_other_bytes(workspace, chosen, video_path)
    given = workspace.params
    workspace = with_recorded_mix(workspace.with_audio(audio), chosen.provenance)
    if ducking is not None:
        workspace = _ducking_as(ducking, workspace)
    workspace = with_audio_of(workspace, source, audio if source is None else workspace.audio)
    with progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        parts = load_stems(reporting, chosen.track.path, stems, ducked)
        recording = workspace.load_recording(chosen.track.path)
        found, mix = resolve_music(reporting, chosen, video_path)
        under, levels = (None if music_alone else video_path), (mix if music_alone or video_path else None)
        playback = Playback(found, recording, levels, parts, workspace.audio)
        delivery = Delivery(target, limit, small)
        rendered = render_measured(reporting, playback, out, under, delivery, track=chosen.track.path)
    if levels is not None:
        say_kept_mix(chosen, mix, given)
        say_other_streams(chosen, mix, workspace.audio)
    say_placement(chosen)
    if isinstance(found, LoopPlan) and round(rendered.without_music) >= 1:
        say(f"the music ends {rendered.without_music:.0f} s before the video, with the plan")
    for line in rendered.shortfalls:
        say(line)
    if rendered.left_out is not None:
        say(rendered.left_out)
    _say_loud(rendered.levels)
    of_dialogue = target is not None and DELIVERY_TARGETS[target].measured_on == "dialogue"  # says so itself
    if rendered.speech is not None and rendered.levels.dialogue_lufs is None and not of_dialogue:
        say("no speech was found in the video, so there is no loudness of the dialogue")
    print_body(
        {"output": str(out), "seconds": round(found.window_end, 6), **bytes_of(out)}
        | ({"stems": {stem.name: str(stem.out) for stem in rendered.stems}} if stems else {})
        | _levels(rendered.levels)
        | ({} if rendered.gain is None else {"target": target, "gain_db": round(rendered.gain.gain_db, 2)})
        | ({} if video is None or not mix or not mix.duck else {"ducking": workspace.params.render.ducking})
    )


def _say_loud(levels: SoundLevels) -> None:
    """Say on standard error that a file is over full scale, or louder than music is mastered."""
    found = []
    if levels.true_peak_dbtp > _LOUD_DBTP:
        found.append(f"a true peak of {levels.true_peak_dbtp:+.1f} dBTP, over full scale")
    if levels.loudness_lufs > _LOUD_LUFS:
        found.append(f"{levels.loudness_lufs:.1f} LUFS, over {_LOUD_LUFS:g}")
    if found:
        say(f"this is loud: {' and '.join(found)}; --target web makes a file for players, --limit holds its peaks")


def _ducking_as(ducking: str, workspace: Workspace) -> Workspace:
    """The workspace that ducks as was asked for."""
    params = workspace.params
    render = params.render.model_copy(update={"ducking": ducking})
    return workspace.with_params(params.model_copy(update={"render": render}))


def _levels(levels: SoundLevels) -> dict[str, float]:
    """Levels as printed; what was not measured, or is silent, is left out."""
    measured = {
        "loudness_lufs": levels.loudness_lufs,
        "true_peak_dbtp": levels.true_peak_dbtp,
        "loudness_range_lu": levels.loudness_range_lu,
        "max_momentary_lufs": levels.max_momentary_lufs,
        "max_short_term_lufs": levels.max_short_term_lufs,
        "dialogue_lufs": levels.dialogue_lufs,
    }
    return {name: round(level, 2) for name, level in measured.items() if level is not None and isfinite(level)}


def _check_suffix(out: Path, video: Path | None, small: bool, music_alone: bool) -> None:
    """Refuse a file that cannot be written before a track is decoded for it."""
    has_picture = video is not None and not music_alone and probe(video).has_video
    if small:
        sendable = [".mp3", ".mp4"] if has_picture else [".mp3"]
        if out.suffix.lower() not in sendable:
            raise click.UsageError(f"{out.name}: --small writes {' or '.join(sendable)}")
        return
    suffix, known = out.suffix.lower(), VIDEO_SUFFIXES if has_picture else SOUND_SUFFIXES
    if suffix in known or (not suffix and is_stream(out)):
        return
    if suffix in VIDEO_SUFFIXES:
        needs = "--video FILE; without it" if video is None else f"a picture, and {video.name} has none;"
        raise click.UsageError(f"{suffix[1:].upper()} needs {needs} write {', '.join(SOUND_SUFFIXES)}")
    kind = "a video" if has_picture else "sound" if video else "music"
    raise click.UsageError(f"{out.name}: {kind} is written as {', '.join(known)}, not {suffix or 'without a suffix'}")


def export(
    workspace: Workspace,
    *,
    asked: AskedMusic,
    format_name: str,
    video: Path | None,
    with_media: bool,
    stems: dict[str, Path],
    ducked: tuple[str, ...] | None,
    reviews: bool,
    frame_rate: float | None,
    out: Path,
) -> None:
    """Write a plan or a placement in a format of other programs."""
    form: Format = find(EXPORT_FORMATS, format_name)
    if with_media and is_stream(out):
        raise click.UsageError("--with-media writes a sound file beside the output; name a file for that")
    chosen = read_music(workspace, asked, f"the format {format_name}" if form.needs_track else None)
    if ducked is not None and chosen.mix is None:
        raise click.UsageError("--duck needs a PLAN made with --auto-mix")
    given = workspace.params
    workspace = with_recorded_mix(workspace, chosen.provenance)
    track_path = None if chosen.track is None else chosen.track.path
    video_path = None if video is None else find_video(workspace, video).path
    warn_of_other_bytes(workspace, chosen, video_path)
    with progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        found, mix = resolve_music(reporting, chosen, video_path)
        sync_points = []
        if not isinstance(chosen.music, LoopPlan) and track_path is not None and video_path is not None:
            sync_points = find_sync_points(reporting, track_path, video_path, chosen.music.offset_seconds)
        said = []
        if reviews and isinstance(found, LoopPlan) and track_path is not None:
            from workbench.review.comments import find_review, review_markers

            said = review_markers(found, find_review(reporting, found, track_path, video_path, chosen.provenance))
        export_plan(
            reporting,
            found,
            format_name,
            out,
            track=track_path,
            video=video_path,
            mix=mix,
            provenance=chosen.provenance,
            sync_points=sync_points,
            reviews=said,
            with_media=with_media,
            frame_rate=frame_rate,
            stems=stems,
            ducked=ducked,
            record=None if chosen.track is None else chosen.track.record,
        )
    counts_frames = form.uses_video and not form.uses_grid  # a grid is one of beats
    if counts_frames and video_path is not None and frame_rate is None and (rate := find_frame_rate(video_path)[1]):
        say(f"{rate}; --frame-rate sets another")
    if form.uses_video and video is None and chosen.number > 1 and isinstance(found, LoopPlan) and mix and mix.duck:
        say(f"the levels are those of the plan served; with --video they are measured for option {chosen.number}")
    if mix and mix.duck and workspace.params.render.ducking == "bands":
        say(f"{format_name}: lowers all of the music under speech; `workbench render` lowers it in bands")
    say_kept_mix(chosen, mix, given)
    say_placement(chosen)
    if form.uses_catalog and form.uses_video and video_path is not None:
        own_music = own_music_ranges(workspace, video_path, found.window_end)
        if own_music:
            say(f"{format_name}: the video has music of its own, {spans_in_words(own_music)}; add its cues by hand")
    if form.limits:
        say(f"{format_name}: {form.limits[0].lower()}{form.limits[1:-1]}")
    is_packed = out.suffix.lower() == PACKED
    named = () if with_media or is_packed else stems.values() or [track_path]
    for warning in dict.fromkeys(caution(form, sound) for sound in named):
        if warning:
            click.echo(f"{warning}, or with --with-media, which writes one", err=True)
    is_folder = with_media and not is_packed
    media = {"media": [str(path) for path in media_beside(out, tuple(stems))]} if is_folder else {}
    print_body({"output": str(out), "format": format_name, **bytes_of(out)} | media)


def print_conformed(
    workspace: Workspace,
    *,
    plan: Path,
    output: Path,
    video: Path | None,
    picture: Path | None,
    track: str | None,
    length: float | None,
    **asked: Any,
) -> int:
    """Change a plan for a changed cut of its video, as `ConformRequest` takes it; returns the exit code."""
    video_path = None if video is None else find_video(workspace, video).path
    track_path = None if track is None else find_track(workspace, track).path
    with name_file_in_errors(plan):
        result = read_result(plan, length)
    folders = (Path(), *(() if str(plan) == "-" else (plan.parent,)))
    with name_file_in_plan_errors(plan), progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        request = ConformRequest(**asked)
        conformed = conform(reporting, result, request, track=track_path, video=video_path, folders=folders)
    if isinstance(conformed.answer, Refusal):
        hint = refusal_in_options(conformed.answer)
        say(hint)
        deliver_body(conform_json(conformed, hint), None)
        return 3
    table, summary = conform_table(conformed), conform_summary(conformed)
    if picture is not None:
        profile = conformed.analysis.profile
        with written_whole(picture) as part:
            figure = conform_figure(conformed.old, conformed.plan, conformed.difference, profile, conformed.cover)
            part.write_bytes(png(figure))
    write_json(output, conform_json(conformed))
    for line in table:
        say(in_options(line))
    if conformed.lost_mix:
        say("the mix was measured on the old cut and is left out; --video FILE measures it on the new one")
    print_body(summary)
    return 0


def write_page_of(plan: Path, values: dict[str, str], option: int, out: Path, workspace: Workspace) -> None:
    """Write the page of a plan; `values` may name its track and video."""
    if unknown := set(values) - {"track", "video"}:
        raise click.UsageError(f"a plan takes track and video with -p, not {', '.join(sorted(unknown))}")
    chosen = read_music(workspace, AskedMusic(plan, values.get("track"), option), "a report")
    assert chosen.track is not None, "it is needed"
    warn_of_other_bytes(workspace, chosen)
    made, video = chosen.provenance, None
    workspace = with_recorded_mix(workspace, made)
    if "video" in values:
        video = find_video(workspace, values["video"]).path
    elif made is not None and made.video is not None:
        try:
            video = recorded_video(workspace, made.video, folders_of(plan))
        except InputError:
            say(f"the video {made.video.name} was not found, so the page has the music alone; -p video FILE names it")
    with name_file_in_errors(plan), progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        planned = read_planned(reporting, read_result(plan), chosen.track, video)
        write_plan_report(reporting, choose_option(reporting, planned, option), out)
