"""What an export is laid out by: the rate of its video, and the time code at which that begins."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.videos import write_pictures
from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.errors import MediaError
from workbench.media.audio import write_audio
from workbench.store.home import Home
from workbench.workflows.export import export_plan, find_frame_rate


@pytest.mark.parametrize(
    ("rate", "left_out", "mean"), [(30, {100, 200}, 29.8667), (60, set(range(100, 900, 14)), 56.13), (24, {250}, 23.93)]
)
def test_a_video_with_pictures_left_out_counts_at_the_rate_it_states(
    tmp_path: Path, rate: int, left_out: set[int], mean: float
) -> None:
    times = [n / rate for n in range(15 * rate) if n not in left_out]
    found, said = find_frame_rate(write_pictures(tmp_path / "phone.mp4", times, rate=rate))
    assert found == rate
    assert said is not None
    assert f"the edit counts {rate}, the rate that the file states" in said
    assert float(re.findall(r"shows ([\d.]+) ", said)[0]) == pytest.approx(mean, abs=0.02)


def test_a_rate_that_varies_is_said_to_be_taken_for_a_usual_one(tmp_path: Path) -> None:
    steps = np.random.default_rng(3).uniform(0.01, 0.09, 300)
    found, said = find_frame_rate(write_pictures(tmp_path / "screen.mp4", np.cumsum(steps).tolist(), rate=20))
    assert found in (Fraction(24000, 1001), Fraction(24), Fraction(25))
    assert said is not None
    assert f"the edit counts {float(found):.6g}, the nearest usual one, for its rate varies" in said


@pytest.mark.parametrize("rate", [Fraction(25), Fraction(30_000, 1001), Fraction(25, 2)])
def test_nothing_is_said_of_a_rate_that_stays(tmp_path: Path, rate: Fraction) -> None:
    times = [float(n / rate) for n in range(100)]
    assert find_frame_rate(write_pictures(tmp_path / "video.mp4", times, rate=rate)) == (rate, None)


@pytest.fixture
def exported(tmp_path: Path) -> Callable[..., str]:
    """The text of an edit with a video whose camera wrote a time code."""

    def export(format_name: str, timecode: str, rate: Fraction, as_rate: float | None = None) -> str:
        video = write_pictures(
            tmp_path / "cam.mov", [float(n / rate) for n in range(75)], {"timecode": timecode}, rate=rate
        )
        noise = 0.1 * np.random.default_rng(1).standard_normal((1, 8 * 44_100)).astype(np.float32)
        track = write_audio(tmp_path / "track.wav", [noise], 44_100, 1)
        plan = make_plan([(0.0, 1.2, 0.0, 0.0), (2.0, 3.2, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
        with Workspace(Home(tmp_path / "home")) as workspace:
            out = export_plan(
                workspace,
                plan,
                format_name,
                tmp_path / f"e.{format_name}",
                track=track,
                video=video,
                frame_rate=as_rate,
            )
        return out.read_text()

    return export


def test_a_time_code_is_where_the_source_begins(exported: Callable[..., str]) -> None:
    """14:09:42:00 at 25 frames a second is 50982 s."""
    edl = exported("edl", "14:09:42:00", Fraction(25))
    assert "001  CAM      V     C        14:09:42:00 14:09:45:00 00:00:00:00 00:00:03:00" in edl
    assert re.findall(r"00:00:01:05|14:09:43", edl)[0] == "00:00:01:05"
    fcpxml = exported("fcpxml", "14:09:42:00", Fraction(25))
    assert re.search(r'<asset id="r2" name="cam" start="50982s"', fcpxml)
    clips = re.findall(r'<asset-clip ref="(r\d)"[^>]*?offset="([^"]*)"[^>]*?start="([^"]*)"', fcpxml)
    assert clips[0] == ("r2", "0s", "50982s")
    assert clips[1][:2] == ("r3", "50982s")  # connected clips count on the clock of the video
    xmeml = exported("xmeml", "14:09:42:00", Fraction(25))
    assert re.findall(r"<string>([^<]*)</string>\s*<frame>(\d+)</frame>\s*<displayformat>(\w+)<", xmeml) == [
        ("00:00:00:00", "0", "NDF"), ("14:09:42:00", "1274550", "NDF"), ("00:00:00:00", "0", "NDF")
    ]  # fmt: skip
    pytest.importorskip("opentimelineio")
    otio = exported("otio", "14:09:42:00", Fraction(25))
    assert len(re.findall(r'"value": 1274550\.0', otio)) >= 2


@pytest.mark.parametrize(
    ("timecode", "frame", "ends"),
    [
        ("01:02:03;04", 111_582, "01:02:05;19"),
        ("01:02:03:04", 111_694, "01:02:05:19"),
        ("23:59:59;00", 2_589_378, "00:00:01;15"),
    ],
)
def test_drop_frame_is_counted_as_the_camera_counts(
    exported: Callable[..., str], timecode: str, frame: int, ends: str
) -> None:
    """Drop-frame leaves out two numbers a minute but every tenth; after a day it begins again."""
    ntsc = Fraction(30_000, 1001)
    assert f"{timecode} {ends} 00:00:00;00 00:00:02;15" in exported("edl", timecode, ntsc)
    exact = Fraction(frame) / ntsc
    assert f'start="{exact.numerator}/{exact.denominator}s"' in exported("fcpxml", timecode, ntsc).replace(
        f'start="{exact.numerator}s"', f'start="{exact.numerator}/1s"'
    )
    kind = "DF" if ";" in timecode else "NDF"
    assert f"<frame>{frame}</frame>" in exported("xmeml", timecode, ntsc)
    assert f"<displayformat>{kind}</displayformat>" in exported("xmeml", timecode, ntsc)


@pytest.mark.parametrize("rate", [None, 25.0])
def test_sound_without_a_picture_is_no_video_of_an_edit(tmp_path: Path, rate: float | None) -> None:
    sound = write_audio(tmp_path / "talk.wav", [np.full((1, 8 * 44_100), 0.1, np.float32)], 44_100, 1)
    plan = make_plan([(0.0, 1.2, 0.0, 0.0), (2.0, 3.2, 0.0, 0.0)], [0.05], [0.7], song_duration=8.0)
    with Workspace(Home(tmp_path / "home")) as workspace, pytest.raises(MediaError, match="no moving picture"):
        export_plan(workspace, plan, "edl", tmp_path / "e.edl", track=sound, video=sound, frame_rate=rate)


def test_a_rate_of_ones_own_is_that_of_the_edit(exported: Callable[..., str]) -> None:
    assert 'frameDuration="1/50s"' in exported("fcpxml", "00:00:00:00", Fraction(25), 50.0)
