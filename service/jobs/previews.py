"""The job that makes a preview: once for all accounts, charged to none."""

from __future__ import annotations

import os

import structlog

from service.jobs.outcome import Context, JobFault, Outcome
from service.store.jobs import Job
from workbench.errors import MediaError, UnknownTrack

log = structlog.get_logger("service.jobs")


def preview(job: Job, context: Context) -> Outcome:
    """Write the marked excerpt of a track to where the previews lie.

    Raises
    ------
    JobFault : the track is gone, or its file cannot be read or is another one
    """
    from workbench.catalog.library import Library
    from workbench.media.containers import hash_file
    from workbench.workflows.preview import make_preview

    name = str(job.request["file"])
    folder = context.workspace.home.prepared(context.workspace.home.previews)
    context.stage("cutting")
    try:
        track = Library(context.workspace.database).get(str(job.track_id))
        made = make_preview(context.workspace, track.path, context.scratch / name)
        if hash_file(track.path) != track.content_hash:
            raise MediaError("the file of the track is not the one in the catalog any more")
    except (MediaError, UnknownTrack) as error:
        log.warning("no preview", track_id=job.track_id, problem=str(error))
        raise JobFault(404, "there is no sound to make a preview of") from error
    os.replace(made.path, folder / name)
    return Outcome({"file": name, "song_from": made.song_from, "song_to": made.song_to}, billed=False)
