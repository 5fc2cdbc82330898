"""Reasons are true, have numbers with units, and come in the order of what they moved."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.workbench.matching.made import make_columns, make_video
from workbench.align.placements import Placement
from workbench.catalog.certainty import SURE, SURE_BUT_FOR_DOUBLE, UNSURE
from workbench.catalog.track import Track
from workbench.features.descriptors import CONTOUR_PARTS
from workbench.matching.brief import read_brief
from workbench.matching.columns import UNKNOWN, Columns
from workbench.matching.lane import MatchReason
from workbench.matching.texts import TextIndex, track_text
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import AskedMusic, VideoWants, bonus, rank, wanted_of
from workbench.matching.video_reasons import (
    RankedPair,
    effects,
    explanation,
    fitting_tags,
    lane_reasoning,
    lane_title,
    reasons,
    sound_of,
)
from workbench.params import MatchParams

PARAMS = MatchParams()
LANDING = Placement(-12.5, 0.62, "drop on the cut at 0:12.4", certainty=0.9, landed=0.4, bare=0.0)


def pair_of(
    make_video: VideoFacts, tracks: Columns, placements: tuple[Placement, ...] | None = None, **fields: object
) -> RankedPair:
    ranking = rank(make_video, tracks, 1)
    parts = {name: float(part[0]) for name, part in ranking.parts.items()}
    if placements is not None:
        parts["sync"] = float(bonus(np.array(placements[0].score if placements else 0.0)))
    track = Track("trk_1", Path("/x.ogg"), "0" * 64, **fields)  # type: ignore[arg-type]
    return RankedPair(make_video, ranking.wanted, ranking.columns, track, parts, placements, ranking.rules)


def by_category(found: tuple[MatchReason, ...]) -> dict[str | None, list[MatchReason]]:
    return {name: [line for line in found if line.category == name] for name in {line.category for line in found}}


def test_lines_state_what_was_measured() -> None:
    video = make_video(300.0, cuts_per_minute=32, motion=(0.02, 0.6), brightness=0.62, colourfulness=0.14, speech=0.8)
    rising = np.linspace(0.1, 0.9, CONTOUR_PARTS)
    tracks = make_columns(
        bpm=[126.2], density=[4.12], energy=[0.725], brightness=[0.55], duration=[300.0], vocals=[0.9],
        speech_band=[0.4], contour=[rising], mode=[-1.0],
    )  # fmt: skip
    lines = reasons(pair_of(video, tracks, (LANDING,), musical_key_name="C", musical_key_mode="minor"), PARAMS)
    called = [line.called for line in lines]
    assert {"energy", "energy by scene"} <= set(called)
    assert len(set(called)) == len(called), "no two lines are about the same, in words"
    found = by_category(lines)
    said = {(line.video, line.audio) for lines in found.values() for line in lines}
    assert any(video.startswith("32 cuts per minute; pulse ") for video, _ in said)
    assert any(audio.startswith("126 bpm, 4.1 onsets per second") for _, audio in said)
    assert any(video.startswith("brightness 0.62, colourfulness 0.14; cheerfulness ") for video, _ in said)
    assert any(audio.startswith("C minor, brightness of sound 0.55; cheerfulness ") for _, audio in said)
    assert ("speech 80 %", "a voice with a probability of 90 %, 40 % of its power from 1 to 4 kHz") in said
    assert any(
        re.fullmatch(r"busiest 2:30 to 5:00 with drive 0\.\d\d, calmest 0:00 to 2:30 with drive 0\.\d\d", video)
        and audio == "energy 0.71 and 0.29 there"
        for video, audio in said
    )
    assert ("cut at 0:12.4", "drop, when the track begins with its first 12.5 s cut off") in said
    assert {name for name in found if name} <= {"pace", "energy", "mood", "voice", "length", "sync"}
    assert all(0.0 <= line.score <= 1.0 for lines in found.values() for line in lines)


def test_where_the_track_begins_is_a_time_of_the_video_like_that_of_the_event() -> None:
    later = replace(LANDING, offset_seconds=203.9, label="drop on the hit at 3:36.7")
    pair = pair_of(make_video(300.0), make_columns(bpm=[76.0]), (later,))
    (line,) = by_category(reasons(pair, PARAMS))["sync"]
    assert (line.video, line.audio) == ("hit at 3:36.7", "drop, when the track begins at 3:23.9")


@pytest.mark.parametrize("mode", [-0.9, -0.2, 0.35, float("nan")])
@pytest.mark.parametrize("bpm", [62.0, 95.0, 150.0])
def test_the_two_numbers_of_a_line_are_those_that_were_compared(mode: float, bpm: float) -> None:
    """A reader with the widths at hand gets the line's score from its own two numbers."""
    video = make_video(90.0, cuts_per_minute=24, motion=(0.1, 0.3), brightness=0.3, colourfulness=0.2)
    pair = pair_of(video, make_columns(bpm=[bpm], density=[3.0], energy=[0.3], brightness=[0.4], mode=[mode]))
    widths = {"pace": PARAMS.model.pulse_width, "energy": PARAMS.model.energy_width, "mood": PARAMS.model.valence_width}
    checked = set()
    for line in reasons(pair, PARAMS):
        wanted = re.search(r"(?:pulse|energy|cheerfulness) ([\d.]+) of 1 suits$", line.video)
        if wanted is None or line.category is None:
            continue
        has = re.search(r"(?:pulse|energy|cheerfulness) ([\d.]+) of 1$", line.audio)
        assert has is not None
        score = np.exp(-0.5 * ((float(has[1]) - float(wanted[1])) / widths[line.category]) ** 2)
        trust = PARAMS.model.octave_weight if ", felt at " in line.audio else 1.0
        assert line.score == pytest.approx(trust * score, abs=0.03)
        checked.add(line.category)
    assert {"energy", "mood"} <= checked


def test_a_mood_is_told_by_what_it_was_compared_by() -> None:
    pair = pair_of(make_video(90.0), make_columns(mode=[0.4], brightness=[0.4], key_clarity=[0.71]))
    assert sound_of(pair) == "mode +0.40 from -1 minor to +1 major, clarity of key 0.71"


def test_a_mode_that_is_in_doubt_is_not_called_one() -> None:
    pair = pair_of(make_video(60.0), make_columns(mode=[float("nan")]), musical_key_name="C", musical_key_mode="minor")
    said = " ".join((*(line.audio for line in reasons(pair, PARAMS)), explanation(pair, PARAMS)))
    assert "minor" not in said
    assert "major" not in said


def test_what_moved_most_comes_first() -> None:
    video = make_video(60.0, speech=0.9)
    sings = pair_of(video, make_columns(vocals=[1.0], speech_band=[0.6]))
    found = reasons(sings, PARAMS)
    assert found[0].category == "voice"
    assert found[0].score < 0.1
    moved = effects(sings.parts, PARAMS)
    assert moved["voice"] == min(moved.values())


def test_there_is_no_line_about_what_is_not_there() -> None:
    nan = float("nan")
    silent = pair_of(make_video(60.0, speech=0.0), make_columns(energy=[nan], bpm=[nan], density=[nan]))
    categories = [line.category for line in reasons(silent, PARAMS)]
    assert "voice" not in categories
    assert "pace" not in categories
    assert "energy" not in categories
    assert "sync" not in categories


def test_cuts_on_bars_are_told() -> None:
    video = make_video(64.0, cuts=np.arange(2.0, 64.0, 2.0))
    found = reasons(pair_of(video, make_columns(bpm=[120.0])), PARAMS)
    told = [line for line in found if "a bar lasts 2.00 s at 120.0 bpm" in line.audio]
    assert len(told) == 1
    assert told[0].video == "31 cuts, a median of 2.00 s apart"
    assert told[0].score > 0.9


@pytest.mark.parametrize(
    ("bpm", "beats", "certainty", "said", "lasts", "praise"),
    [
        (120.0, 4, UNKNOWN, "120 bpm, 3.0 onsets per second;", "a bar lasts 2.00 s at 120.0 bpm", "120 bpm suits"),
        (120.0, 4, SURE, "120 bpm, 3.0 onsets per second;", "a bar lasts 2.00 s at 120.0 bpm", "120 bpm suits"),
        (
            90.0, 1, SURE_BUT_FOR_DOUBLE, "90 or 180 bpm, 3.0 onsets per second, felt at 180;",
            "a beat lasts 0.67 s at 90.0 or 180.0 bpm", "90 or 180 bpm, felt at 180, suits",
        ),
        (
            120.0, 4, UNSURE, "no sure beat, 3.0 onsets per second;",
            "a bar lasts 2.00 s as far as its beat was detected", "music without a sure beat suits",
        ),
    ],
)  # fmt: skip
def test_a_tempo_that_is_in_doubt_is_said_so(
    bpm: float, beats: int, certainty: int, said: str, lasts: str, praise: str
) -> None:
    tracks = make_columns(bpm=[bpm])
    tracks.tempo_certainty[:] = certainty
    every = beats * 60.0 / bpm
    pair = pair_of(make_video(64.0, cuts=np.arange(every, 64.0, every)), tracks)
    lines = [line.audio for line in reasons(pair, PARAMS)]
    assert any(line.startswith(said) for line in lines)
    assert lasts in lines
    assert praise in explanation(pair, PARAMS)


def test_looping_is_told_where_it_is_needed() -> None:
    def length(seconds: float, loops: float) -> str:
        found = reasons(pair_of(make_video(seconds), make_columns(duration=[100.0], loopable=[loops])), PARAMS)
        return next(line.audio for line in found if line.category == "length")

    assert length(300.0, 0.87) == "1:40 long, its best seam scores 0.87"
    assert length(300.0, 0.0) == "1:40 long, does not loop"
    assert length(60.0, 0.0) == "1:40 long"


def test_a_sentence_says_what_speaks_for_and_against() -> None:
    video = make_video(60.0, cuts_per_minute=40, motion=(0.5,), speech=0.6)
    said = explanation(pair_of(video, make_columns(energy=[0.75], bpm=[140.0], density=[5.0], vocals=[1.0])), PARAMS)
    assert said.endswith("its vocals compete with the voice.")
    assert "its energy of 0.75 is near the 0." in said.lower()
    assert said[0].isupper()
    assert said.count(".") - said.count("0.") == 1


def test_a_video_without_cuts_has_none_denied() -> None:
    still = make_video(60.0, cuts=(), motion=(0.01,))
    slow, fast = make_columns(bpm=[62.0], density=[1.0]), make_columns(bpm=[100.0], density=[12.0])
    assert "62 bpm suits a video without cuts" in explanation(pair_of(still, slow), PARAMS)
    assert "is fast for a video without cuts" in explanation(pair_of(still, fast), PARAMS)
    slow.tempo_certainty[:] = SURE_BUT_FOR_DOUBLE
    assert "62 or 124 bpm, felt at 62, suits a video without cuts" in explanation(pair_of(still, slow), PARAMS)


def test_how_cheerful_a_track_is_comes_as_a_number() -> None:
    """A dull sound in minor that suits a light street by its number is not praised as dark."""
    video = make_video(60.0, brightness=0.45, colourfulness=0.1)
    pair = pair_of(video, make_columns(mode=[-0.7], brightness=[0.2], key_clarity=[0.7]))
    said = explanation(pair, PARAMS)
    assert re.search(rf"its cheerfulness of 0\.\d\d is near the {pair.wanted.valence:.2f} that suits", said)
    assert "dark" not in said


def test_a_video_without_soundtrack_is_not_said_to_be_without_speakers() -> None:
    def told(video: VideoFacts) -> str:
        return lane_reasoning(video, VideoWants(0.5, 0.5, 0.5), 10, 10, 0.6)

    assert "no speech" in told(make_video())
    mute = told(replace(make_video(), classification="none", sound_lufs=None))
    assert "no soundtrack" in mute
    assert "nobody" not in mute


@pytest.mark.parametrize(("score", "told"), [(0.8, True), (0.1, False)])
def test_a_landing_is_praised_where_it_is_none_of_chances(score: float, told: bool) -> None:
    found = Placement(3.0, score, "drop on the cut at 0:12.4", certainty=0.9, landed=0.4, bare=0.0)
    said = explanation(pair_of(make_video(), make_columns(energy=[0.4]), (found,)), PARAMS)
    assert ("it can land its drop on the cut at 0:12.4" in said.lower()) == told


def test_reasons_say_what_was_asked_and_what_was_seen(tmp_path: Path) -> None:
    video = make_video(60.0, cuts_per_minute=4, motion=(0.01,), brightness=0.05, colourfulness=0.01)
    text, track = "happy, energetic. ukulele", Track("t", Path("/x.ogg"), "0" * 64, moods=("happy", "energetic"))
    asked = AskedMusic(read_brief("happy, energetic, no vocals, xyzzy"), TextIndex.build([text], tmp_path))
    ranking = rank(video, make_columns(energy=[0.8], vocals=[0.9], mode=[0.9]), 1, PARAMS, asked)
    parts = {name: float(part[0]) for name, part in ranking.parts.items()}
    pair = RankedPair(video, ranking.wanted, ranking.columns, track, parts, None, ranking.rules)
    lines = {line.called: line for line in reasons(pair, PARAMS)}
    assert (lines["no vocals"].video, lines["no vocals"].score) == ("asked: no vocals", 0.0)
    alone = wanted_of(video, PARAMS)
    assert lines["energy"].video == (
        f"asked: energy {ranking.wanted.energy:.2f} of 1; seen: 3.0 cuts per minute, motion 0.01 picture heights per "
        f"second, which alone suit {alone.energy:.2f}"
    )
    assert "brightness 0.05" in lines["mood"].video
    assert "asked: cheerfulness" in lines["mood"].video
    assert lines["brief"].video == "asked: happy and energetic"
    assert lines["brief"].audio == "its text names happy and energetic"
    assert explanation(pair, PARAMS).startswith("Last resort, for it breaks a rule: no vocals was asked")
    weighed = lane_reasoning(video, ranking.wanted, 1, 1, 0.5, ranking.rules)
    assert f"energy {alone.energy:.2f}, pulse" in weighed
    assert "The brief counted for more than the picture" in weighed
    assert "1 of the 1 break a rule" in weighed
    assert 'Not understood in the brief, and left aside: "xyzzy"' in weighed


@pytest.mark.parametrize(
    ("brief", "instruments", "moods", "line", "doubted"),
    [
        ("strings", ("piano", "strings", "flute", "harp", "bells"), (), "strings, ", False),
        ("calm piano", ("piano",), ("sad",), "piano and sad", False),
        ("strings", ("piano",), (), "none of it, but piano", True),
        ("strings", (), (), "none of it", False),
    ],
)
def test_what_a_text_names_of_a_brief_is_said_and_is_a_fault_only_where_it_names_other_things(
    tmp_path: Path, brief: str, instruments: tuple[str, ...], moods: tuple[str, ...],
    line: str, doubted: bool,
) -> None:  # fmt: skip
    """A text with many instruments has a low cosine to each of its own."""
    track = Track("t", Path("/x.ogg"), "0" * 64, moods=moods, instruments=instruments)
    asked = AskedMusic(read_brief(brief), TextIndex.build([track_text(track)], tmp_path))
    video = make_video(speech=0.5)
    ranking = rank(video, make_columns(energy=[0.4]), 1, PARAMS, asked)
    parts = {name: float(part[0]) for name, part in ranking.parts.items()}
    pair = RankedPair(video, ranking.wanted, ranking.columns, track, parts, None, ranking.rules)
    (named,) = (found.audio for found in reasons(pair, PARAMS) if found.called == "brief")
    assert named.startswith(f"its text names {line}")
    assert ("other music than was asked" in explanation(pair, PARAMS)) == doubted
    assert "names what was asked" not in explanation(pair, PARAMS)
    weighed = lane_reasoning(video, ranking.wanted, 1, 1, 0.2, ranking.rules)
    assert ("a compromise" in weighed) == bool(instruments or moods), "nobody knows how well music without words suits"


def test_a_voice_that_was_asked_for_leaves_no_room() -> None:
    spoken = make_video(speech=0.5)
    titles = [lane_title(spoken, wanted_of(spoken, PARAMS, read_brief(brief))) for brief in ("", "with vocals")]
    assert [title.endswith(" that leaves room for the voice") for title in titles] == [True, False]


def test_tags_are_matched_by_what_they_usually_sound_like() -> None:
    track = Track(
        "trk_1", Path("/x.ogg"), "0" * 64, moods=("calm", "epic"), genres=("metal",), tags=("peaceful", "xqz")
    )
    calm = fitting_tags(track, VideoWants(0.2, 0.2, 0.6), PARAMS)
    assert "calm" in calm
    assert not {"epic", "metal", "xqz"} & set(calm)


def test_a_lane_says_what_was_weighed() -> None:
    video = make_video(125.0, cuts_per_minute=32, motion=(0.5,), brightness=0.1, speech=0.3)
    wanted = pair_of(video, make_columns(energy=[0.5])).wanted
    title = lane_title(video, wanted)
    assert "dark" in title
    assert title.endswith("that leaves room for the voice")
    text = lane_reasoning(video, wanted, 120, 50, 0.2)
    for said in ("2:05", "32 cuts per minute", "speech in 30 % of it", "120 tracks were compared", "a compromise"):
        assert said in text
    assert "no track" in lane_reasoning(video, wanted, 0, 0, None)
    assert "compromise" not in lane_reasoning(video, wanted, 120, 50, 0.8)
