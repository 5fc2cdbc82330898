"""`workbench export PLAN.json`: a plan or a placement for editors, annotation tools and game engines."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.options import FILE, NewFile, profile_option, workspace_option
from workbench.cli.plan_options import music_options, stem_options, track_option

_FORMATS = (
    "otio", "fcpxml", "xmeml", "edl", "rpp", "audacity", "jams", "csv", "markers", "cue-sheet", "credits", "loop-tags"
)  # fmt: skip


class _FormatName(click.Choice[str]):
    """One of our formats, or of those that others registered or installed, or the format of a module."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Convert to a name."""
        if isinstance(value, str) and value not in self.choices:
            from workbench.extensions import EXPORT_FORMATS, names

            if ":" in value or value in names(EXPORT_FORMATS):
                return value
        return str(super().convert(value, param, ctx))


@click.command("export")
@click.argument("plan", type=FILE)
@click.option("--format", "format_name", type=_FormatName(_FORMATS), required=True, help="What to write, see above.")
@track_option
@click.option("--video", type=FILE, help="The video, a file or a video's id, for edits; it ends a placed track.")
@click.option(
    "--with-media",
    is_flag=True,
    help="Write the track and the music of the mix beside an edit too, as WAV, and let the edit name them.",
)
@stem_options
@click.option(
    "--reviews/--no-reviews",
    default=True,
    help="Add markers of comments and verdicts, where the home folder has some on this plan.",
)
@click.option(
    "--frame-rate",
    type=click.FloatRange(min=1.0, max=120.0),
    help="Frames a second of an edit with --video, such as 29.97. Default: the video's, or the one its file states.",
)
@click.option("-o", "--output", "out", type=NewFile(), required=True, help="The file to write; - is standard output.")
@music_options
@profile_option
@workspace_option
def command(**asked: Any) -> None:
    """Write PLAN, as `workbench loop` prints it, in a format that other programs read.

    \b
      otio       an edit for Resolve and others (OpenTimelineIO); only Resolve takes the levels
      fcpxml     an edit for Final Cut Pro; clips on whole frames, crossfades as keyframes
      xmeml      an edit for Premiere (Final Cut Pro 7 XML); clips on whole frames, two kinds of crossfade
      edl        an edit decision list (CMX 3600); whole frames, levels as comments, no soundtrack
      rpp        a REAPER project, exact to the sample, with tempo and bars of the track
      audacity   labels: seams, sync points, segments, speech; with --track bars and sections
      jams       beats, sections and the plan, as annotations of the track
      csv        seams as a table
      markers    markers as a table; with --track comments and verdicts too
      cue-sheet  what plays from when to when, as a table for broadcasters: title, makers, ISRC, usage, times, licence
      credits    the same as text for a video's description; both take title and makers from the catalog
      loop-tags  a copy of the track with loop points (WAV, FLAC, Ogg)

    PLAN may also be what `workbench align` or `match --include-sync` prints: the edit then has the track once, as
    --placement says, cut off where the video ends. All formats but loop-tags hold a placement.

    A mix in PLAN is part of every edit: gains, and the duck under speech; with --video it is measured again for
    another option than the plan served. The duck lowers all of the music, also where `render --ducking` does not.
    All but csv, audacity and markers need the track, and so does every placement. Media beside the output are named
    relative to it. `-` reads the plan from standard input.

    --with-media writes files named like the output. One with -track.wav has the track, or with -stem-NAME.wav each
    stem, for editors that do not import it, or read its beginning differently, as some do with MP3. One with -music.wav
    has the music as it is in the mix, ducked and exact to the sample: the edit has it as one clip more, switched off,
    that can play in place of the others. An edit named .zip is packed with these files and the video.

    --stem lays parts of the track in its place, each on a track of its own with the fades and levels of the music: in
    otio, fcpxml, xmeml and rpp. With --duck only some have the duck. An edl has one stereo track, so no stems.

    Edits and labels have markers at start, seams and end of the music; those of a placement also where it meets the
    picture, if --video is given; and those of a plan comments and verdicts, if --track is known. Levels stay
    within 0.25 dB of the plan's with as few keys as that takes.

    \b
    Example:
      workbench export plan.json --format otio --track track.wav --video video.mp4 -o video.otio
      workbench export plan.json --format fcpxml --with-media --track track.ogg --video video.mp4 -o video.fcpxml
      workbench export plan.json --format xmeml --video video.mp4 -o for-premiere.zip
      workbench export plan.json --format otio --stem drums=drums.wav --stem rest=rest.wav --duck rest -o video.otio
      workbench export plan.json --format cue-sheet --video video.mp4 -o cues.csv
      workbench export plan.json --format loop-tags --track track.flac -o track-looped.flac
      workbench export placements.json --placement 2 --format rpp --track track.wav --video video.mp4 -o video.rpp
    """
    from workbench.cli.from_plans import export

    export(**asked)
