"""Downloads of a plan, in every format there is."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
import soundfile

from workbench.analysis.workspace import Workspace
from workbench.dashboards.downloads import download_file, download_label, offered
from workbench.dashboards.sounds.plan import listening_folder
from workbench.errors import Sentence
from workbench.media.probe import probe
from workbench.plans.refusals import Refusal, RefusalReason
from workbench.results.plan import plan_from_json
from workbench.review.versions import freeze_plan
from workbench.store.home import Home
from workbench.workflows.export import PACKED
from workbench.workflows.plan import Planned

FINISHED = ("video", "mixed-music", "music")


def test_a_plan_can_be_taken_away_in_every_format(tide_home: Home, tide_loop: Planned) -> None:
    files = [download_file(Workspace(tide_home), tide_loop, name) for name, *_ in offered(tide_loop)
             if name not in FINISHED]  # fmt: skip
    assert all(file.stat().st_size > 0 for file in files)
    assert len(set(files)) == len(files), "none takes the place of another"
    assert offered(None) == []
    said = {name: what for name, _, what in offered(tide_loop)}
    assert "Final Cut Pro does not import .ogg files: export with the track as WAV." in said["fcpxml"]
    assert "import" not in said["rpp"]


def test_the_json_is_the_plan_as_the_command_line_prints_it(tide_home: Home, tide_loop: Planned) -> None:
    text = download_file(Workspace(tide_home), tide_loop, "json").read_text(encoding="utf-8")
    assert json.loads(text)["applicable"] is True
    read = plan_from_json(text)
    assert read.segments == tide_loop.plan.segments
    assert len(read.options) == len(tide_loop.plan.options)


def test_a_fit_is_taken_away_as_one(corner_home: Home, corner_fit: Planned) -> None:
    names = [name for name, *_ in offered(corner_fit)]
    assert "loop-tags" not in names, "a straight plan has no loop"
    for name in names:
        if name not in FINISHED and not name.endswith(PACKED):
            assert download_file(Workspace(corner_home), corner_fit, name).stat().st_size > 0
    text = download_file(Workspace(corner_home), corner_fit, "json").read_text(encoding="utf-8")
    given = json.loads(text)
    assert (given["plan"]["kind"], given["provenance"]["command"]) == ("straight", "fit")
    assert not {"loop_start_a", "bars", "repeats"} & given["plan"].keys()
    assert plan_from_json(text) == corner_fit.answer


def test_the_finished_video_and_music_are_among_them(
    corner_home: Home, corner_fit: Planned, tide_loop: Planned
) -> None:
    names = [name for name, *_ in offered(corner_fit)]
    assert names[:5] == ["video", "xmeml", "xmeml.zip", "mixed-music", "music"]
    assert not {"video", "mixed-music"} & {name for name, *_ in offered(tide_loop)}, "only a length was given"
    music = soundfile.info(download_file(Workspace(corner_home), corner_fit, "music"))
    assert music.frames == round(corner_fit.plan.window_end * music.samplerate)
    video = download_file(Workspace(corner_home), corner_fit, "video")
    assert corner_fit.video is not None
    before, after = probe(corner_fit.video), probe(video)
    assert (video.suffix, after.has_video, after.width) == (corner_fit.video.suffix, True, before.width)
    assert after.audio_duration == pytest.approx(before.duration, abs=0.05)


def test_a_download_says_which_option_it_holds(tide_loop: Planned) -> None:
    assert download_label(tide_loop, 0) == "Download option 1, the plan in use"
    assert download_label(tide_loop, 1) == "Option 2 plays: use it to download it"
    alone = replace(tide_loop, answer=tide_loop.plan.alone)
    assert download_label(alone, 1) == "Download the plan", "it has no such option"


def test_where_there_is_no_plan_nothing_is_offered(tide_loop: Planned) -> None:
    refused = replace(
        tide_loop, answer=Refusal(RefusalReason.LOW_CONFIDENCE, Sentence("Its bars are too unsure to cut at."))
    )
    for loop in (None, refused):
        assert (offered(loop), download_label(loop, 0)) == ([], "")


def test_files_are_named_by_video_track_version_and_option(corner_fit: Planned, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    assert corner_fit.video is not None
    named = re.sub(r"[^\w-]+", "-", f"{corner_fit.video.stem}-corner_store")
    assert download_file(workspace, corner_fit, "edl").name == f"{named}-draft-option-1.edl"
    freeze_plan(workspace, corner_fit)
    packed = download_file(workspace, corner_fit, "xmeml.zip")
    assert packed.name == f"{named}-v1-option-1-xmeml.zip"
    track = replace(corner_fit.track, path=Path("ä" * 120 + ".ogg"), record=None)
    video = corner_fit.video.with_name("ü" * 120 + ".mp4")
    written = download_file(workspace, replace(corner_fit, track=track, video=video), "json")
    assert written.name == f"{'ü' * 40}-{'ä' * 40}-v1-option-1.plan.json"
    with ZipFile(packed) as archive:
        kinds = sorted(Path(name).suffix for name in archive.namelist())
    assert kinds == sorted([corner_fit.video.suffix, ".wav", ".wav", ".xml"])


def test_the_oldest_files_make_room_for_a_download(corner_fit: Planned, tmp_path: Path) -> None:
    def write(path: Path, gigabytes: int, at: float) -> Path:
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as file:
            file.truncate(gigabytes * 10**9)  # takes no space
        os.utime(path, (at, at))
        return path

    workspace = Workspace(Home(tmp_path / "home"))
    folder = listening_folder(workspace.home)
    first = download_file(workspace, corner_fit, "json")
    old = write(first.with_name("old.mp4"), 2, 1000.0)
    sound = write(folder / "one.blind.wav", 3, 2000.0)
    os.link(sound, folder / "other.blind.wav")
    assert download_file(workspace, corner_fit, "csv").exists()
    assert not old.exists()
    assert len(list(folder.glob("*.blind.wav"))) == 2, "both are one file"
    write(old, 2, 3000.0)
    assert download_file(workspace, corner_fit, "csv").exists()
    assert (list(folder.glob("*.blind.wav")), old.exists(), first.exists()) == ([], True, True)
