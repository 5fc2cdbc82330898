"""The job that makes a preview: once for all accounts, free."""

from __future__ import annotations

import structlog

from service.jobs.outcome import Context, JobFault, Outcome
from service.store.jobs import Job
from workbench.errors import MediaError, UnknownTrack

log = structlog.get_logger("service.jobs")


def preview(job: Job, context: Context) -> Outcome:
    """Write the watermarked excerpt of a track to the folder of previews.

    The outcome is the stretch of the track that it plays, and is free. Raises JobFault, 404, if the track has left the
    catalog, or its file cannot be read or has changed.
    """
    from workbench.catalog.library import Library
    from workbench.files import hash_file
    from workbench.workflows.preview import make_preview

    name = str(job.request["file"])
    context.stage("cutting")
    try:
        track = Library(context.workspace.database).get(str(job.track_id))
        made = make_preview(context.workspace, track.path, context.scratch / name)
        if hash_file(context.workspace.local_file(track.path)) != track.content_hash:
            raise MediaError("the file of the track is not the one in the catalog any more")
    except (MediaError, UnknownTrack) as error:
        log.warning("no preview", track_id=job.track_id, problem=str(error))
        raise JobFault(404, "there is no sound to make a preview of") from error
    context.workspace.files.keep(made.path, "previews", name)
    return Outcome({"file": name, "song_from": made.song_from, "song_to": made.song_to}, billed=False)
