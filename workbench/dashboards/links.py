"""What a link shows: one frozen version of a plan, to see and play without an account, and nothing else.

A link is `/review/TOKEN`; `/sound` and `/video` after it are the files that its page plays. Each request is checked for
itself, so a link that has expired or was taken back plays no further and takes no answer. Where its maker allows it, a
visitor comments and decides, which is all that these routes change. Files are named without their folders.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BaseModel, ValidationError
from tornado.web import HTTPError, RequestHandler, StaticFileHandler, stream_request_body

from workbench.analysis.workspace import Workspace
from workbench.caches import intact
from workbench.dashboards.sounds.link import shown_file, shown_sound
from workbench.dashboards.styles import ASSETS, script
from workbench.dashboards.tasks import Pool, Task
from workbench.errors import InputError, WorkbenchError
from workbench.plans.plan import LoopPlan
from workbench.plots.palette import clock
from workbench.review.comments import MAX_TEXT, Decision, Thread, review_of, seam_of
from workbench.review.links import BY_LINK, ReviewLink, comment_by_link, decide_by_link, open_link
from workbench.review.verdicts import MAX_NAME
from workbench.review.versions import FrozenPlan, has_its_video, thaw

_ROUTE = "review"
_LINK = re.compile(rf"/{_ROUTE}/\w+(?:/(?:sound|video))?")
_NO_SOUND = "The sound of this version cannot be made now. The sender of the link sees why on the Review tab."
"""to readers, who shall not learn the folders that the reason may name"""
_MOST_BYTES = 32_768
"""of an answer: text of `MAX_TEXT` characters, escaped, and the rest"""
_PAGES = Environment(
    loader=FileSystemLoader(ASSETS), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_PAGES.filters["clock"] = clock


def link_address(token: str) -> str:
    """The address of a link, under any name of the server."""
    return f"/{_ROUTE}/{token}"


def is_link(path: str) -> bool:
    """Whether the path of a request is one of those that answer to a link alone."""
    return _LINK.fullmatch(path) is not None


def link_routes(
    workspace: Workspace, pool: Callable[[], Pool], answered: Callable[[FrozenPlan], None]
) -> list[tuple[str, type[RequestHandler], dict[str, Any]]]:
    """Routes of the pages and files of links; `answered` is called with a version that was answered by one."""
    given = {"shown": _Shown(workspace, pool)}
    return [
        (rf"/{_ROUTE}/(\w+)", _LinkPage, {**given, "answered": answered}),
        (rf"/{_ROUTE}/(\w+)/(sound|video)", _LinkFiles, {**given, "path": str(workspace.home.renders)}),
    ]


class _Shown:
    """Versions opened by links, and their sounds under way."""

    def __init__(self, workspace: Workspace, pool: Callable[[], Pool]) -> None:
        self.workspace = workspace
        self._pool = pool
        self._made: dict[str, asyncio.Future[None]] = {}

    def open(self, token: str) -> tuple[FrozenPlan, ReviewLink]:
        """The version of a link, and the link; 403 for a token that opens nothing."""
        try:
            link = open_link(self.workspace, token)
            return thaw(self.workspace, link.version_id), link
        except InputError as error:
            raise HTTPError(403, reason="Forbidden", log_message=None) from error

    async def video(self, frozen: FrozenPlan) -> Path:
        """The video of a version; 404 where there is none, or another one has taken its place."""
        try:  # reading a long video for its hash takes a while, once
            same = await asyncio.get_running_loop().run_in_executor(None, has_its_video, self.workspace, frozen)
        except WorkbenchError as error:
            raise HTTPError(404) from error
        if frozen.video is None or not same:
            raise HTTPError(404)
        return frozen.video

    async def sound(self, frozen: FrozenPlan) -> Path:
        """The sound of a version; requests that come while it is made wait for the same work."""
        out = shown_file(self.workspace.home, frozen)
        if intact(out) is None:
            version_id = frozen.version.version_id
            if version_id not in self._made:
                self._made[version_id] = self._make(version_id)
                self._made[version_id].add_done_callback(lambda _: self._made.pop(version_id, None))
            await asyncio.shield(self._made[version_id])
        return out

    def _make(self, version_id: str) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        made: asyncio.Future[None] = loop.create_future()

        def fail(fault: str) -> None:
            if not made.done():
                made.set_exception(WorkbenchError(fault))

        def succeed(_: Any) -> None:
            if not made.done():
                made.set_result(None)

        task = Task(self.workspace.home, self.workspace.params, shown_sound, (version_id,), {})
        task.deliver = loop.call_soon_threadsafe  # type: ignore[assignment]  # returns a handle, which is not needed
        task.on_done, task.on_fault, task.on_cancelled = succeed, fail, lambda: fail("it was cancelled")
        self._pool().submit(task)
        return made


class _Answer(BaseModel):
    """What a visitor sends: a comment, at a time or at a seam, or a decision."""

    name: str
    text: str = ""
    at: float = 0.0
    seam: int | None = None
    decision: Decision | None = None


@stream_request_body
class _LinkPage(RequestHandler):
    """The page of a link, which takes answers."""

    def initialize(self, shown: _Shown, answered: Callable[[FrozenPlan], None]) -> None:
        self._shown, self._answered = shown, answered
        self._body = b""

    def prepare(self) -> None:
        """Read no more than an answer has."""
        self.request.connection.set_max_body_size(_MOST_BYTES)  # type: ignore[union-attr]

    def data_received(self, chunk: bytes) -> None:
        self._body += chunk

    def get(self, token: str) -> None:
        frozen, link = self._shown.open(token)
        self.set_header("Cache-Control", "no-store")
        self.finish(_page(self._shown.workspace, frozen, link, self.request.path))

    def post(self, token: str) -> None:
        """Save an answer, and send the page as it is then; 400 with a sentence where that cannot be."""
        frozen, _ = self._shown.open(token)
        workspace = self._shown.workspace
        try:
            said = _Answer.model_validate_json(self._body)
            if said.decision is not None:
                decide_by_link(workspace, token, said.name, said.decision)
            else:
                comment_by_link(workspace, token, said.name, said.text, min(said.at, frozen.plan.window_end), said.seam)
        except (WorkbenchError, ValidationError) as error:
            self.set_status(400)
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.finish("this is no answer" if isinstance(error, ValidationError) else str(error))
            return
        self._answered(frozen)
        self.get(token)

    def head(self, token: str) -> None:
        self._shown.open(token)

    def write_error(self, status_code: int, **more: Any) -> None:
        _write_error(self, status_code, more)


class _LinkFiles(StaticFileHandler):
    """The sound and the video of a link, by ranges."""

    def initialize(self, path: str, shown: _Shown) -> None:  # type: ignore[override]  # what its route gives
        """Take what the route was given; each request replaces `path` by the folder of its version's file."""
        super().initialize(path)
        self._shown = shown

    async def get(self, token: str, what: str = "", include_body: bool = True) -> None:  # type: ignore[override]
        """Send a part of the file."""
        frozen, _ = self._shown.open(token)
        try:
            file = await (self._shown.video(frozen) if what == "video" else self._shown.sound(frozen))
        except WorkbenchError as error:
            raise HTTPError(503) from error
        file = file.resolve()  # a symbolic link out of the folder is followed, as on the page
        if not file.is_file():
            raise HTTPError(404)
        self.root = str(file.parent)
        await super().get(file.name, include_body)

    async def head(self, token: str, what: str = "") -> None:
        """Say what a part of the file would be."""
        await self.get(token, what, include_body=False)

    def set_extra_headers(self, path: str) -> None:
        """Keep the file out of caches that others share, and have the browser ask before it plays its own copy."""
        self.set_header("Cache-Control", "private, no-cache")

    def write_error(self, status_code: int, **more: Any) -> None:
        """Say why there is nothing to play."""
        _write_error(self, status_code, more)


def _write_error(handler: RequestHandler, status_code: int, more: dict[str, Any]) -> None:
    """A page that says why a link shows nothing, without anything of this machine in it."""
    error = more.get("exc_info", (None, None, None))[1]
    words = _NO_SOUND if status_code == 503 else "There is nothing at this address."
    if status_code == 403 and error is not None and isinstance(error.__cause__, InputError):
        words = str(error.__cause__)
    handler.set_header("Cache-Control", "no-store")
    title = "This link cannot be opened" if status_code == 403 else "Nothing to show"
    handler.finish(_PAGES.get_template("link_page.html").render(title=title, reason=words))


def _page(workspace: Workspace, frozen: FrozenPlan, link: ReviewLink, path: str) -> str:
    version, plan = frozen.version, frozen.plan
    review = review_of(workspace, version.subject, version.content_hash, version)
    threads = [thread for thread in review.threads if thread.first.version_id == version.version_id]
    video = frozen.video
    under = f" under {video.name}" if video is not None else ""
    title = f"{version.track}{under}"
    facts = {
        "duration": plan.window_end,
        "seams": list(plan.seam_times),
        "comments": [thread.first.video_s for thread in threads],
        "sound": f"{path}/sound",
        "video": f"{path}/video" if video is not None and video.is_file() else "",
    }
    return _PAGES.get_template("link.html").render(
        title=title,
        number=frozen.number,
        frozen_at=version.at[:16].replace("T", " "),
        until=link.expires_at[:16].replace("T", " "),
        may_answer=link.may_answer,
        most_name=MAX_NAME - len(BY_LINK),
        most_text=MAX_TEXT,
        threads=[_shown_thread(plan, thread) for thread in threads],
        approvals=review.decisions(version.version_id),
        seams=list(zip(plan.seam_times, plan.seam_fades, strict=True)),
        facts=facts,
        script=Markup(script("clock", "link")),
    )


def _shown_thread(plan: LoopPlan, thread: Thread) -> dict[str, Any]:
    """A thread with its seam, counted from 0, and the time in the video where its button leads."""
    seam = seam_of(plan, thread.first)
    at = thread.first.video_s if seam is None else plan.seam_times[seam]
    return {"first": thread.first, "answers": thread.answers, "resolved": thread.resolved, "seam": seam, "at": at}
