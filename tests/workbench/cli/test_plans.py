"""`workbench plans`: the plans of a folder, and the projects of the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from workbench.analysis.sources import TrackSource
from workbench.analysis.workspace import Workspace
from workbench.plans.request import LOOP_ALONE
from workbench.review.projects import keep_fields, plan_record, rename_project, start_project
from workbench.store.home import Home
from workbench.workflows.plan import plan_track

from .conftest import Cli


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_the_plans_of_a_folder_are_listed(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    fit = ("fit", track_file, "--seconds")
    workbench.done(*fit, 15, "--keep", "0:02-0:06", "--fade", 2, "-o", tmp_path / "one.json")
    workbench.done(*fit, "20,10", "-o", tmp_path / "two.json")
    bare = json.loads((tmp_path / "one.json").read_text())["plan"]
    (tmp_path / "bare.json").write_text(json.dumps(bare))
    for name, text in (("other.json", "[1, 2]"), ("broken.json", '{"plan": '), ("notes.txt", "plan")):
        (tmp_path / name).write_text(text)
    (tmp_path / "later.json").write_text(json.dumps({"plan": bare, "provenance": {"command": 3}}))
    out, err = workbench.done("plans", tmp_path, "--home", tmp_path / "new")
    listed = rows(out)
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", row.pop("made")) for row in listed)
    track = {"track": track_file.name}
    named = {name: {"name": name, "file": str(tmp_path / name)} for name in ("bare.json", "one.json", "two.json")}
    assert listed == [
        named["bare.json"] | {"seconds": 15.0},
        named["one.json"] | track | {"seconds": 15.0, "from": "fit --keep 0:02-0:06 --fade 2"},
        named["two.json"] | track | {"seconds": 20.0, "from": "fit"},
        named["two.json"] | track | {"seconds": 10.0, "from": "fit"},
    ]
    assert [line.split(": ")[1] for line in err.splitlines()] == [str(tmp_path / "later.json")]
    assert not (tmp_path / "new").exists(), "listing stores nothing"


def test_the_projects_of_the_page_are_listed(workbench: Cli, track_file: Path, tmp_path: Path) -> None:
    with Workspace(Home(tmp_path / "home")) as workspace:
        track, video = TrackSource(track_file.name, track_file, None), tmp_path / "film.mp4"
        begun = start_project(workspace, video, track)
        keep_fields(workspace, begun.project_id, {"plan": plan_record(plan_track(workspace, track, 80.0, LOOP_ALONE))})
        rename_project(workspace, begun.project_id, "Spring film")
        empty = start_project(workspace, None, track)
    (tmp_path / "folder").mkdir()
    code, out, err = workbench("plans", tmp_path / "folder", "--home", tmp_path / "home")
    assert (code, err) == (0, "")
    listed = {row["project"]: row for row in rows(out)}
    whole = listed[begun.project_id]
    assert (whole["name"], whole["track"], whole["video"]) == ("Spring film", str(track_file), str(video))
    assert (whole["seconds"], whole["from"]) == (80.0, "loop")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", whole["made"])
    assert "video" not in listed[empty.project_id]
    assert "seconds" not in listed[empty.project_id]


def test_a_folder_that_is_not_there_is_one_line(workbench: Cli, tmp_path: Path) -> None:
    err = workbench.refused(1, "plans", tmp_path / "none", "--home", tmp_path)
    assert err == f"workbench: {tmp_path / 'none'}: cannot be read (No such file or directory)\n"
