"""`workbench render PLAN.json`: a plan or a placement as sound, or as a video."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import FILE, NewFile, audio_option, profile_option, workspace_option
from workbench.cli.plan_files import (
    lay_out,
    music_options,
    read_music,
    say_kept_mix,
    say_other_streams,
    say_placement,
    stem_options,
    track_option,
    warn_of_other_bytes,
)
from workbench.cli.terminal import bytes_of, print_body, progress_bar, say

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace
    from workbench.cli.plan_files import AskedMusic
    from workbench.media.sound_streams import SoundChoice
    from workbench.render.sound_levels import SoundLevels

_DUCKING = ("broadband", "bands")
_LOUD_DBTP, _LOUD_LUFS = 0.0, -9.0
"""over which a line says that a file is loud: players clip what is over full scale, and turn loud files down by LU"""
_TARGETS = ("web", "podcast", "ebu-r128", "ebu-r128-s1", "atsc-a85", "dialogue")


@click.command("render")
@click.argument("plan", type=FILE)
@track_option
@click.option(
    "--video",
    type=FILE,
    help="The video, a file or a video's id; its picture is copied, its sound stays under the music. Or sound without "
    "a picture, such as a podcast's.",
)
@click.option(
    "-o", "--output", "out", type=NewFile(), required=True, help="WAV, FLAC or MP3; with a video MP4, MOV or MKV."
)
@audio_option
@music_options
@click.option(
    "--music",
    "music_alone",
    is_flag=True,
    help="Write the music as it is in the mix of PLAN, without the video's sound.",
)
@stem_options
@click.option(
    "--small",
    is_flag=True,
    help="Write a small file to send: an MP3 with voice and music, or with --video an MP4 of 360 lines, without "
    "subtitles, chapters and tags; 96 kbit/s.",
)
@click.option("--limit", is_flag=True, help="Hold the true peak under -1 dBTP; a mix and stems always are.")
@click.option(
    "--target",
    type=click.Choice(_TARGETS),
    help="Bring the file to the loudness and the true peak that are asked for there, see above.",
)
@click.option(
    "--ducking",
    type=click.Choice(_DUCKING),
    help="Lower all of the music under speech, or less of it below and above the band of speech. Default: as the "
    "profile or PLAN says, else all of it.",
)
@profile_option
@workspace_option
def command(
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
    workspace: Workspace,
) -> None:
    """Play PLAN, as `workbench loop` prints it, into a sound file or, with --video, under a video or a podcast.

    PLAN may also be what `workbench align` or `match --include-sync` prints: the track is then laid under the video as
    the placement says, from its first picture to its last; without a video, to the end of the track.

    The track is that of --track, or else the one that PLAN was made for: of the catalog, or under its name beside PLAN
    or here, known by its bytes.

    A mix in PLAN is applied when a video is given: soundtrack and music at their gains, the music further down under
    speech, the sum under -1 dBTP; for another option than the plan served it is measured again. It stays as it was
    made: where a profile asks for another, a line says which command makes that. Prints the loudness of what was
    written, its range and its maxima, that of the dialogue, and the true peak; warns of a track that is not the one
    that PLAN was made for. `-` reads the plan from standard input.

    The picture is copied, and with it subtitles, chapters, title and dates, time code, covers, fonts and data of the
    camera, as far as the container of the output takes them; of sound without a picture tags and chapters. One line
    names what is left out.

    `-o -` is standard output. It and pipes without a suffix get WAV or, with the picture of a video, MKV; `-o -.mp3`
    names another format. The name of a file needs a suffix.

    --ducking bands keeps bass and treble of the music livelier under speech that is as clear; the music is then less
    LU under the voice, so where a rule asks for that distance (WCAG, 20 dB), leave it at broadband.

    --stem plays parts of the track in its place, cut, faded and levelled as the track is. OUT has their sum, and beside
    it each is written as OUT-NAME.wav, as it is in the mix: these files add up to OUT, less the video's sound. With
    --duck only some are lowered under speech, so that the drums stay, say. A stem is as long as the track, to the
    sample, at its rate; one in mono plays on all channels.

    --target brings the whole to a loudness by one gain, then limits it; what cannot be reached without taking more than
    6 dB off the peaks is said in a line:

    \b
      web           -14 LUFS, -1 dBTP: players of music and videos
      podcast       -16 LUFS, -1 dBTP
      ebu-r128      -23 LUFS, -1 dBTP: broadcast in Europe
      ebu-r128-s1   the same, and -18 LUFS at most in any 3 s: advertisements
      atsc-a85      -24 LUFS, -2 dBTP: broadcast in America
      dialogue      -27 LUFS of the speech alone, -2 dBTP; -24 of the whole where less than 15 % is speech

    \b
    Example:
      workbench render plan.json -o music.wav
      workbench render plan.json --music -o music-of-the-mix.wav
      workbench render plan.json --video video.mp4 --small -o to-send.mp4
      workbench render plan.json --track track.mp3 --video video.mp4 -o video-with-music.mp4
      workbench render plan.json --track track.mp3 --video talk.mp3 --target podcast -o talk-with-music.mp3
      workbench render plan.json --track track.mp3 --video video.mp4 --target ebu-r128 -o broadcast.mov
      workbench render plan.json --stem drums=drums.wav --stem rest=rest.wav --duck rest --video video.mp4 -o out.mp4
      workbench render plan.json --option 2 --track track.mp3 -o other-ending.wav
      workbench render placements.json --placement 2 --track track.mp3 --video video.mp4 -o video-with-music.mp4
    """
    from workbench.analysis.provenance import with_recorded_mix
    from workbench.analysis.sources import find_video, with_audio_of
    from workbench.files import is_stream
    from workbench.params import DELIVERY_TARGETS
    from workbench.workflows.render import load_stems, render_measured

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
    warn_of_other_bytes(workspace, chosen)
    given = workspace.params
    workspace = with_recorded_mix(workspace.with_audio(audio), chosen.provenance)
    if ducking is not None:
        workspace = _ducking_as(ducking, workspace)
    workspace = with_audio_of(workspace, source, audio if source is None else workspace.audio)
    with progress_bar() as progress:
        reporting = workspace.with_progress(progress)
        parts = load_stems(reporting, chosen.track.path, stems, ducked)
        recording = workspace.load_recording(chosen.track.path)
        found, mix = lay_out(reporting, chosen, video_path)
        under, levels = (None if music_alone else video_path), (mix if music_alone or video_path else None)
        rendered = render_measured(
            reporting,
            found,
            recording,
            out,
            under,
            levels,
            track=chosen.track.path,
            target=target,
            stems=parts,
            limit=limit,
            small=small,
        )
    if levels is not None:
        say_kept_mix(chosen, mix, given)
        say_other_streams(chosen, mix, workspace.audio)
    say_placement(chosen)
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
    from workbench.files import is_stream
    from workbench.media.audio import SOUND_SUFFIXES
    from workbench.media.probe import probe
    from workbench.render.video import VIDEO_SUFFIXES

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
