"""The Match tab without a browser: what was found, filtered, chosen, and laid under the video."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.workbench.dashboards.waiting import WaitingPool
from workbench.align.placements import Coincidence, Placement
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import Track
from workbench.dashboards.actions import Session
from workbench.dashboards.sounds.mix import DrawnMatch, match_to_draw
from workbench.dashboards.tabs.match import Filters, MatchPicture, MatchState, MatchTab, first_audible, named_marks
from workbench.matching.brief import BROKEN
from workbench.matching.lane import Lane, Match, MatchReason
from workbench.matching.video_facts import Scene, VideoFacts
from workbench.store.home import Home

SECONDS = 120.0


def track(name: str, **known: object) -> Track:
    return Track(name, Path(f"{name}.wav"), "0" * 64, title=name.title(), **known)  # type: ignore[arg-type]


def landing(offset: float, *met: tuple[str, float]) -> Placement:
    coincidences = tuple(Coincidence(kind, at - offset, "cut", at, 0.0, 1.0) for kind, at in met)
    return Placement(offset, 0.6, "drop on the cut", 0.9, 0.4, 0.0, coincidences)


CALM = Match(
    track("calm", bpm=72.0, duration_seconds=60.0, instrumental=True, moods=("Calm", "Warm"), licence="CC-BY <i>4</i>"),
    0.8,
    (MatchReason("2 cuts <b>per</b> minute", "72 bpm", 0.9, "energy", "energy by scene"),),
    fit_explanation="Slow like the video.",
    sync=(landing(30.0, ("drop", 45.0)), landing(-20.0, ("stab", 10.0))),
)
SUNG = Match(track("sung", bpm=128.0, duration_seconds=200.0, instrumental=False, genres=("Pop",)), 0.5, (), sync=())
UNKNOWN = Match(track("unknown"), 0.2, (), sync=None)


@pytest.fixture
def drawn() -> DrawnMatch:
    scene = Scene(0.0, SECONDS, 2.0, 0.1, 0.5, 0.1, 0.3)
    video = VideoFacts(
        SECONDS, np.array([10.0, 45.0]), 0.1, 0.5, 0.1, 0.2, None, 0.1, 1, "voice", (scene,), pace=0.1, movement=0.4
    )
    lane = Lane("Calm music", "because", (CALM, SUNG), (CALM, SUNG, UNKNOWN))
    motion = np.column_stack([np.arange(0.5, SECONDS), np.full(120, 0.4)])
    contours = {"calm": np.linspace(0.1, 0.9, 32), "unknown": np.full(32, np.nan)}
    tempi = {"calm": (72.0, 144.0), "sung": (128.0, 128.0), "unknown": (np.nan, np.nan)}
    return DrawnMatch(lane, video, ((5.0, 17.0),), motion, contours, tempi)


@pytest.fixture
def pool() -> WaitingPool:
    return WaitingPool()


@pytest.fixture
def session(tmp_path: Path, pool: WaitingPool) -> Session:
    return Session(Workspace(Home(tmp_path)), pool=pool)


@pytest.fixture
def tab(session: Session) -> MatchTab:
    return MatchTab(session)


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(), ["calm", "sung", "unknown"]),
        (Filters(bpm=(100.0, 140.0)), ["sung"]),
        (Filters(bpm=(100.0, 220.0)), ["calm", "sung"]),
        (Filters(seconds=(0.0, 90.0)), ["calm"]),
        (Filters(voice="instrumental"), ["calm"]),
        (Filters(voice="with vocals"), ["sung"]),
        (Filters(words="WARM calm"), ["calm"]),
        (Filters(words="pop"), ["sung"]),
        (Filters(words="pop calm"), []),
    ],
)
def test_filters_narrow_and_what_is_unknown_passes_only_where_nothing_is_asked(
    drawn: DrawnMatch, filters: Filters, kept: list[str]
) -> None:
    state = MatchState(drawn, filters)
    assert [found.track.track_id for _, found in state.shown] == kept


def test_a_filter_keeps_the_rank_of_what_it_leaves(drawn: DrawnMatch) -> None:
    state = MatchState(drawn, Filters(voice="with vocals"))
    assert [row["rank"] for row in state.rows()] == [2]


def test_the_contour_lies_where_the_track_lands(drawn: DrawnMatch) -> None:
    state = MatchState(drawn, chosen="calm")
    times, energy = state.music(CALM, state.place)
    assert 30.0 < times[0] < times[-1] < 90.0
    assert np.all(np.diff(energy) > 0)
    cut, _ = state.music(CALM, CALM.sync[1] if CALM.sync else None)
    assert cut[0] >= 0.0  # its head lies before the video


def test_one_listens_from_where_the_music_lands() -> None:
    assert first_audible(landing(30.0, ("drop", 45.0))) == 42.0
    assert first_audible(landing(30.0, ("drop", 31.0))) == 30.0, "not before the music"
    assert first_audible(landing(30.0)) == 30.0
    assert first_audible(landing(-20.0)) == 0.0


def test_where_it_lands_is_that_of_the_chosen_track(tab: MatchTab, drawn: DrawnMatch) -> None:
    other = replace(SUNG, sync=(replace(landing(50.0, ("drop", 60.0)), label="stab on the flash"),))
    tab.state.drawn = replace(drawn, lane=replace(drawn.lane, matches=(CALM, other), candidate_pool=()))
    tab.choose("calm")
    first = tab.places.value
    tab.places.value = tab.places.options[1]
    assert tab.state.placement == 1
    tab.choose("sung")
    assert other.sync is not None
    assert tab.places.value == tab.places.options[0] != first
    assert tab.state.place == other.sync[0]


def test_the_chosen_track_is_compared_at_a_button_and_tells_so(
    session: Session, tab: MatchTab, drawn: DrawnMatch
) -> None:
    tab.state.drawn = drawn
    tab.choose("calm")
    assert (tab.compared.label, tab.compared.disabled) == ("Compare", False)
    tab.compare()
    assert session.stack == ("calm",)
    assert (tab.compared.label, tab.compared.disabled) == ("Compared", True)
    tab.choose("sung")
    assert (tab.compared.label, tab.compared.disabled) == ("Compare", False)
    session.stack = ("a", "b", "c")
    tab.compare()
    assert session.stack == ("a", "b", "c")
    assert "take one away in Tracks" in session.message


def test_of_two_matches_the_one_that_was_asked_for_last_is_shown(
    session: Session, tab: MatchTab, pool: WaitingPool, drawn: DrawnMatch, tmp_path: Path
) -> None:
    session.video = tmp_path / "film.mp4"
    tab.match()
    first, second = [at for at, task in enumerate(pool.tasks) if task.function is match_to_draw]
    pool.finish(first, drawn)
    assert tab.state.drawn is None, "the catalog or the parameters have changed since"
    pool.fail(first, "out of date")
    assert session.message == ""
    pool.finish(second, drawn)
    assert tab.state.drawn is drawn


def test_a_brief_and_a_script_rank_again_and_what_was_understood_is_shown(
    session: Session, tab: MatchTab, pool: WaitingPool, drawn: DrawnMatch, tmp_path: Path
) -> None:
    session.video = tmp_path / "film.mp4"
    assert not tab.understood.visible
    tab.brief.value = "calm, no vocals, <b>xyzzy"
    tab.script.value = "A quiet morning."
    assert pool.tasks[-1].arguments[-2:] == ("calm, no vocals, <b>xyzzy", "A quiet morning.")
    assert tab.understood.visible
    assert "<b>calm</b> <b>no vocals</b> <i>&lt;b&gt;xyzzy</i>" in tab.understood.object
    broken = replace(SUNG, unmet="breaks: no vocals", standing=BROKEN)
    pool.finish(len(pool.tasks) - 1, replace(drawn, lane=replace(drawn.lane, matches=(CALM, broken))))
    rows = [(row["id"], row["part"], row["unmet"]) for row in tab.table.rows]
    assert rows == [("calm", "", ""), ("unknown", "", ""), ("sung", "these break a rule", "breaks: no vocals")]


def test_what_was_not_measured_has_no_contour(drawn: DrawnMatch) -> None:
    rows = {row["id"]: row for row in MatchState(drawn).rows()}
    assert rows["calm"]["contour"]
    assert rows["unknown"]["contour"] == []
    assert rows["unknown"]["bpm"] is None
    assert rows["sung"]["placement"] == "no clear sync point"


def test_reasons_are_words_not_markup(drawn: DrawnMatch) -> None:
    state = MatchState(drawn, chosen="calm")
    assert "Slow like the video." in state.why()
    assert "&lt;b&gt;per&lt;/b&gt;" in state.why()
    assert "<td>energy by scene</td>" in state.why()
    assert "<p>Licence: CC-BY &lt;i&gt;4&lt;/i&gt;</p>" in state.why()
    assert [row["artist"] for row in state.rows()] == ["CC-BY <i>4</i>", "", ""]
    assert MatchState(drawn).why() == ""


def test_names_of_coincidences_do_not_overlap() -> None:
    place = landing(0.0, ("drop", 40.0), ("stab", 41.0), ("section", 90.0))
    assert [at for at, *_ in named_marks(place, SECONDS, 1100)] == [40.0, 90.0]
    assert named_marks(None, SECONDS, 1100) == []
    assert named_marks(replace(place, score=0.1), SECONDS, 1100) == [], "it may be chance, as its name says"


def test_names_stand_beside_their_marks_inside_the_picture() -> None:
    place = landing(0.0, ("drop", 0.97 * SECONDS), ("stab", 0.2 * SECONDS), ("section", 0.75 * SECONDS))
    wide, narrow = (named_marks(place, SECONDS, width) for width in (1100, 290))
    assert [side for *_, side in wide] == ["right", "left", "left"]
    assert [side for *_, side in narrow] == ["right", "left"], "the third would lie over the first"


def test_the_picture_shows_video_and_track_and_another_place(drawn: DrawnMatch) -> None:
    state = MatchState(drawn, chosen="calm")
    picture = MatchPicture(state)
    picture.show_video()
    data = {name: source.data for name, source in picture._sources.items()}
    assert list(data["cuts"]["x"]) == [10.0, 45.0]
    assert list(data["marks"]["x"]) == [45.0]
    assert list(data["marks"]["side"]) == ["left"]
    picture.figure.trigger("inner_width", None, 60)
    assert list(picture._sources["marks"].data["side"]) == ["right"]
    state.placement = 1
    picture.show_track()
    assert list(picture._sources["marks"].data["x"]) == [10.0]
    state.drawn = None
    picture.show_video()
    assert len(picture._sources["motion"].data["x"]) == 0


def test_a_track_that_a_filter_hides_is_not_the_chosen_one(drawn: DrawnMatch) -> None:
    state = MatchState(drawn, chosen="calm")
    assert state.match is CALM
    state.filters = replace(state.filters, voice="with vocals")
    assert state.match is None
    assert state.place is None


def test_without_a_video_the_tab_says_what_to_open_and_a_cancelled_match_how_to_go_on(
    session: Session, tab: MatchTab, pool: WaitingPool, tmp_path: Path
) -> None:
    assert tab.table.empty == "open a video in the Plan tab first"
    session.video = tmp_path / "video.mp4"
    assert tab.table.empty == "matching the catalog to the video …"
    pool.cancel(-1)
    assert tab.table.empty == "cancelled; press Match again"


def test_an_empty_catalog_is_named_with_what_fills_it(tab: MatchTab, drawn: DrawnMatch) -> None:
    tab._show_match(replace(drawn, lane=replace(drawn.lane, matches=(), candidate_pool=())))
    assert "The catalog is empty" in tab.table.empty
    assert "workbench catalog add" in tab.table.empty
    assert tab.fill.visible
    tab.add_bundled()
    assert not tab.fill.visible, "it is under way"
    tab._show_match(drawn)
    tab.words.value_input = "no such word"
    assert tab.table.empty == "no match passes these filters"
    assert not tab.fill.visible
