"""Servers, and plans of bundled tracks, that several test modules of the dashboard share."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import pytest
from tornado.ioloop import IOLoop

from tests.workbench.dashboards.waiting import CollectingPool
from workbench.analysis.sources import find_track
from workbench.analysis.workspace import Workspace
from workbench.dashboards.app import make_server
from workbench.dashboards.sounds.seam import SeamLook, look_at_seam
from workbench.files import bundled_path
from workbench.plans.plan import PlanKind
from workbench.plans.request import LOOP_ALONE
from workbench.store.home import Home
from workbench.workflows.plan import Planned, plan_track


@pytest.fixture(scope="session")
def key() -> str:
    """That the server behind `kept_root` asks for."""
    return "a-long-secret-of-ours"


@contextmanager
def served(home: Path, key: str | None) -> Iterator[str]:
    """The address of a server in a thread of its own."""
    ready, addresses, loops = threading.Event(), [], []

    def serve() -> None:
        server = make_server(Workspace(Home(home)), key=key)
        server.start()
        addresses.append(f"http://127.0.0.1:{server.port}")
        loops.append(server.io_loop)
        ready.set()
        server.io_loop.start()
        server.stop()

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(60)
    try:
        yield addresses[0]
    finally:
        loop: IOLoop = loops[0]
        loop.add_callback(loop.stop)
        thread.join()


@pytest.fixture(scope="module")
def pool() -> Iterator[CollectingPool]:
    """One worker for the pages of a file, which keeps what it knows of the track."""
    pool = CollectingPool(1)
    yield pool
    pool.close()


@pytest.fixture(scope="session")
def served_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one file to listen to."""
    home = tmp_path_factory.mktemp("served")
    folder = home / "renders" / "dashboard"
    folder.mkdir(parents=True)
    (folder / "track.wav").write_bytes(bytes(range(100)))
    return home


@pytest.fixture(scope="session")
def open_root(served_home: Path) -> Iterator[str]:
    """The address of a server for this machine."""
    with served(served_home, None) as root:
        yield root


@pytest.fixture(scope="session")
def kept_root(served_home: Path, key: str) -> Iterator[str]:
    """The address of a server with a key."""
    with served(served_home, key) as root:
        yield root


@pytest.fixture(scope="session")
def draw_video(tmp_path_factory: pytest.TempPathFactory) -> Callable[[float], Path]:
    """`draw_video(seconds)` is a small video of moving patterns, in which somebody speaks from its second second on."""
    voice = bundled_path("data", "bundled", "voice", "narration.ogg")

    def drawn(seconds: float) -> Path:
        out = tmp_path_factory.mktemp("video") / "patterns.mp4"
        scenes = f"testsrc2=size=96x54:rate=5,trim=duration={seconds},format=yuv420p[out0]"
        spoken = f"amovie='{voice}',adelay=2000:all=1,apad,atrim=0:{seconds}[out1]"
        with av.open(f"{scenes};{spoken}", format="lavfi") as sources, av.open(str(out), "w") as video:
            seen, heard = sources.streams.video[0], sources.streams.audio[0]
            picture = video.add_stream("libx264", rate=5, options={"preset": "ultrafast"})
            picture.width, picture.height, picture.pix_fmt = 96, 54, "yuv420p"
            sound = video.add_stream("aac", rate=heard.rate)
            for frame in sources.decode(seen, heard):
                if isinstance(frame, av.VideoFrame):
                    video.mux(picture.encode(frame))
                elif isinstance(frame, av.AudioFrame):
                    video.mux(sound.encode(frame))
            video.mux(picture.encode(None))
            video.mux(sound.encode(None))
        return out

    return drawn


@pytest.fixture(scope="session")
def short_video(draw_video: Callable[[float], Path]) -> Path:
    """A minute long, so that the track of `corner_loop` cannot be looped under it."""
    return draw_video(60.0)


@pytest.fixture(scope="session")
def corner_fit(corner_home: Home, short_video: Path) -> Planned:
    """The track of `corner_loop` fitted to a minute: straight first, and a cut-down among its options."""
    path = bundled_path("data", "bundled", "music", "corner_store.ogg")
    workspace = Workspace(corner_home)
    loop = plan_track(workspace, find_track(workspace, str(path)), short_video, auto_mix=True)
    kinds = [option.kind for option in loop.plan.options]
    assert kinds[0] is PlanKind.STRAIGHT
    assert PlanKind.CUT_DOWN in kinds
    return loop


def _planned(home: Home, track: str, seconds: float) -> Planned:
    path = bundled_path("data", "bundled", "music", f"{track}.ogg")
    return plan_track(Workspace(home), find_track(Workspace(home), str(path)), seconds, LOOP_ALONE)


def copy_home(home: Home, folder: Path) -> Home:
    """A home in a new folder that knows what another one knows of tracks and videos, and nothing else."""
    shutil.copytree(home.root, folder, ignore=shutil.ignore_patterns("workbench.sqlite*", "renders"))
    return Home(folder)


@pytest.fixture(scope="session")
def tide_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home of `tide_loop`."""
    return Home(tmp_path_factory.mktemp("tide"))


@pytest.fixture(scope="session")
def tide_loop(tide_home: Home) -> Planned:
    """A bundled track under 200 s, with several options."""
    return _planned(tide_home, "slow_tide", 200.0)


@pytest.fixture(scope="session")
def corner_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home of `corner_loop`."""
    return Home(tmp_path_factory.mktemp("corner"))


@pytest.fixture(scope="session")
def corner_loop(corner_home: Home) -> Planned:
    """A bundled track under 250 s, with three seams at least."""
    loop = _planned(corner_home, "corner_store", 250.0)
    assert len(loop.plan.seam_times) >= 3
    return loop


@pytest.fixture(scope="session")
def corner_look(corner_loop: Planned, corner_home: Home) -> SeamLook:
    """Its first seam."""
    return look_at_seam(Workspace(corner_home), corner_loop, corner_loop.plan, 0)
