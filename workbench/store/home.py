"""The home folder: one folder that holds all state, and what is where in it.

A backup is a copy of it; a test starts from an empty one. Each part has a property, whose docstring states if it may be
deleted: analysis arrays and the demo's videos are made again, records and uploads are not.

It holds what many accounts sent. So a new one is private: other users of the machine cannot enter it. Who lets a group
write, by the umask or by the mode of an empty folder, shares it with that group. The mode of a folder in use does not
change.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreError
from workbench.store.settings import WorkbenchSettings, load_settings

_NAME = "barline-workbench"


@dataclass(frozen=True, slots=True)
class Home:
    """Names the parts of a home folder. Making one touches no disk; see `prepared`.

    Attributes
    ----------
    root : the folder itself, absolute
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(os.path.expanduser(self.root)).absolute())

    @classmethod
    def chosen(cls, settings: WorkbenchSettings | None, given: Path | None = None) -> Home:
        """The home folder to use: the one given, else `WORKBENCH_HOME`, else the platform's user data folder.

        Parameters
        ----------
        settings : None: those of the environment
        given : folder that was asked for; None for none

        Raises
        ------
        StoreError : it was not given, and this user has no folder
        """
        settings = settings or load_settings()
        root = given if given is not None else settings.home
        if root is not None:
            return cls(root)
        from platformdirs import user_data_path

        try:
            return cls(user_data_path(_NAME, appauthor=False).expanduser())
        except RuntimeError:
            raise StoreError("this user has no folder to keep anything in: set WORKBENCH_HOME") from None

    @property
    def database(self) -> Path:
        """SQLite file with all records."""
        return self.root / "workbench.sqlite"

    @property
    def arrays(self) -> Path:
        """Analysis arrays; may be deleted at any time."""
        return self.root / "arrays"

    @property
    def demo_videos(self) -> Path:
        """The demo's film at the lengths that were asked for; may be deleted at any time."""
        return self.root / "film"

    @property
    def demo(self) -> Path:
        """Output of `workbench demo`."""
        return self.root / "demo"

    @property
    def renders(self) -> Path:
        """Rendered sound and video."""
        return self.root / "renders"

    @property
    def previews(self) -> Path:
        """Marked excerpts of tracks; may be deleted at any time."""
        return self.root / "previews"

    @property
    def uploads(self) -> Path:
        """Files that callers sent."""
        return self.root / "uploads"

    @property
    def fetched(self) -> Path:
        """Files that were fetched for jobs which wait to be run, each named like its job."""
        return self.root / "fetched"

    @property
    def videos(self) -> Path:
        """Videos that were fetched for callers."""
        return self.root / "videos"

    @property
    def cached(self) -> Path:
        """Copies of files of the store that WORKBENCH_STORE_URL names; may be deleted while nothing runs."""
        return self.root / "cached"

    @property
    def scratch(self) -> Path:
        """Working files of running jobs, a folder each, and the decoded sound of long recordings, without names."""
        return self.root / "scratch"

    @property
    def index(self) -> Path:
        """Columns and nearest-neighbour indexes of the catalog; may be deleted at any time."""
        return self.root / "index"

    @property
    def profiles(self) -> Path:
        """Tuned parameters that the dashboard saves."""
        return self.root / "profiles"

    @property
    def notebooks(self) -> Path:
        """The copy of the notebooks that `workbench lab` opens."""
        return self.root / "notebooks"

    def prepared(self, part: Path | None = None) -> Path:
        """Create the home, or a folder in it, if it does not exist; a new or empty home is made private.

        Parameters
        ----------
        part : a folder in the home; None: the home itself

        Returns
        -------
        the folder

        Raises
        ------
        StoreError : it cannot be created
        """
        folder = self.root if part is None else part
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            _make_private(self.root)
            if part is not None:
                part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be made ({error.strerror}); set WORKBENCH_HOME") from error
        return folder

    def is_open_to_others(self) -> bool:
        """Whether every user of this machine can read the records or what callers sent."""
        try:
            if not self.root.stat().st_mode & stat.S_IXOTH:
                return False
            return any(one.stat().st_mode & stat.S_IROTH for one in (self.database, self.uploads) if one.exists())
        except FileNotFoundError:  # it has gone while it was looked at
            return False


def _make_private(root: Path) -> None:
    """Close an empty folder of ours to all who may not write to it, but for a group that may do more than others."""
    status = root.stat()
    mode = stat.S_IMODE(status.st_mode)
    group, others = (mode >> 3) & 7, mode & 7
    private = mode & ~stat.S_IRWXO if not others & 2 else mode
    if group <= others and not group & 2:
        private &= ~stat.S_IRWXG
    if private != mode and status.st_uid == os.geteuid() and next(root.iterdir(), None) is None:
        root.chmod(private)
