"""The job that makes a preview: once for all accounts, charged to none."""

from __future__ import annotations

from service.jobs.outcome import Context, JobFault, Outcome
from service.store.jobs import Job
from workbench.errors import MediaError, UnknownTrack


def preview(job: Job, context: Context) -> Outcome:
    """Write the marked excerpt of a track to where the previews lie.

    Raises
    ------
    JobFault : the track is gone, or its file cannot be read
    """
    from workbench.catalog.library import Library
    from workbench.workflows.preview import make_preview

    audio_id = str(job.request["audio_id"])
    folder = context.home.prepared(context.home.previews)
    context.stage("cutting")
    try:
        track = Library(context.database).get(str(job.track_id))
        made = make_preview(track.path, folder / f"{audio_id}.mp3", context.home, context.params)
    except (MediaError, UnknownTrack) as error:
        raise JobFault(404, "there is no sound to make a preview of") from error
    return Outcome({"audio_id": audio_id, "song_from": made.song_from, "song_to": made.song_to}, billed=False)
