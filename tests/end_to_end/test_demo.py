"""The main job from start to finish, on a shorter video than `make demo` takes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.damage import damage, flipped
from workbench.analysis.workspace import Workspace
from workbench.features.loudness import true_peak_db
from workbench.media.audio import decode
from workbench.media.probe import probe
from workbench.params import WorkbenchParams
from workbench.results.plan import mix_from_json, plan_from_json
from workbench.store.home import Home
from workbench.workflows.demo import choose, demo_loop, demo_video

pytestmark = pytest.mark.slow  # the whole job, in processes of its own: a minute and more on two cores

SECONDS = 160.0


Made = tuple[Path, subprocess.CompletedProcess[str]]


def demo(home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", "demo", "--seconds", str(SECONDS), "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    home = tmp_path_factory.mktemp("home")
    done = demo(home)
    assert done.returncode == 0, done.stderr[-2000:]
    return home, done


def test_says_what_was_made_where_and_how_long_it_took(made: Made) -> None:
    home, done = made
    body = json.loads(done.stdout)
    assert body["video"] == str(home / "demo" / "video.mp4")
    said = done.stderr.splitlines()
    assert any(line.startswith("shots: ") and " a minute " in line for line in said)
    assert any(line.startswith("speech: ") and line.endswith(" %") for line in said)
    assert "the soundtrack: voice" in said
    assert any(line.startswith("the video as written: ") and "LUFS" in line for line in said)
    last = said[-1]
    assert str(home / "demo" / "report.html") in last
    assert last.endswith(" s")


def test_the_video_is_the_video_with_music_all_the_way(made: Made) -> None:
    video = made[0] / "demo" / "video.mp4"
    info = probe(video)
    assert info.duration == pytest.approx(SECONDS, abs=0.1)
    assert (info.width, info.height, info.video_codec) == (640, 360, "h264")
    sound = decode(video)
    assert true_peak_db(sound.samples) <= -1.0
    plan = plan_from_json((made[0] / "demo" / "plan.json").read_text())
    seconds = [
        sound.samples[:, round(at * sound.sample_rate) : round((at + 1) * sound.sample_rate)]
        for at in np.arange(np.ceil(plan.music_in), plan.music_end - plan.end_fade_seconds - 8.0)
    ]
    assert min(np.sqrt(np.mean(np.square(second))) for second in seconds) > 1e-3


def test_the_plan_is_one_and_its_mix_ducks_under_the_narration(made: Made) -> None:
    text = (made[0] / "demo" / "plan.json").read_text()
    plan, mix = plan_from_json(text), mix_from_json(text)
    assert plan.window_end == pytest.approx(SECONDS, abs=0.001)
    assert mix is not None
    assert mix.classification == "voice"
    assert mix.duck is not None
    assert mix.duck.depth_db > 0.0


def test_every_seam_has_a_picture_and_four_seconds_of_sound(made: Made) -> None:
    folder = made[0] / "demo"
    plan = plan_from_json((folder / "plan.json").read_text())
    for number, time_s in enumerate(plan.seam_times, start=1):
        assert (folder / f"seam-{number:02d}.png").read_bytes()[:4] == b"\x89PNG"
        excerpt = decode(folder / f"seam-{number:02d}.wav")
        assert excerpt.duration == pytest.approx(min(2.0, time_s) + 2.0, abs=0.01)


def test_the_report_needs_nothing_but_the_video_beside_it(made: Made) -> None:
    page = (made[0] / "demo" / "report.html").read_text()
    assert "://" not in page
    assert 'src="video.mp4"' in page
    assert "Why this track" in page
    assert "<h2>The video</h2>" in page
    assert page.count("data:audio/mpeg;base64,") >= 2


def test_dashboard_and_command_line_show_the_same_track(made: Made) -> None:
    """What the dashboard opens and what the showcase of the service names: one rule."""
    home = Home(made[0])
    chosen = json.loads(made[1].stdout)["track_id"]
    loop = demo_loop(Workspace(home, WorkbenchParams()), SECONDS)
    assert loop.track.track_id == chosen
    assert choose(Workspace(home), demo_video(Workspace(home), SECONDS)).best.track.track_id == chosen
    assert loop.mix is not None
    assert loop.answer == plan_from_json((made[0] / "demo" / "plan.json").read_text())


def test_a_second_run_makes_the_same_and_a_damaged_film_again(made: Made) -> None:
    home, first = made
    made_once = [home / "demo" / name for name in ("seam-01.png", "plan.json")]
    before = [path.read_bytes() for path in (*(home / "film").glob("*.mp4"), *made_once)]
    assert len(damage([*(home / "film").glob("*.mp4")], flipped)) == 1
    again = demo(home)
    assert again.returncode == 0
    assert again.stdout == first.stdout
    assert again.stderr.count("is damaged") == 1
    assert [path.read_bytes() for path in (*(home / "film").glob("*.mp4"), *made_once)] == before
    assert probe(home / "demo" / "video.mp4").duration == pytest.approx(SECONDS, abs=0.1)
