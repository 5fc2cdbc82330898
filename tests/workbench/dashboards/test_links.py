"""Links to a frozen version over HTTP, as a browser without the key would ask: its version, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.workbench.dashboards.conftest import served
from workbench.analysis.workspace import Workspace
from workbench.dashboards.links import is_link, link_address
from workbench.dashboards.sounds.link import shown_file, shown_sound
from workbench.media.audio import decode
from workbench.render.video import Playback, play_video
from workbench.review.comments import answer_comment, comment_on, decide, load_review
from workbench.review.links import make_link, take_back
from workbench.review.versions import freeze_plan, thaw
from workbench.store.home import Home
from workbench.workflows.plan import Planned

DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def version(corner_home: Home, corner_fit: Planned) -> str:
    """A frozen plan under a video, with a comment and a decision; its sound is there."""
    workspace = Workspace(corner_home)
    first = comment_on(workspace, corner_fit, "Ana <b>", "</script><script>alert(1)</script>", 12.0)
    answer_comment(workspace, corner_fit, first.comment_id, "Ben", "quite & so")
    decide(workspace, corner_fit, "Ben", "needs work")
    version_id = freeze_plan(workspace, corner_fit).version_id
    shown_sound(workspace, version_id)
    return version_id


@pytest.fixture(scope="module")
def other(corner_home: Home, corner_loop: Planned) -> str:
    """Another version, with a comment of its own."""
    workspace = Workspace(corner_home)
    comment_on(workspace, corner_loop, "Cleo", "nobody else may read this", 3.0)
    return freeze_plan(workspace, corner_loop).version_id


@pytest.fixture(scope="module")
def root(corner_home: Home, version: str, other: str, key: str) -> Iterator[str]:
    """The address of a server that asks for a key."""
    with served(corner_home.root, key) as address:
        yield address


@pytest.fixture
def address(root: str, corner_home: Home, version: str) -> str:
    """A link."""
    return root + link_address(make_link(Workspace(corner_home), version, DAY).token)


@pytest.fixture
def answerable(root: str, corner_home: Home, other: str) -> str:
    """A link to the other version, by which it may be answered."""
    return root + link_address(make_link(Workspace(corner_home), other, DAY, may_answer=True).token)


def test_a_link_opens_without_the_key_and_shows_its_version_alone(address: str) -> None:
    answer = httpx.get(address)
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    assert "corner_store under patterns.mp4" in answer.text
    assert "Version 1" in answer.text
    assert "needs work" in answer.text
    assert "quite &amp; so" in answer.text
    assert "nobody else may read this" not in answer.text
    assert str(Path(__file__).parents[3]) not in answer.text  # no folder of this machine
    assert "/tmp" not in answer.text


def test_what_a_reviewer_wrote_runs_nowhere(address: str) -> None:
    text = httpx.get(address).text
    assert "alert(1)</script>" not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert "Ana &lt;b&gt;" in text
    nonce = re.search(r"'nonce-([^']+)'", httpx.get(address).headers["content-security-policy"])
    assert nonce is not None
    (facts,) = re.findall(r'<script nonce="[^"]+" type="application/json" id="facts">(.*?)</script>', text)
    assert json.loads(facts)["comments"] == [12.0]


@pytest.mark.parametrize("what", ["", "/sound", "/video"])
def test_what_is_forged_altered_or_expired_opens_nothing(root: str, corner_home: Home, version: str, what: str) -> None:
    workspace = Workspace(corner_home)
    token, taken = (make_link(workspace, version, DAY, may_answer=True).token for _ in range(2))
    assert httpx.get(root + link_address(taken) + what).status_code == 200
    take_back(workspace, taken)
    late = make_link(workspace, version, timedelta(microseconds=1)).token
    for closed in (token[::-1], token[:-1], token + "0", version, taken, late):
        answer = httpx.get(root + link_address(closed) + what)
        assert answer.status_code == 403
        assert "not open" in answer.text
        assert "corner" not in answer.text
        assert httpx.post(root + link_address(closed), json={"name": "Cleo", "text": "hm"}).status_code == 403


@pytest.mark.parametrize(
    "path",
    ["/", "/ws", "/sounds/x.wav", "/uploads/x", "/review", "/review/", "/review/a/b", "/review/x/sound/../../../",
     "/review/..%2f..%2fsounds/sound", "/review//", "/assets/status.js", "/static/js/bokeh.min.js"],
)  # fmt: skip
def test_a_link_is_no_key_to_anything_else(root: str, address: str, path: str) -> None:
    with httpx.Client() as client:
        assert client.get(address).status_code == 200
        assert client.get(root + path).status_code in (401, 403)
        assert client.get(root + path, params={"key": address.rsplit("/", 1)[1]}).status_code in (401, 403)
        assert client.get(address + path).status_code in (401, 403, 404)


def test_nothing_is_changed_through_a_link_that_is_read_only(address: str, corner_home: Home) -> None:
    def records() -> list[tuple[str, int]]:
        with Workspace(corner_home) as workspace, workspace.database.read() as connection:
            names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return [
                (name, connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()) for (name,) in names
            ]

    def files() -> set[Path]:
        return {path for path in corner_home.root.rglob("*") if "sqlite" not in path.name}

    before = records(), files()
    for said in ({"name": "Cleo", "text": "hm"}, {"name": "Cleo", "decision": "approved"}):
        answer = httpx.post(address, json=said)
        assert (answer.status_code, "read only" in answer.text) == (400, True)
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        for what in ("", "/sound", "/video"):
            headers = {"X-Workbench": "upload"}
            answer = httpx.request(method, address + what, content=b"{}", headers=headers)
            assert answer.status_code == (400 if (method, what) == ("POST", "") else 405)
    httpx.get(address)
    httpx.get(f"{address}/sound", headers={"Range": "bytes=0-99"})
    assert (records(), files()) == before


def test_a_link_that_may_is_answered(answerable: str, corner_home: Home, other: str, corner_loop: Planned) -> None:
    assert "<form" in httpx.get(answerable).text
    shown = httpx.post(answerable, json={"name": "Dan <i>", "text": "</script><b>loud</b>", "at": 5.0})
    assert shown.status_code == 200
    assert "Dan &lt;i&gt; (by link)" in shown.text
    assert "&lt;b&gt;loud&lt;/b&gt;" in shown.text
    assert "</script><b>" not in shown.text
    httpx.post(answerable, json={"name": "Dan", "text": "at its seam", "at": 5.0, "seam": 0}).raise_for_status()
    httpx.post(answerable, json={"name": "Dan", "text": "after the end", "at": 1e9}).raise_for_status()
    httpx.post(answerable, json={"name": "Dan", "decision": "approved"}).raise_for_status()
    review = load_review(Workspace(corner_home), corner_loop)
    said = {thread.first.text: thread.first for thread in review.threads}
    assert said["at its seam"].video_s == pytest.approx(corner_loop.plan.seam_times[0])
    assert said["after the end"].video_s == pytest.approx(corner_loop.plan.window_end)
    assert [(one.reviewer, one.decision) for one in review.decisions(other)] == [("Dan (by link)", "approved")]


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b'{"name": "Dan", "decision": "maybe"}', b'{"name": "Dan", "text": "x", "at": NaN}',
     b'{"name": "", "text": "x"}', b'{"name": "Dan", "text": ""}', b'{"name": "Dan", "text": "x", "seam": 99}',
     b'{"name": "Dan", "text": "%s"}' % (b"x" * 4001), b"\xff"],
)  # fmt: skip
def test_what_is_no_answer_is_refused_in_words(answerable: str, body: bytes) -> None:
    answer = httpx.post(answerable, content=body)
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text


def test_an_answer_that_is_too_long_is_not_read(answerable: str) -> None:
    with suppress(httpx.TransportError):  # it may close while the rest is still sent
        answer = httpx.post(answerable, content=b'{"name": "Dan", "text": "padded"' + b" " * 40_000 + b"}")
        assert answer.status_code == 400
    assert "padded" not in httpx.get(answerable).text


def test_the_sound_is_what_a_render_has(address: str, corner_home: Home, version: str) -> None:
    part = httpx.get(f"{address}/sound", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"RIFF")
    assert part.headers["cache-control"] == "private, no-cache", "it may be taken back"
    again = {"If-None-Match": part.headers["etag"]}
    assert httpx.get(f"{address}/sound", headers=again).status_code == 304
    assert httpx.head(f"{address}/sound").status_code == 200
    workspace = Workspace(corner_home)
    frozen = thaw(workspace, version)
    assert frozen.video is not None
    recording = workspace.load_recording(frozen.track)
    mixed = np.concatenate(list(play_video(Playback(frozen.plan, recording, frozen.mix), frozen.video)), axis=1)
    heard = decode(shown_file(corner_home, frozen)).samples
    assert heard.shape == mixed.shape
    difference = np.sqrt(np.mean(np.square(heard - mixed)))
    assert 20 * np.log10(difference) < -60.0  # the limiter and 16 bits


def test_the_video_of_the_version_is_sent_by_ranges(address: str, corner_home: Home, version: str) -> None:
    video = thaw(Workspace(corner_home), version).video
    assert video is not None
    part = httpx.get(f"{address}/video", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, video.read_bytes()[10:20])


def test_a_sound_that_is_not_there_is_made_once(root: str, corner_home: Home, other: str, corner_loop: Planned) -> None:
    address = root + link_address(make_link(Workspace(corner_home), other, DAY).token)
    assert httpx.get(f"{address}/video").status_code == 404  # it was planned for a length
    out = shown_file(corner_home, thaw(Workspace(corner_home), other))
    assert not out.exists()
    first = httpx.get(f"{address}/sound", headers={"Range": "bytes=0-3"}, timeout=120.0)
    assert (first.status_code, first.content) == (206, b"RIFF")
    made = out.stat().st_ino
    httpx.get(f"{address}/sound", headers={"Range": "bytes=0-3"})
    assert out.stat().st_ino == made
    assert decode(out).duration == pytest.approx(corner_loop.plan.window_end, abs=1e-3)


def test_a_link_plays_the_video_of_its_version_and_no_other(
    root: str, corner_home: Home, corner_fit: Planned, tmp_path: Path
) -> None:
    assert corner_fit.video is not None
    (tmp_path / "elsewhere").mkdir()
    film, linked = tmp_path / "elsewhere" / "film.mp4", tmp_path / "linked.mp4"
    shutil.copy(corner_fit.video, film)
    linked.symlink_to(film)
    unmixed = replace(corner_fit, mix=None, video=linked)  # so that it is another version
    version_id = freeze_plan(Workspace(corner_home), unmixed).version_id
    address = root + link_address(make_link(Workspace(corner_home), version_id, DAY).token)
    part = httpx.get(f"{address}/video", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, film.read_bytes()[10:20])
    film.write_bytes(film.read_bytes() + b"more")
    assert httpx.get(f"{address}/video").status_code == 404
    answer = httpx.get(f"{address}/sound", timeout=120.0)
    assert answer.status_code == 503
    assert "cannot be made now" in answer.text
    assert "film" not in answer.text
    assert str(tmp_path) not in answer.text
    film.unlink()
    assert httpx.get(f"{address}/video").status_code == 404


def test_only_links_answer_without_a_key() -> None:
    assert is_link("/review/0a1b")
    assert is_link("/review/0a1b/sound")
    for path in (
        "/review",
        "/review/",
        "/review/a/b",
        "/review/a/sound/",
        "/review/%2e",
        "/review/a/../b",
        "/x/review/a",
    ):
        assert not is_link(path)
