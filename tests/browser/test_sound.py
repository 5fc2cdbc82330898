"""What the browser plays of a plan, decoded back, is what `workbench.render` makes of it; its meters are the core's."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tornado.ioloop import IOLoop

from workbench.analysis.workspace import Workspace
from workbench.dashboards.app import make_server
from workbench.dashboards.sounds.plan import played_duck, played_plan, track_file
from workbench.features.loudness import integrated_lufs, momentary, short_term, true_peak_db
from workbench.files import bundled_path
from workbench.mix.balance import Duck, Mix
from workbench.mix.fades import duck_gain
from workbench.mix.speech_band import REACH_SECONDS, SPEECH_BAND_HZ, duck_bands, duck_blocks
from workbench.params import RenderParams
from workbench.plans.plan import Ending, EndKind, LoopBody, LoopPlan, LoopSegment
from workbench.recording import FloatArray, Recording
from workbench.render.playback import render
from workbench.store.home import Home

pytestmark = pytest.mark.browser

TRACK = bundled_path("data", "bundled", "music", "corner_store.ogg")
BAND = [*SPEECH_BAND_HZ, REACH_SECONDS]
MOST_RESIDUE_DB = -80.0
"""under full scale; the file that the browser reads has 16 bits"""

MOST_LU = 0.1
"""between the meters of the page and `workbench.features.loudness`"""
MOST_PEAK_DB = 0.3
"""of a true peak: the core fits the crests between four points a sample, which the page does not"""

_MEASURE = """async ([rows, rate]) => {
    const { measureOffline } = await import("/assets/levels.js")
    const samples = rows.map((row) => new Float32Array(Uint8Array.from(atob(row), (c) => c.charCodeAt(0)).buffer))
    return await measureOffline(samples, rate, "/assets/meter.js")
}"""
_PLAY = """async ([url, plan, points, from, to, band]) => {
    const { playOffline } = await import("/assets/sound.js")
    const rows = await playOffline(url, plan, points, from, to, band)
    const told = []
    for (const row of rows) {
        const bytes = new Uint8Array(row.buffer, row.byteOffset, row.byteLength)
        let text = ""
        for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768))
        told.push(btoa(text))
    }
    return told
}"""


@dataclass(frozen=True)
class Served:
    """A track that a page can play, and the same track decoded."""

    root: str
    url: str
    recording: Recording


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A dashboard in a thread of its own, with one track to play."""
    workspace = Workspace(Home(tmp_path_factory.mktemp("home")))
    file = track_file(workspace, TRACK)
    ready, found = threading.Event(), []

    def serve() -> None:
        server = make_server(workspace)
        server.start()
        found.append((server.port, server.io_loop))
        ready.set()
        server.io_loop.start()
        server.stop()

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(60)
    port, loop = found[0]
    root = f"http://127.0.0.1:{port}"
    yield Served(root, f"/sounds/{file.name}", workspace.load_recording(TRACK))
    stopping: IOLoop = loop
    stopping.add_callback(stopping.stop)
    thread.join()


@pytest.fixture
def played(new_page: Callable[..., Any], served: Served) -> Callable[..., FloatArray]:
    """`played(plan, points, from_s, to_s)` is what leaves the browser, shape (channels, n)."""
    page = new_page()
    page.goto(f"{served.root}/assets/transport.css")  # any document of the server: its policy holds

    def play(plan: LoopPlan | None, points: Any, from_s: float, to_s: float) -> FloatArray:
        told = None if plan is None else played_plan(plan, served.recording.sample_rate)
        rows = page.evaluate(_PLAY, [served.url, json.loads(json.dumps(told)), points, from_s, to_s, BAND])
        return np.stack([np.frombuffer(base64.b64decode(row), dtype=np.float32) for row in rows])

    return play


@pytest.fixture(scope="module")
def plan(served: Served) -> LoopPlan:
    """Three segments at other levels, with crossfades of all kinds, glides, a late start and an end that fades."""
    segments = (
        LoopSegment(2.0, 20.25, 0.0, 0.0),
        LoopSegment(9.5, 31.0, -1.5, 2.0),
        LoopSegment(5.125, 24.901, 0.75, -3.0),
    )
    music_in = 1.5
    end = round(music_in + sum(segment.length for segment in segments), 6)
    return LoopPlan(
        segments=segments, seam_fades=(0.037, 1.25), seam_curves=(1.0, 0.53), gain_glide_seconds=4.0,
        music_in=music_in, start_at=music_in, start_fade_seconds=0.8, ending=Ending(EndKind.FADE, 1.0, 6.0),
        window_end=end, song_duration=round(served.recording.duration, 6), beats_per_bar=4,
        body=LoopBody(9.5, 31.0, bars=1, repeats=1), sections_covered=("verse",), seam_score=1.0, plan_score=1.0,
    )  # fmt: skip


def residue_db(heard: FloatArray, meant: FloatArray) -> float:
    """Largest difference of any sample, dB under full scale."""
    assert heard.shape == meant.shape
    return float(20.0 * np.log10(max(1e-12, np.abs(heard - meant).max())))


def test_the_browser_plays_what_is_rendered(served: Served, plan: LoopPlan, played: Callable[..., FloatArray]) -> None:
    heard = played(plan, [], 0.0, plan.window_end)
    assert residue_db(heard, render(plan, served.recording).samples) < MOST_RESIDUE_DB


def test_the_browser_plays_from_any_place(served: Served, plan: LoopPlan, played: Callable[..., FloatArray]) -> None:
    for first, last in ((19.0, 20.5), (40.0, 43.0)):
        meant = render(plan, served.recording, from_s=first, to_s=last)
        assert residue_db(played(plan, [], first, last), meant.samples) < MOST_RESIDUE_DB


def test_the_browser_ducks_as_a_mix_does(served: Served, plan: LoopPlan, played: Callable[..., FloatArray]) -> None:
    points = [[3.0, 0.0], [3.25, 9.0], [8.0, 11.5], [8.6, 0.0], [30.0, 0.0], [30.1, 6.0], [61.0, 14.0]]
    meant = render(plan, served.recording)
    times = np.arange(meant.samples.shape[1]) / meant.sample_rate
    heard = played(plan, points, 0.0, plan.window_end)
    assert residue_db(heard, meant.samples * duck_gain(points, times)) < MOST_RESIDUE_DB


def test_the_browser_ducks_in_bands_as_a_render_does(
    served: Served, plan: LoopPlan, played: Callable[..., FloatArray]
) -> None:
    points = ((3.0, 0.0), (3.25, 9.0), (8.0, 11.5), (8.6, 0.0), (30.0, 0.0), (30.1, 6.0), (61.0, 14.0))
    speech, params = ((3.3, 8.0), (30.2, 60.0)), RenderParams(ducking="bands")
    mix = Mix(True, "voice", 0.0, 0.0, Duck(points, 100, speech, 14.0, 300, 900))
    meant = render(plan, served.recording)
    blocks = duck_blocks([meant.samples], meant.sample_rate, duck_bands(points, speech, params))
    sound = np.concatenate(list(blocks), axis=1)
    assert residue_db(sound, meant.samples) > -30.0
    assert residue_db(played(plan, played_duck(mix, params), 0.0, plan.window_end), sound) < MOST_RESIDUE_DB
    first, last = round(29.0 * meant.sample_rate), round(33.0 * meant.sample_rate)
    assert residue_db(played(plan, played_duck(mix, params), 29.0, 33.0), sound[:, first:last]) < MOST_RESIDUE_DB


def test_a_recording_without_a_plan_is_played_as_it_is(served: Served, played: Callable[..., FloatArray]) -> None:
    rate = served.recording.sample_rate
    meant = served.recording.samples[:, 10 * rate : 13 * rate]
    assert residue_db(played(None, [], 10.0, 13.0), meant) < MOST_RESIDUE_DB


@pytest.fixture
def measured(browser: Any, served: Served) -> Iterator[Callable[[FloatArray, int], Any]]:
    """`measured(samples, rate)` is what the page measures of them."""
    page = browser.new_page()
    page.goto(f"{served.root}/assets/transport.css")

    def measure(samples: FloatArray, rate: int) -> Any:
        rows = [base64.b64encode(row.astype(np.float32).tobytes()).decode() for row in samples]
        return page.evaluate(_MEASURE, [rows, rate])

    yield measure
    page.close()


@pytest.mark.parametrize("rate", [44100, 48000])
def test_the_meters_are_those_of_the_core(measured: Callable[[FloatArray, int], Any], rate: int) -> None:
    """Noise that swells, falls silent and comes back, louder on the left."""
    times = np.arange(9 * rate) / rate
    shape = np.where((times > 4.0) & (times < 5.5), 0.0, 0.05 + 0.25 * np.sin(times) ** 2)
    noise = np.random.default_rng(7).normal(size=(2, times.size)) * shape * [[0.9], [0.4]]
    samples = noise.astype(np.float32)
    told = measured(samples, rate)
    for column, steps, core in ((0, 4, momentary(samples, rate)), (1, 30, short_term(samples, rate))):
        ours = [row[column] for row in told["rows"]]
        assert ours[: steps - 1] == [None] * (steps - 1), "until a window is full there is nothing to say"
        loud = core > -70.0
        assert len(ours[steps - 1 :]) == core.size
        assert np.abs(np.array(ours[steps - 1 :])[loud] - core[loud]).max() < MOST_LU
    assert abs(told["integrated"] - integrated_lufs(samples, rate)) < MOST_LU
    assert abs(told["truePeak"] - true_peak_db(samples)) < MOST_PEAK_DB


def test_a_true_peak_between_samples_is_found(measured: Callable[[FloatArray, int], Any]) -> None:
    """A quarter of the rate, its samples an eighth of a period off the crests and 3 dB under them."""
    sine = 0.5 * np.sin(np.pi / 2 * np.arange(44100) + np.pi / 4)[None, :]
    assert abs(measured(sine, 44100)["truePeak"] - 20 * np.log10(0.5)) < MOST_LU
