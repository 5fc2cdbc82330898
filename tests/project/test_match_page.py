"""The page of films by others shows each film, its tracks with players and reasons, and asks nothing of the network."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from data.recipes.material.elsewhere_videos import elsewhere_videos
from tests.benchmarks.elsewhere.match_page import chosen, write_match_page
from tests.videos import grey, write_video
from workbench.analysis.workspace import Workspace
from workbench.files import bundled_path
from workbench.store.home import Home
from workbench.workflows.catalog import WantedFile, add_tracks


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve seconds of three plain shots, without sound."""
    shots = (grey((40, 120, 200)[k // 40], 160, 90) for k in range(120))
    return write_video(tmp_path_factory.mktemp("films") / "shots.mp4", shots, 10)


def test_the_page_has_stills_players_and_reasons_of_bundled_tracks(film: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    tracks = [bundled_path("data", "bundled", "music", f"{name}.ogg") for name in ("top_of_the_hour",)]
    wanted = [WantedFile(path, f"trk_{path.stem}", {"moods": ["calm"]}) for path in tracks]
    with ThreadPoolExecutor(1) as here:
        assert all(added.fault is None for added in add_tracks(workspace, wanted, here))
    html = write_match_page(workspace, [("first", film), ("again", film)], tmp_path / "page.html").read_text()
    assert html.count("<img") == 2
    assert html.count("<audio") == 2
    assert {path.stem for path in tracks} == set(re.findall(r"<h3>\d\. (\w+): 0\.\d\d</h3>", html))
    assert html.count("Catalog: calm.") == 2
    assert len(re.findall(r"mood \d\.\d\d: ", html)) == 2
    assert not re.findall(r'(?:src|href)="(?!data:)', html)


def test_films_are_of_many_sources_and_nobody_picks_them() -> None:
    videos = elsewhere_videos("test")
    taken = chosen(videos, 12)
    assert len({one.source for one in taken}) == 12
    assert chosen(videos[::-1], 12) == taken
    assert Counter(one.source for one in chosen([*taken[:2], replace(taken[0], sha256="f" * 64)], 2)) == {
        taken[0].source: 1,
        taken[1].source: 1,
    }
    assert len(chosen(videos, 500)) == len(videos)
