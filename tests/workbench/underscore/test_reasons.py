"""Why a track is put forward for a text: what was asked beside what the track has, and nothing that was not weighed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.catalog.track import Track
from workbench.matching.brief import read_brief
from workbench.matching.columns import empty_columns
from workbench.matching.language.lexicon import read_lexicon
from workbench.matching.script import read_script
from workbench.matching.script_ranking import rank, want
from workbench.matching.script_reasons import (
    ScriptReading,
    explanation,
    lane_reasoning,
    lane_title,
    matched_tags,
    names_in,
    reasons,
)
from workbench.params import UnderscoreParams

PARAMS = UnderscoreParams()
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


def test_a_track_whose_text_names_nothing_is_said_to_be_ranked_by_what_is_heard() -> None:
    silent = replace(TRACKS[0], title=None, description=None, moods=(), genres=(), instruments=(), tags=())
    assert explanation(told(), 0, names_in(silent)).endswith("so it was ranked by what is heard.")
    assert "what is heard" not in explanation(told(), 0, names_in(TRACKS[0]))


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
    assert "Rules that were kept to: no vocals" in weighed
    assert "1 of the 2 break a rule" in weighed
    assert ("was a weak steer" in weighed) == (platform == "a wall in Riga")
    assert ("moved energy, opening and length" in weighed) == (platform == "tiktok")
