"""Files between the page and the home folder: sounds by ranges, uploads straight to disk.

A dropped file is the body of one PUT, written as it arrives. Whole, it gets its name, with a number where another file
has that: what was planned under a video, or is shown by a link, still has its own.
"""

from __future__ import annotations

import asyncio
import filecmp
import re
import secrets
import threading
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, RequestHandler, StaticFileHandler, stream_request_body

from workbench.store.home import Home

MOST_UPLOAD_BYTES = 8_000_000_000
"""an hour of video at 18 Mbit/s"""
_naming = threading.Lock()
_UNSAFE = re.compile(r"[^\w.() -]+")


def safe_name(name: str) -> str:
    """A file name that every system takes: without folders, with its suffix, of 1 to 120 characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return _UNSAFE.sub("_", last).strip(" .")[-120:] or "file"


def _named(aside: Path, name: str) -> Path:
    """Give a file a name that no other file has; the same file is not stored twice."""
    wanted = Path(name)
    number, path = 1, aside.with_name(name)
    try:
        with _naming:
            while path.exists() and not filecmp.cmp(aside, path, shallow=False):
                number += 1
                path = aside.with_name(f"{wanted.stem} ({number}){wanted.suffix}")
            if not path.exists():
                aside.rename(path)
    finally:
        aside.unlink(missing_ok=True)
    return path


class SoundFiles(StaticFileHandler):
    """Files to play; a name stands for its content, so a browser may keep them."""

    def get_cache_time(self, path: str, modified: Any, mime_type: str) -> int:
        """How long a browser may keep a file, s; 0 would make it ask each time."""
        return 3600

    @classmethod
    def get_content_version(cls, abspath: str) -> str:
        """What tells a file from another one of its name; its bytes would be read on the loop that all pages share."""
        return f"{Path(abspath).stat().st_size:x}"


VIDEOS_ROUTE = "videos"
"""under which the page finds the videos that were opened"""
_opened_videos: dict[str, Path] = {}
"""the videos that this process serves, by digest of their bytes"""


def video_url(video: Path, digest: str) -> str:
    """The address under which a page plays a video; from now on it is served."""
    _opened_videos[digest] = video
    return f"{VIDEOS_ROUTE}/{digest}"


class VideoFiles(SoundFiles):
    """Videos that were opened, by ranges, each under the digest of its bytes; nothing else is to be had."""

    @classmethod
    def get_absolute_path(cls, root: str, path: str) -> str:
        """The path of a video."""
        video = _opened_videos.get(path)
        if video is None:
            raise HTTPError(404)
        return str(video)

    def validate_absolute_path(self, root: str, absolute_path: str) -> str | None:
        """Refuse a file that is gone."""
        if not Path(absolute_path).is_file():
            raise HTTPError(404)
        return absolute_path


@stream_request_body
class Uploads(RequestHandler):
    """Takes a file."""

    def initialize(self, home: Home) -> None:
        """Take what the route was given."""
        self._home = home
        self._aside: Path | None = None

    def prepare(self) -> None:
        """Open the file of an upload of this page; refuse others."""
        # A form of another site cannot send this header, and its script would have to ask first.
        if self.request.method != "PUT" or self.request.headers.get("X-Workbench") != "upload":
            raise HTTPError(405)
        self.request.connection.set_max_body_size(MOST_UPLOAD_BYTES)  # type: ignore[union-attr]
        folder = self._home.prepared(self._home.uploads / "dashboard")
        self._aside = folder / f".{secrets.token_hex(8)}.part"
        self._file = self._aside.open("wb")

    def data_received(self, chunk: bytes) -> None:
        """Write what has arrived."""
        self._file.write(chunk)

    async def put(self, name: str) -> None:
        """Give the whole file a name that no other file has, and answer with it."""
        assert self._aside is not None, "prepared"
        self._file.close()
        aside, self._aside = self._aside, None
        path = await asyncio.get_running_loop().run_in_executor(None, _named, aside, safe_name(name))
        self.finish({"name": path.name})

    def on_connection_close(self) -> None:
        """Leave nothing of a file that did not arrive whole."""
        self._drop()

    def on_finish(self) -> None:
        """Leave nothing of a file that was refused."""
        self._drop()

    def _drop(self) -> None:
        if self._aside is not None:
            self._file.close()
            self._aside.unlink(missing_ok=True)
            self._aside = None
