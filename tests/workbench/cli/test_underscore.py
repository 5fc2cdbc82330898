"""`workbench underscore` prints the body of the service, and reads a script from anywhere."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from workbench.catalog.library import Library, LibraryEntry
from workbench.store.database import Database
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings

from .conftest import Cli


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    database = Database.at(Home(tmp_path / "home"), WorkbenchSettings(database_url=None))
    fields = {
        "title": "Sea",
        "moods": ("calm",),
        "genres": ("ambient",),
        "bpm": 66.0,
        "energy": 0.1,
        "instrumental": True,
    }
    Library(database).add_all(
        [
            LibraryEntry(Path("/music/sea.wav"), {**fields, "licence": "CC-BY-NC-4.0"}, "trk_sea", "1" * 64),
            LibraryEntry(
                Path("/music/riot.wav"),
                {**fields, "title": "Riot", "moods": ("angry",), "energy": 0.95},
                "trk_riot",
                "2" * 64,
            ),
        ]
    )
    database.close()
    return tmp_path / "home"


def test_a_lane_is_printed_as_json(workbench: Cli, catalog: Path) -> None:
    code, out, _ = workbench("underscore", "Breathe out. Let the day go.", "--home", catalog, "--brief", "no vocals")
    lane = json.loads(out)["lane"]
    assert code == 0
    assert [track["track_id"] for track in lane["matches"]] == ["trk_sea", "trk_riot"]
    assert [track.get("licence") for track in lane["matches"]] == ["CC-BY-NC-4.0", None]
    assert "candidate_pool" not in lane
    assert "fit_explanation" not in lane["matches"][0]
    assert all("category" not in reason for reason in lane["matches"][0]["match_map"])


def test_a_licence_that_forbids_the_use_puts_a_track_last_and_changes_no_score(workbench: Cli, catalog: Path) -> None:
    """The track that suits is NC; the licence of the other is not known."""
    asked = ("underscore", "Breathe out. Let the day go.", "--home", catalog, "--expand", "full")
    free, ruled = (
        {track["track_id"]: track for track in json.loads(workbench(*asked, *given)[1])["lane"]["matches"]}
        for given in ((), ("--for", "broadcast"))
    )
    assert (list(free), list(ruled)) == (["trk_sea", "trk_riot"], ["trk_riot", "trk_sea"])
    assert all(free[name]["score"] == ruled[name]["score"] for name in free)
    said = {name: (track["match_map"][0]["audio"], track["match_map"][0]["score"]) for name, track in ruled.items()}
    assert said["trk_sea"] == ("a licence that forbids it, as NC and ND do", 0.0)
    assert said["trk_riot"] == ("not known whether its licence allows it", 0.5)
    assert ruled["trk_sea"]["fit_explanation"].startswith("Last resort, for it breaks a rule: licensed for ")


def test_full_tracks_and_the_pool_are_printed_when_asked_for(workbench: Cli, catalog: Path) -> None:
    _, out, _ = workbench("underscore", "Breathe out.", "--home", catalog, "--expand", "full", "--platform", "reels")
    lane = json.loads(out)["lane"]
    assert len(lane["candidate_pool"]) == 2
    assert lane["matches"][0]["fit_explanation"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_script_is_read_from_standard_input(
    workbench: Cli, catalog: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    script = io.BytesIO("Breathe out. Let the day go.".encode(encoding))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(script))
    out, _ = workbench.done("underscore", "-", "--home", catalog)
    assert json.loads(out)["lane"]["matches"][0]["track_id"] == "trk_sea"


def test_a_script_that_ends_within_a_character_is_read(
    workbench: Cli, catalog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfeh\0e")))
    code, _, error = workbench("underscore", "-", "--home", catalog)
    assert (code, error) == (0, "")


def test_an_empty_script_is_one_line_of_error(workbench: Cli, catalog: Path) -> None:
    error = workbench.refused(1, "underscore", " ", "--home", catalog)
    assert error == "workbench: the script must say something\n"


def test_an_empty_catalog_is_told_in_a_line_that_says_what_to_do(workbench: Cli, tmp_path: Path) -> None:
    error = workbench.refused(1, "underscore", "Hello there", "--home", tmp_path / "new")
    (line,) = error.splitlines()
    assert f"the catalog in {tmp_path / 'new'} is empty" in line
    assert "workbench catalog add PATH" in line
    assert "is empty" in workbench("catalog", "list", "--home", tmp_path / "new")[2]


def test_another_expand_is_wrong_usage(workbench: Cli, catalog: Path) -> None:
    assert workbench("underscore", "Hello", "--home", catalog, "--expand", "lean")[0] == 2
