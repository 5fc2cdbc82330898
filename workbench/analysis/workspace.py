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
        self._resources = _Resources(home, settings, tuple(schemas), (recording_bytes, filed_bytes))
        self._params = params
        self._progress = progress
        self._audio: SoundChoice | None = None
        self._owns_resources = True

    @property
    def home(self) -> Home:
        """The folder that holds all state."""
        return self._resources.home

    @property
    def settings(self) -> WorkbenchSettings:
        """Settings from the environment.

        Raises
        ------
        ParameterError : a variable holds a value that it cannot have
        """
        return self._resources.settings

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
        return self._resources.arrays()

    @property
    def files(self) -> StoredFiles:
        """Files that outlive the process that made them, in the home folder or in the store that the settings name.

        Raises
        ------
        ParameterError, StoreError, ExtraMissing : as of `workbench.store.stored_files.open_files`
        """
        return self._resources.files()

    @property
    def database(self) -> Database:
        """The records, in the home folder or where the settings say; the folder is made if need be.

        Raises
        ------
        StoreError : the home folder or the database cannot be used
        """
        return self._resources.database()

    @property
    def existing_database(self) -> Database | None:
        """The records, or None if there is no database yet: reading does not create one.

        Raises
        ------
        StoreError : the database cannot be used
        """
        return self._resources.existing_database()

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
        return self._resources.load_recording(Path(path), self.progress, longest)

    def hash_file(self, path: Path | str) -> str:
        """SHA-256 of a file's bytes in hex; they are read again only where the file may have changed.

        Parameters
        ----------
        path : any file

        Raises
        ------
        MediaError : no such file, or one that cannot be read
        """
        return self._resources.hash_file(Path(path))

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
        return self._resources.local_file(Path(path))

    def forget_recordings(self) -> None:
        """Drop all decoded sound and let go of fetched files, as a job process does between two jobs."""
        self._resources.forget_recordings()

    def with_params(self, params: WorkbenchParams) -> Workspace:
        """The same workspace with other parameters, sharing all that is open.

        Parameters
        ----------
        params : all parameters of the new workspace
        """
        return self._sharing(params, self._progress, self._audio)

    def with_progress(self, progress: Progress) -> Workspace:
        """The same workspace with another receiver of progress, sharing all that is open.

        Parameters
        ----------
        progress : receives what is being done
        """
        return self._sharing(self._params, progress, self._audio)

    def with_audio(self, audio: SoundChoice | None) -> Workspace:
        """The same workspace with other sound streams as the soundtrack of its videos, sharing all that is open."""
        return self._sharing(self._params, self._progress, audio)

    def _sharing(self, params: WorkbenchParams | None, progress: Progress, audio: SoundChoice | None) -> Workspace:
        other = object.__new__(Workspace)
        other._resources, other._params, other._progress = self._resources, params, progress
        other._audio, other._owns_resources = audio, False
        return other

    def close(self) -> None:
        """Close the database and let go of decoded sound; a workspace that shares those of another closes nothing."""
        if self._owns_resources:
            self._resources.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workspace({str(self.home.root)!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a workspace stays in its process: send its home and its params, and make another one there")


class _Resources:
    """The open resources, shared by a workspace and those made from it."""

    def __init__(
        self,
        home: Home,
        settings: WorkbenchSettings | None,
        schemas: tuple[Schema, ...],
        most_bytes: tuple[int, int],
    ) -> None:
        self.home = home
        self._settings = settings
        self._schemas = schemas
        self._most_bytes = most_bytes
        self._opening = threading.Lock()
        self._keeping = threading.Lock()
        self._arrays: ArrayStore | None = None
        self._files: StoredFiles | None = None
        self._database: Database | None = None
        self._recordings: OrderedDict[str, Recording] = OrderedDict()
        self._hashes: dict[Path, tuple[FileStamp, str]] = {}
        self._closed = False

    @property
    def settings(self) -> WorkbenchSettings:
        if self._settings is None:
            self._settings = load_settings()
        return self._settings

    def arrays(self) -> ArrayStore:
        if self._arrays is None:
            from workbench.analysis.labels import VARIABLES
            from workbench.store.arrays import ArrayStore

            files = self.files()
            self._arrays = ArrayStore(files.folder("arrays"), VARIABLES, files)
        return self._arrays

    def files(self) -> StoredFiles:
        with self._opening:
            if self._files is None:
                self._files = open_files(self.home, self.settings)
            return self._files

    def local_file(self, path: Path) -> Path:
        return self.files().fetch(path) if is_stored(path) else path

    def database(self) -> Database:
        with self._opening:
            self._check_open()
            if self._database is None:
                from workbench.store.database import Database

                self._database = Database.at(self.home, self.settings, self._schemas)
            return self._database

    def existing_database(self) -> Database | None:
        if self.settings.database_url is None and not self.home.database.is_file():
            return None
        return self.database()

    def load_recording(self, path: Path, progress: Progress, longest: float) -> Recording:
        self._check_open()
        path = self.local_file(path)
        content_hash = self.hash_file(path)
        with self._keeping:
            recording = self._recordings.get(content_hash)
        if recording is None:  # two threads that ask for one file at the same time both decode it, and neither waits
            from workbench.media.audio import decode

            progress(f"decoding {path.name}", 0.0)
            recording = decode(path, self.home.scratch, longest)
            progress(f"decoding {path.name}", 1.0)
        with self._keeping:
            self._recordings[recording.content_hash] = recording
            self._recordings.move_to_end(recording.content_hash)
            self._make_room()
        return recording

    def _make_room(self) -> None:
        """Drop the recordings used longest ago, in memory and in files apart; the one used last stays."""
        *others, _ = self._recordings
        for filed, most in enumerate(self._most_bytes):
            alike = {key: r.samples.nbytes for key, r in self._recordings.items() if r.is_filed == bool(filed)}
            kept = sum(alike.values())
            for key in others:
                if kept <= most:
                    break
                if key in alike:
                    kept -= alike[key]
                    del self._recordings[key]

    def hash_file(self, path: Path) -> str:
        path = self.local_file(path).absolute()
        before = stamp_of(path)
        known = self._hashes.get(path)
        if known is not None and known[0] == before:
            return known[1]
        begun = time.time_ns()
        content_hash = hash_file(path)
        if before is not None and has_settled(before, begun):
            self._hashes[path] = before, content_hash
        return content_hash

    def forget_recordings(self) -> None:
        with self._keeping:
            self._recordings.clear()
            self._hashes.clear()
        if self._files is not None:
            self._files.release()

    def close(self) -> None:
        self.forget_recordings()
        with self._opening:
            self._closed = True
            if self._database is not None:
                self._database.close()
                self._database = None

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("this workspace is closed; open another")


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
