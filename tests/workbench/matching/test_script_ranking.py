"""Ranking for a script: order, reasons, reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.catalog.certainty import SURE, SURE_BUT_FOR_HALF, UNSURE
from workbench.catalog.track import Track
from workbench.matching.brief import read_brief
from workbench.matching.columns import UNKNOWN, Columns, empty_columns
from workbench.matching.language.lexicon import lexicon, read_lexicon
from workbench.matching.script import Reading, read_script
from workbench.matching.script_ranking import (
    ENERGY_REACH,
    PACE_REACH,
    PLATFORMS,
    RankedTracks,
    ScriptWants,
    nearest,
    rank,
    steer_of,
    want,
)
from workbench.matching.script_reasons import (
    ScriptReading,
    explanation,
    lane_reasoning,
    lane_title,
    matched_tags,
    reasons,
)
from workbench.matching.texts import names_in, trust_in
from workbench.params import UnderscoreParams

PARAMS = UnderscoreParams()
TEXTS = (
    "calm, meditative ambient pads and singing bowls",
    "aggressive metal with distorted guitars and drums",
    "happy, bouncy ukulele pop for children",
    "dark, tense cinematic strings",
)
ENERGY, BPM, MODE = (0.12, 0.95, 0.6, 0.45), (64.0, 160.0, 118.0, 95.0), (0.4, -0.8, 0.9, -0.9)
MEDITATION = "Breathe in, breathe out. Close your eyes and relax your shoulders. Meditate."


def catalog(rows: list[int] | None = None) -> tuple[Columns, np.ndarray, np.ndarray]:
    rows = [0, 1, 2, 3] if rows is None else rows
    columns = empty_columns(np.array([f"trk_{row}" for row in rows]))
    columns.energy[:], columns.bpm[:], columns.mode[:] = (np.array(of)[rows] for of in (ENERGY, BPM, MODE))
    columns.vocals[:], columns.duration[:] = 0.05, 150.0
    facets = np.array([read_lexicon(TEXTS[row]).facets for row in rows])
    return columns, facets, np.ones(len(rows))


@pytest.fixture
def meditation() -> Reading:
    return read_script(MEDITATION)


def ranked(wanted: ScriptWants, rows: list[int] | None = None) -> RankedTracks:
    return rank(wanted, *catalog(rows), PARAMS)


def test_the_track_that_suits_comes_first(meditation: Reading) -> None:
    found = ranked(want(meditation, read_brief(""), None, PARAMS))
    assert found.order[0] == 0
    assert found.scores[0] > 3 * found.scores[1:].max()


def test_a_pair_scores_the_same_in_any_catalog(meditation: Reading) -> None:
    wanted = want(meditation, read_brief(""), None, PARAMS)
    assert ranked(wanted).scores[3] == ranked(wanted, [3]).scores[0] == ranked(wanted, [2, 3]).scores[1]


def test_equal_tracks_stand_in_the_order_of_their_ids(meditation: Reading) -> None:
    wanted = want(meditation, read_brief(""), None, PARAMS)
    columns, facets, trust = catalog([1, 1, 1])
    columns = replace(columns, track_ids=np.array(["c", "a", "b"]))
    assert list(rank(wanted, columns, facets, trust, PARAMS).order) == [1, 2, 0]


def test_a_brief_counts_beside_the_script_as_much_as_it_is_given(meditation: Reading) -> None:
    brief, aggressive = read_brief("aggressive"), lexicon().names.index("aggressive")
    none, half, whole = (
        want(meditation, brief, None, UnderscoreParams(brief_share=share)).facets[aggressive]
        for share in (0.0, 0.5, 1.0)
    )
    assert none < half < whole


@pytest.mark.parametrize("known", [0.0, 0.02, 1.0])
def test_the_nearest_are_those_of_the_highest_sums_of_all(meditation: Reading, known: float) -> None:
    """Most tracks are passed over by a bound; formed for every track, the sums lead to the same ones."""
    size, count = 20_000, 60
    dice = np.random.default_rng(4)
    columns = empty_columns(np.array([f"trk_{row}" for row in range(size)]))
    columns.energy[:], columns.vocals[:] = dice.uniform(0, 1, size), dice.uniform(0, 1, size).round(1)
    columns.bpm[:] = np.where(dice.random(size) < 0.1, np.nan, dice.uniform(60, 180, size))
    named = np.where(dice.random(size) < known, dice.uniform(0, 2, size), 0.0).astype(np.float32)
    named[dice.random(size) < 0.2] = -np.inf
    wanted = want(meditation, read_brief(""), None, PARAMS)
    tempo = np.nan_to_num(np.abs(np.log2(columns.bpm / np.float32(wanted.sound.bpm))), nan=0.3)
    sums = (
        named
        - np.float32(PARAMS.model.energy_weight / ENERGY_REACH)
        * np.abs(columns.energy - np.float32(wanted.sound.energy))
        - np.float32(PARAMS.model.pace_weight / PACE_REACH) * tempo
        - np.float32(PARAMS.model.voice_weight) * columns.vocals
    )
    found = nearest(wanted, named, columns, count, PARAMS)
    assert found.tolist() == np.argsort(-sums, kind="stable")[:count].tolist()


def test_only_tracks_that_may_be_found_are_the_nearest(meditation: Reading) -> None:
    columns, _, _ = catalog()
    wanted = want(meditation, read_brief(""), None, PARAMS)
    named = np.array([-np.inf, 0.5, -np.inf, 0.1], dtype=np.float32)
    assert set(nearest(wanted, named, columns, 3, PARAMS).tolist()) == {1, 3}
    assert nearest(wanted, np.full(4, -np.inf, dtype=np.float32), columns, 3, PARAMS).size == 0


def test_a_brief_counts_for_more_than_the_script(meditation: Reading) -> None:
    found = ranked(want(meditation, read_brief("aggressive heavy metal, distorted electric guitar"), None, PARAMS))
    assert found.order[0] == 1


@pytest.mark.parametrize("brief", ["no vocals", "at least 90 bpm, minor key", "nothing explicit, no guitar"])
def test_a_rule_parts_the_list_and_changes_no_score(meditation: Reading, brief: str) -> None:
    free = ranked(want(meditation, read_brief(""), None, PARAMS))
    found = ranked(want(meditation, read_brief(brief), None, PARAMS))
    assert found.scores.tolist() == free.scores.tolist()
    standing = found.rules.standing[found.order]
    assert standing.tolist() == sorted(standing, reverse=True), "met, then not known, then broken"
    for part in set(standing):
        scores = found.scores[found.order][standing == part]
        assert scores.tolist() == sorted(scores, reverse=True)


def test_a_tempo_suits_at_half_or_double_where_that_is_in_doubt(meditation: Reading) -> None:
    columns, facets, trust = catalog([0, 0, 0, 0])
    columns.bpm[:] = 70.0, 140.0, 140.0, 70.0
    columns.tempo_certainty[:] = UNKNOWN, SURE, SURE_BUT_FOR_HALF, UNSURE
    found = rank(want(meditation, read_brief("slow"), None, PARAMS), columns, facets, trust, PARAMS)
    own, double, either, unsure = found.parts["pace"]
    assert own == either > unsure == 0.5 > double


def test_a_text_that_leaves_a_rule_open_comes_after_all_that_are_sure(meditation: Reading) -> None:
    columns, _, trust = catalog([0, 0, 0])
    told = np.array([read_lexicon(text).facets for text in ("calm ambient", "dark metal, guitar", "calm piano")])
    asked = rank(want(meditation, read_brief("no piano, no strings"), None, PARAMS), columns, told, trust, PARAMS)
    assert list(asked.order) == [1, 0, 2]
    free = rank(want(meditation, read_brief(""), None, PARAMS), columns, told, trust, PARAMS)
    assert list(free.order)[-1] == 1


def test_a_voice_is_left_out_under_speech_and_let_in_when_asked_for(meditation: Reading) -> None:
    columns, facets, trust = catalog([0, 0])
    columns.vocals[:] = 0.95, 0.05
    speech = rank(want(meditation, read_brief(""), None, PARAMS), columns, facets, trust, PARAMS)
    track = rank(want(meditation, read_brief("with vocals"), None, PARAMS), columns, facets, trust, PARAMS)
    assert list(speech.order) == [1, 0]
    assert list(track.order) == [0, 1]


def test_platforms_move_energy_and_others_only_steer(meditation: Reading) -> None:
    quiet = want(meditation, read_brief(""), None, PARAMS)
    short = want(meditation, read_brief(""), " TikTok ", PARAMS)
    other = want(meditation, read_brief(""), "a cheerful podcast", PARAMS)
    assert short.sound.energy > quiet.sound.energy
    assert other.sound.energy == quiet.sound.energy
    happy = lexicon().index("happy")
    assert quiet.facets[happy] < other.facets[happy] < 0.3


@pytest.mark.parametrize(
    ("platform", "name"),
    [("TikTok", "tiktok"), ("Instagram Reels", "reels"), ("YouTube Shorts", "shorts"), ("youtube", "youtube")],
)
def test_platforms_are_known_however_they_are_spelt(platform: str, name: str) -> None:
    assert steer_of(platform) is PLATFORMS[name]


def test_a_quick_opening_counts_on_short_video(meditation: Reading) -> None:
    columns, facets, trust = catalog([2, 2])
    columns.contour[:] = 0.6
    columns.contour[0, :4] = 0.05
    found = rank(want(meditation, read_brief(""), "reels", PARAMS), columns, facets, trust, PARAMS)
    assert list(found.order) == [1, 0]


def test_length_counts_where_it_is_needed_unless_the_track_loops(meditation: Reading) -> None:
    columns, facets, trust = catalog([0, 0, 0])
    columns.duration[:] = 30.0, 30.0, 180.0
    columns.loopable[:] = 0.0, 1.0, 0.0
    found = rank(want(meditation, read_brief(""), "youtube", PARAMS), columns, facets, trust, PARAMS)
    assert list(found.parts["length"]) == [0.25, 1.0, 1.0]
    assert found.order[-1] == 0


def test_a_stuffed_text_is_never_first(meditation: Reading) -> None:
    columns, facets, trust = catalog([0, 0])
    everything = ", ".join(f"{name}" for name in lexicon().names)
    facets[1] = read_lexicon(f"{everything}. {MEDITATION}").facets
    trust[1] = trust_in(facets[1], everything.split(", "))
    found = rank(want(meditation, read_brief(""), None, PARAMS), columns, facets, trust, PARAMS)
    assert list(found.order) == [0, 1]
    assert found.scores[1] < found.scores[0] / 2


def test_unknown_facts_neither_help_nor_hurt_much(meditation: Reading) -> None:
    columns, facets, trust = catalog([0, 0, 1])
    for name in ("energy", "bpm", "mode", "vocals"):
        getattr(columns, name)[1] = np.nan
    found = rank(want(meditation, read_brief(""), None, PARAMS), columns, facets, trust, PARAMS)
    assert list(found.order) == [0, 1, 2]


CALM = "Breathe in, breathe out. Close your eyes and relax your shoulders. Meditate."
TRACKS = (
    Track("t0", Path("/a.ogg"), "0" * 64, title="Still", description="calm, meditative ambient pads",
          moods=("calm", "dreamy"), tags=("yoga", "invoice")),
    Track("t1", Path("/b.ogg"), "1" * 64, title="Riot", description="aggressive metal with distorted guitars"),
)  # fmt: skip


def told(script: str = CALM, brief: str = "", platform: str | None = None) -> ScriptReading:
    columns = empty_columns(np.array([track.track_id for track in TRACKS]))
    columns.energy[:], columns.bpm[:], columns.vocals[:] = [0.12, 0.95], [64.0, 160.0], [0.05, 0.9]
    facets = np.array([read_lexicon(f"{track.title}. {track.description}").facets for track in TRACKS])
    reading = read_script(script)
    wanted = want(reading, read_brief(brief), platform, PARAMS)
    return ScriptReading(
        script, reading, wanted, rank(wanted, columns, facets, np.ones(2), PARAMS), columns, facets, platform
    )


def test_names_are_the_words_of_the_tracks_own_text() -> None:
    named = names_in(TRACKS[0])
    assert "meditative" in named["moods"]
    assert "ambient" in named["genres"]
    assert "metal" in names_in(TRACKS[1])["genres"]


def test_lines_set_a_fact_beside_what_suits_and_the_strongest_come_first() -> None:
    lines = reasons(told(), 0, names_in(TRACKS[0]), PARAMS)
    assert lines
    assert all(0.0 <= line.score <= 1.0 for line in lines)
    audio = [line.audio for line in lines]
    assert "energy 0.12 of 1" in audio
    assert "64 bpm" in audio
    assert not any("duration" in line or "brightness" in line for line in audio), "nobody knows them"


def test_rules_of_the_brief_come_before_all_and_a_broken_one_is_said() -> None:
    ruled = told(brief="no vocals")
    kept, broken = (reasons(ruled, row, names_in(track), PARAMS)[0] for row, track in enumerate(TRACKS))
    assert (kept.video, kept.score) == ("asked: no vocals", 1.0)
    assert (broken.video, broken.score) == ("asked: no vocals", 0.0)
    assert explanation(ruled, 1, names_in(TRACKS[1])).startswith(
        "Last resort, for it breaks a rule: no vocals was asked"
    )
    assert not explanation(ruled, 0, names_in(TRACKS[0])).startswith("Last resort")


def test_a_text_that_says_nothing_is_not_said_to_ask_for_something() -> None:
    sentence = explanation(told(script="xqz"), 0, names_in(TRACKS[0]))
    assert "there was nothing to read in the text" in sentence
    assert "The text says nothing about music" in lane_reasoning(told(script="xqz"), read_brief(""), [0])


def test_a_track_whose_text_names_nothing_is_said_to_be_ranked_by_its_sound() -> None:
    silent = replace(TRACKS[0], title=None, description=None, moods=(), genres=(), instruments=(), tags=())
    assert explanation(told(), 0, names_in(silent)).endswith("so it was ranked by its sound.")
    assert "ranked by its sound" not in explanation(told(), 0, names_in(TRACKS[0]))


def test_matched_tags_are_those_of_the_tracks_lists_that_are_wanted() -> None:
    assert "calm" in matched_tags(told(), TRACKS[0])
    assert "invoice" not in matched_tags(told(), TRACKS[0])
    assert matched_tags(told(), TRACKS[1]) == ()


@pytest.mark.parametrize("platform", [None, "tiktok", "a wall in Riga"])
def test_a_lane_says_what_was_weighed(platform: str | None) -> None:
    reading = told(brief="no vocals", platform=platform)
    title, weighed = lane_title(reading), lane_reasoning(reading, read_brief("no vocals, blorp the snark"), [0, 1])
    assert "music, about" in title
    assert (f"for {platform}" in title) == (platform is not None)
    assert "Applied rules: no vocals" in weighed
    assert "1 of the 2 break a rule" in weighed
    assert ("was a weak steer" in weighed) == (platform == "a wall in Riga")
    assert ("moved energy, opening and length" in weighed) == (platform == "tiktok")
