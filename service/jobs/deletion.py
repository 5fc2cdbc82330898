"""Deleting a video with everything that is its own: records, bytes, jobs, answers. The rows of the ledger stay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service.store import answers, jobs, video_owners
from service.store.video_owners import OwnedVideo
from workbench.errors import ParameterError, StoreError, UnknownVideo
from workbench.store import videos
from workbench.store.database import Database
from workbench.store.stored_files import StoredFiles
from workbench.store.videos import AddedVideo


@dataclass(frozen=True, slots=True)
class DeletedVideo:
    """Records and files that were deleted with a video."""

    video_id: str
    jobs: int
    answers: int
    """0 while another video has the same bytes"""
    bytes: int
    """of files; 0 for a file outside the home folder and the store"""


def delete_video(files: StoredFiles, database: Database, video_id: str) -> DeletedVideo:
    """Delete a video, records first; UnknownVideo if there is none, ParameterError if a job on it is not settled."""
    with database.write() as connection:
        owned = video_owners.get(connection, video_id)
        record = next((one for one in videos.every(connection) if one.video_id == video_id), None)
        if owned is None and record is None:
            raise UnknownVideo(f"{video_id}: no video of that id")
        for job in jobs.of_video(connection, video_id):
            if not job.settled:
                advice = f"wait for it, or `workbench jobs cancel {job.job_id}`"
                raise ParameterError(f"{video_id}: {job.job_id} on it is {job.state}; {advice}")
        video_owners.delete(connection, video_id)
        videos.delete(connection, video_id)
        n_jobs, n_answers = jobs.delete_of_video(connection, video_id), 0
        if record is not None and not videos.with_content(connection, record.content_hash):
            n_answers = answers.delete_of_video(connection, record.content_hash)
        used = {one.path for one in videos.every(connection)}
    freed = 0
    for path in _own_files(files, owned, record) - used:
        try:
            freed += files.delete(path)
        except StoreError as error:
            raise StoreError(f"{path.name}: the records are deleted, the file cannot be ({error})") from error
    return DeletedVideo(video_id, n_jobs, n_answers, freed)


def _own_files(files: StoredFiles, owned: OwnedVideo | None, record: AddedVideo | None) -> set[Path]:
    """The files of a video that were sent or fetched for it."""
    found = set()
    if owned is not None and owned.upload is not None:
        found.add(files.place("uploads", owned.upload))
    if record is not None and files.is_own(record.path):
        found.add(record.path)
    return found
