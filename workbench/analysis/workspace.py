"""The workspace: the resources that one command, job, page or notebook shares.

A workspace holds the home folder, the settings, the parameters and the function that receives progress. It opens each
resource when it is first needed, and at most once:

    arrays             the store of analysis arrays in the home folder
    files              videos, tracks and other files, in the home folder or in a store that machines share
    database           the records; one set of connections, which threads may share
    load_recording()   decoded sound of files, see below

Every workflow takes it as its first argument. The layers below the workflows take arrays and values and know nothing of
it. The creator of a workspace closes it, best by `with`; one from `with_params` or `with_progress` shares all that is
open and leaves closing to the workspace it came from.

Decoded sound is cached by the hash of the file's bytes, so that a changed file is decoded again. The recording that
was used last always stays; the least recently used of the others are dropped until those in memory take no more than
`RECORDING_BYTES`, and those in files no more than `FILED_BYTES`: a long recording pushes no short one out. A hash
is computed again whenever the file's size, times or place on disk have changed, and while the file is so young that a
change might not show in its times. The samples of a recording over 64 MB lie in a file without a name in the home
folder's `scratch` and are read from it as they are used: hours of sound need not fit into memory.

A workspace stays in its process. A child process is sent the home folder and the parameters, and makes its own.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from workbench.analysis.progress import Progress, silent
from workbench.caches import lend_home
from workbench.files import FileStamp, has_settled, hash_file, stamp_of
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings, load_settings
from workbench.store.stored_files import StoredFiles, is_stored, open_files

if TYPE_CHECKING:
    from workbench.media.sound_streams import SoundChoice
    from workbench.params import WorkbenchParams
    from workbench.recording import Recording
    from workbench.store.arrays import ArrayStore
    from workbench.store.database import Database
    from workbench.store.schema import Schema

# Bytes of decoded sound held in memory, unless one recording alone takes more: 12 min of stereo at 44.1 kHz
RECORDING_BYTES = 256 * 2**20
FILED_BYTES = 4 * 2**30  # of decoded sound cached in files of the home folder: about 3 h of stereo at 44.1 kHz


class Workspace:
    """Home folder, settings, parameters, progress, and the resources that belong to them.

    Making one reads no file and loads no library. Threads may share one; a process never inherits one.

    Parameters
    ----------
    home : the folder that holds all state
    params : all parameters; None: the defaults
    progress : receives the name of the running stage and its share done; default: none
    settings : from the environment; None: they are read when they are first needed
    schemas : of other packages that keep tables in the same database, see `workbench.store.schema`
    recording_bytes, filed_bytes : of decoded sound that is held in memory and in files, beyond the recording used
        last
    """

    def __init__(
        self,
        home: Home,
        params: WorkbenchParams | None = None,
        progress: Progress = silent,
        *,
        settings: WorkbenchSettings | None = None,
        schemas: Sequence[Schema] = (),
        recording_bytes: int = RECORDING_BYTES,
        filed_bytes: int = FILED_BYTES,
    ) -> None:
        self._shared = _Shared(home, settings, tuple(schemas), (recording_bytes, filed_bytes))
        self._params = params
        self._progress = progress
        self._audio: SoundChoice | None = None
        self._owns_resources = True

    @property
    def home(self) -> Home:
        """The folder that holds all state."""
        return self._shared.home

    @property
    def settings(self) -> WorkbenchSettings:
        """Settings from the environment.

        Raises
        ------
        ParameterError : a variable holds a value that it cannot have
        """
        if self._shared.settings is None:
            self._shared.settings = load_settings()
        return self._shared.settings

    @property
    def params(self) -> WorkbenchParams:
        """All parameters."""
        if self._params is None:
            from workbench.params import WorkbenchParams

            self._params = WorkbenchParams()
        return self._params

    @property
    def progress(self) -> Progress:
        """The function that receives progress."""
        return self._progress

    @property
    def audio(self) -> SoundChoice | None:
        """The sound streams that are the soundtrack of a video; None: those that a player would play."""
        return self._audio

    @property
    def audio_parts(self) -> tuple[SoundChoice, ...]:
        """What the cache keys of results that depend on a soundtrack hold for it."""
        return () if self._audio is None else (self._audio,)

    @property
    def arrays(self) -> ArrayStore:
        """The store of analysis arrays."""
        if self._shared.arrays is None:
            from workbench.analysis.labels import VARIABLES
            from workbench.store.arrays import ArrayStore

            self._shared.arrays = ArrayStore(self.files.folder("arrays"), VARIABLES, self.files)
        return self._shared.arrays

    @property
    def files(self) -> StoredFiles:
        """Files that outlive their process, in the home folder or in the store of the settings.

        Raises
        ------
        ParameterError, StoreError, ExtraMissing : as of `workbench.store.stored_files.open_files`
        """
        with self._shared.opening:
            if self._shared.files is None:
                self._shared.files = open_files(self.home, self.settings)
            return self._shared.files

    @property
    def database(self) -> Database:
        """The records, in the home folder or where the settings say; the folder is made if need be.

        Raises
        ------
        StoreError : the home folder or the database cannot be used
        """
        shared = self._shared
        with shared.opening:
            shared.check_open()
            if shared.database is None:
                from workbench.store.database import Database

                shared.database = Database.at(self.home, self.settings, shared.schemas)
            return shared.database

    @property
    def existing_database(self) -> Database | None:
        """The records, or None if there is no database yet: reading does not create one.

        Raises
        ------
        StoreError : the database cannot be used
        """
        if self.settings.database_url is None and not self.home.database.is_file():
            return None
        return self.database

    def load_recording(self, path: Path | str, longest: float = inf) -> Recording:
        """The sound of a file, decoded unless it is cached; decoding reports progress.

        Parameters
        ----------
        path : anything FFmpeg reads
        longest : seconds of sound that it may have

        Raises
        ------
        MediaError, StoreError : as of `workbench.media.audio.decode`
        """
        self._shared.check_open()
        path = self.local_file(path)
        recording = self._shared.recording(self.hash_file(path))
        if recording is None:  # two threads that ask for one file at the same time both decode it, and neither waits
            from workbench.media.audio import decode

            self.progress(f"decoding {path.name}", 0.0)
            recording = decode(path, self.home.scratch, longest)
            self.progress(f"decoding {path.name}", 1.0)
        self._shared.keep(recording)
        return recording

    def hash_file(self, path: Path | str) -> str:
        """SHA-256 of a file's bytes in hex; they are read again only where the file may have changed.

        Parameters
        ----------
        path : any file

        Raises
        ------
        MediaError : no such file, or one that cannot be read
        """
        local, hashes = self.local_file(path).absolute(), self._shared.hashes
        before = stamp_of(local)
        known = hashes.get(local)
        if known is not None and known[0] == before:
            return known[1]
        begun = time.time_ns()
        content_hash = hash_file(local)
        if before is not None and has_settled(before, begun):
            hashes[local] = before, content_hash
        return content_hash

    def local_file(self, path: Path | str) -> Path:
        """The path to read a file from: a file of the store is fetched, any other path is returned as it is.

        Parameters
        ----------
        path : of a record, or any other

        Raises
        ------
        MediaError : the store has no such file
        StoreError : the store cannot be used, or none is set
        """
        path = Path(path)
        return self.files.fetch(path) if is_stored(path) else path

    def forget_recordings(self) -> None:
        """Drop all decoded sound and let go of fetched files, as a job process does between two jobs."""
        self._shared.forget()

    def with_params(self, params: WorkbenchParams) -> Workspace:
        """The same workspace with other parameters, sharing all that is open."""
        return self._sharing(params, self._progress, self._audio)

    def with_progress(self, progress: Progress) -> Workspace:
        """The same workspace with another receiver of progress, sharing all that is open."""
        return self._sharing(self._params, progress, self._audio)

    def with_audio(self, audio: SoundChoice | None) -> Workspace:
        """The same workspace with other sound streams as the soundtrack of its videos, sharing all that is open."""
        return self._sharing(self._params, self._progress, audio)

    def _sharing(self, params: WorkbenchParams | None, progress: Progress, audio: SoundChoice | None) -> Workspace:
        other = object.__new__(Workspace)
        other._shared, other._params, other._progress = self._shared, params, progress
        other._audio, other._owns_resources = audio, False
        return other

    def close(self) -> None:
        """Close the database and let go of decoded sound; a workspace that shares those of another closes nothing."""
        if self._owns_resources:
            self._shared.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workspace({str(self.home.root)!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a workspace stays in its process: send its home and its params, and make another one there")


@dataclass(slots=True)
class _Shared:
    """What a workspace and those made from it have open, and the decoded sound that they hold."""

    home: Home
    settings: WorkbenchSettings | None
    schemas: tuple[Schema, ...]
    most_bytes: tuple[int, int]  # of recordings in memory and in files
    opening: threading.Lock = field(default_factory=threading.Lock)
    keeping: threading.Lock = field(default_factory=threading.Lock)
    arrays: ArrayStore | None = None
    files: StoredFiles | None = None
    database: Database | None = None
    recordings: OrderedDict[str, Recording] = field(default_factory=OrderedDict)
    hashes: dict[Path, tuple[FileStamp, str]] = field(default_factory=dict)
    is_closed: bool = False

    def check_open(self) -> None:
        if self.is_closed:
            raise RuntimeError("this workspace is closed; open another")

    def recording(self, content_hash: str) -> Recording | None:
        with self.keeping:
            return self.recordings.get(content_hash)

    def keep(self, recording: Recording) -> None:
        """Hold a recording, and drop those used longest ago, in memory and in files apart; this one stays."""
        with self.keeping:
            self.recordings[recording.content_hash] = recording
            self.recordings.move_to_end(recording.content_hash)
            *others, _ = self.recordings
            for filed, most in enumerate(self.most_bytes):
                alike = {key: r.samples.nbytes for key, r in self.recordings.items() if r.is_filed == bool(filed)}
                kept = sum(alike.values())
                for key in others:
                    if kept <= most:
                        break
                    if key in alike:
                        kept -= alike[key]
                        del self.recordings[key]

    def forget(self) -> None:
        with self.keeping:
            self.recordings.clear()
            self.hashes.clear()
        if self.files is not None:
            self.files.release()

    def close(self) -> None:
        self.forget()
        with self.opening:
            self.is_closed = True
            if self.database is not None:
                self.database.close()
                self.database = None


def open(home: Path | str | None = None, profile: Path | str | None = None) -> Workspace:
    """Open a workspace for a notebook or a script.

    Parameters
    ----------
    home : the folder that holds all state; None: the one that `WORKBENCH_HOME` names, else the platform's
    profile : a file with tuned parameters, see `workbench.store.profiles`; None: the defaults

    Returns
    -------
    Workspace : to be closed by its user, best by `with`

    Raises
    ------
    ParameterError : a setting or the profile holds a value that it cannot have
    StoreError : no home is named, and this user has no folder for one
    """
    settings = load_settings()
    params = None
    if profile is not None:
        from workbench.store.profiles import load_profile

        params = load_profile(Path(profile))
    chosen = Home.chosen(settings, None if home is None else Path(home))
    lend_home(chosen.root)
    return Workspace(chosen, params, settings=settings)
