"""`workbench render PLAN.json`: a plan or a placement as sound, or as a video."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import FILE, NewFile, audio_option, profile_option, workspace_option
from workbench.cli.plan_options import music_options, stem_options, track_option

_DUCKING = ("broadband", "bands")
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
def command(**asked: Any) -> None:
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
    from workbench.cli.from_plans import render

    render(**asked)
