"""Ranking for a video: terms, order, reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from tests.workbench.matching.made import make_columns, make_video
from workbench import extensions
from workbench.catalog.track import Track
from workbench.errors import ParameterError
from workbench.features.descriptors import CONTOUR_PARTS
from workbench.matching.brief import read_brief
from workbench.matching.columns import UNKNOWN, Columns
from workbench.matching.terms import find_term, term_parts
from workbench.matching.texts import TextIndex
from workbench.matching.video_facts import VideoFacts
from workbench.matching.video_ranking import (
    AskedMusic,
    arc_part,
    bar_agreement,
    felt_factor,
    length_part,
    params_for,
    quick_parts,
    rank,
    raw_scores,
    scores_of,
    slow_parts,
    track_energy,
    track_pulse,
    track_valence,
    under_scenes,
    wanted_of,
)
from workbench.matching.video_reasons import RankedPair, explanation, reasons
from workbench.matching.video_reference import read_reference
from workbench.params import BRIEF_PART, MATCH_PARTS, MatchParams
from workbench.recording import FloatArray

PARAMS = MatchParams()


def parts_of(make_video: VideoFacts, tracks: Columns) -> dict[str, np.ndarray]:
    return quick_parts(make_video, wanted_of(make_video, PARAMS), tracks, PARAMS) | slow_parts(
        make_video, tracks, PARAMS
    )


def test_fast_videos_want_fast_lively_music_and_slow_ones_the_contrary() -> None:
    tracks = make_columns(bpm=[70, 170], density=[1.0, 6.0], energy=[0.15, 0.9])
    fast = make_video(cuts_per_minute=50, motion=(0.5,))
    slow = make_video(cuts_per_minute=3, motion=(0.005,))
    assert rank(fast, tracks, 2).rows.tolist() == [1, 0]
    assert rank(slow, tracks, 2).rows.tolist() == [0, 1]


def test_bright_pictures_want_cheerful_music() -> None:
    tracks = make_columns(mode=[-0.9, 0.9], brightness=[0.25, 0.75])
    assert rank(make_video(brightness=0.75, colourfulness=0.2), tracks, 2).rows[0] == 1
    assert rank(make_video(brightness=0.1, colourfulness=0.02), tracks, 2).rows[0] == 0


def test_a_clear_key_in_major_is_cheerful_and_what_sound_alone_says_stays_near_the_middle() -> None:
    tracks = make_columns(mode=[-1.0, 1.0, 0.0, 0.0], key_clarity=[0.9, 0.9, 0.9, 0.3], brightness=[0.9, 0.1, 0.5, 0.5])
    valence = track_valence(tracks.mode, tracks.brightness, tracks.key_clarity, tracks.words_valence, PARAMS)
    assert valence[1] > valence[2] > valence[0]
    assert valence[2] > valence[3]
    assert np.all(np.abs(valence - 0.5) < 0.35)
    assert rank(make_video(brightness=0.75, colourfulness=0.2), tracks, 4).rows[0] == 1
    # how clear its key is was not measured of a track: then mode and brightness decide, by rule
    ruled = track_valence(tracks.mode, tracks.brightness, np.full(4, np.nan), tracks.words_valence, PARAMS)
    assert ruled[0] > valence[0]


def test_what_the_catalog_says_of_a_mood_comes_before_what_is_heard() -> None:
    """Two tracks in minor, of which the second is described as cheerful; the other two differ in energy alike."""
    params = MatchParams()
    unknown = np.nan
    tracks = make_columns(
        mode=[-0.9, -0.9, 0.0, 0.0],
        energy=[0.5, 0.5, 0.8, 0.8],
        words_valence=[unknown, 0.9, unknown, unknown],
        words_energy=[unknown, unknown, unknown, 0.1],
    )
    valence = track_valence(tracks.mode, tracks.brightness, tracks.key_clarity, tracks.words_valence, params)
    energy = track_energy(tracks.energy, tracks.words_energy, params)
    assert valence[1] > valence[0] + 0.2
    assert energy[2] == np.float32(0.8)
    assert energy[3] < 0.5
    bright = make_video(brightness=0.9, colourfulness=0.25)
    assert rank(bright, tracks, 4).rows.tolist().index(1) < rank(bright, tracks, 4).rows.tolist().index(0)


def test_a_mood_in_words_counts_where_nothing_was_measured() -> None:
    params = MatchParams()
    unknown = np.array([np.nan, np.nan], dtype=np.float32)
    by_words = np.array([0.2, np.nan], dtype=np.float32)
    energy = track_energy(unknown, by_words, params)
    assert energy[0] == np.float32(0.2)
    assert np.isnan(energy[1])


def test_a_voice_prefers_instrumentals_with_a_free_band() -> None:
    tracks = make_columns(vocals=[0.95, 0.0, 0.0], speech_band=[0.05, 0.45, 0.05])
    spoken = parts_of(make_video(speech=0.5), tracks)["voice"]
    assert spoken[2] == pytest.approx(1.0)
    assert spoken[0] < spoken[1] < spoken[2]
    assert np.ptp(parts_of(make_video(speech=0.0), tracks)["voice"]) == 0.0


@pytest.mark.parametrize(
    ("video_seconds", "duration", "loopable", "expected"),
    [
        (60.0, 60.0, 0.0, 1.0),
        (60.0, 240.0, 0.0, 1.0),
        (100.0, 90.0, 0.0, 0.8),
        (300.0, 120.0, 0.0, 0.0),
        (300.0, 250.0, 0.0, 2 / 3),
    ],
)
def test_length_counts_what_stays_bare(video_seconds: float, duration: float, loopable: float, expected: float) -> None:
    part = length_part(video_seconds, np.array([duration], np.float32), np.array([loopable], np.float32))
    assert part[0] == pytest.approx(expected, abs=1e-5)


def test_a_track_that_loops_covers_any_video_but_tires() -> None:
    seconds = np.array([60.0], np.float32)
    loops = np.array([0.9], np.float32)
    twice, often = (float(length_part(video_seconds, seconds, loops)[0]) for video_seconds in (120.0, 1800.0))
    assert 0.8 < twice < 0.9
    assert 0.4 < often < twice


def test_music_under_scenes_is_the_mean_of_its_contour() -> None:
    rising = np.linspace(0.0, 1.0, CONTOUR_PARTS)
    tracks = make_columns(duration=[60.0, 30.0, 120.0], contour=[rising] * 3)
    under = under_scenes(make_video(60.0, motion=(0.1, 0.1)), tracks.contour, tracks.duration)
    assert under[0] == pytest.approx([rising[:16].mean(), rising[16:].mean()], abs=1e-3)
    assert under[1] == pytest.approx([rising.mean()] * 2, abs=1e-3)
    assert under[2] == pytest.approx([rising[:8].mean(), rising[8:16].mean()], abs=1e-3)


def test_the_arc_of_the_video_prefers_music_that_follows_it() -> None:
    rising = np.linspace(0.1, 0.9, CONTOUR_PARTS)
    tracks = make_columns(duration=[60.0] * 3, contour=[rising, np.full(CONTOUR_PARTS, 0.5), rising[::-1]])
    video = make_video(60.0, motion=(0.0, 0.02, 0.1, 0.5))
    up = arc_part(video, tracks.contour, tracks.duration, PARAMS)
    assert up[0] > 0.65
    assert up[1] == pytest.approx(0.5, abs=1e-3)
    assert up[2] < 0.35
    video = make_video(60.0, motion=(0.1, 0.1, 0.1, 0.1))
    flat = arc_part(video, tracks.contour, tracks.duration, PARAMS)
    assert flat == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(("spacing", "unit"), [(2.0, 0), (1.0, 1), (0.5, 2), (4.0, 0)])
def test_cuts_on_a_grid_agree_with_the_tempo_they_were_cut_to(spacing: float, unit: int) -> None:
    dice = np.random.default_rng(2)
    cuts = 0.7 + spacing * np.arange(30) + dice.normal(0.0, 0.01, 30)
    bpm = np.array([120.0, 113.0, 97.0, np.nan], np.float32)
    agreement, found = bar_agreement(cuts, bpm, np.full(4, 4, np.int8))
    assert agreement[0] > 0.9
    assert found[0] == unit
    assert np.all(agreement[1:] < 0.4)


def test_cuts_many_beats_apart_keep_time_with_nothing_anybody_hears() -> None:
    every_seventh_beat = 3.5 * np.arange(1, 30)
    agreement, _ = bar_agreement(every_seventh_beat, np.array([120.0], np.float32), np.full(1, 4, np.int8))
    assert agreement[0] < 0.2


def test_cuts_anywhere_agree_with_no_tempo() -> None:
    dice = np.random.default_rng(4)
    bpm = dice.uniform(60.0, 180.0, 200).astype(np.float32)
    surely = [
        float(np.mean(bar_agreement(np.sort(dice.uniform(0.0, 120.0, 40)), bpm, np.full(200, 4, np.int8))[0] > 0.25))
        for _ in range(10)
    ]
    assert np.mean(surely) < 0.03


def test_what_is_not_known_of_a_track_speaks_neither_way() -> None:
    nan = float("nan")
    unknown = make_columns(
        bpm=[nan], energy=[nan], brightness=[nan], density=[nan], mode=[nan], duration=[nan], vocals=[nan],
        speech_band=[nan], loopable=[nan], contour=[[nan] * CONTOUR_PARTS],
    )  # fmt: skip
    parts = parts_of(make_video(speech=0.4), unknown)
    for name in ("pulse", "level", "voice", "length", "arc"):
        assert parts[name][0] == pytest.approx(PARAMS.usual_parts[name], abs=1e-3), name
    assert 0.0 < scores_of(raw_scores(parts, PARAMS), PARAMS)[0] < 0.5


def test_a_tempo_may_be_felt_at_half_or_double() -> None:
    bpm, density = np.array([160.0, 80.0], np.float32), np.full(2, 4.0, np.float32)
    assert felt_factor(bpm, density, 0.1, PARAMS).tolist() == [0.5, 1.0]
    assert felt_factor(bpm, density, 0.9, PARAMS).tolist() == [1.0, 2.0]


def test_music_without_beats_goes_by_its_onsets() -> None:
    nan = float("nan")
    pulse = track_pulse(np.array([nan, 60.0, 180.0, 120.0], np.float32), np.array([2.0, 2.0, 12.0, nan], np.float32))
    assert pulse[0] == pytest.approx(0.0, abs=1e-6)
    assert pulse[1] == pytest.approx(0.0, abs=1e-6)
    assert pulse[2] == pytest.approx(1.0, abs=1e-6)
    assert pulse[3] == pytest.approx(np.log2(2.0) / np.log2(3.0), abs=1e-6)


def test_a_pair_scores_the_same_in_any_catalog() -> None:
    dice = np.random.default_rng(8)
    tracks = make_columns(
        bpm=dice.uniform(60, 180, 900), energy=dice.uniform(0, 1, 900), mode=dice.uniform(-1, 1, 900),
        duration=dice.uniform(30, 300, 900), contour=dice.uniform(0, 1, (900, CONTOUR_PARTS)),
    )  # fmt: skip
    video = make_video(90.0, motion=(0.02, 0.2, 0.4))
    whole = rank(video, tracks, 50)
    alone = rank(video, tracks.take(whole.rows[:5]), 5)
    assert alone.raw.tolist() == whole.raw[:5].tolist()
    assert alone.columns.track_ids.tolist() == whole.columns.track_ids[:5].tolist()


def test_the_scan_finds_what_ranking_every_track_in_full_would_find() -> None:
    dice = np.random.default_rng(9)
    size = 3000
    tracks = make_columns(
        bpm=dice.uniform(60, 180, size), density=dice.uniform(0.5, 8, size), energy=dice.uniform(0, 1, size),
        mode=dice.uniform(-1, 1, size), duration=dice.uniform(30, 300, size), vocals=dice.uniform(0, 1, size),
        contour=dice.uniform(0.2, 0.8, (size, CONTOUR_PARTS)),
    )  # fmt: skip
    video = make_video(80.0, motion=(0.02, 0.2, 0.4), speech=0.3)
    raw = raw_scores(parts_of(video, tracks), PARAMS)
    best = set(np.argsort(-raw)[:50].tolist())
    assert len(best & set(rank(video, tracks, 50).rows.tolist())) >= 49


@pytest.mark.parametrize("speech", [0.0, 0.6])
@pytest.mark.parametrize("motion", [0.005, 0.4])
def test_of_a_large_catalog_the_best_by_numbers_are_found_whatever_is_passed_over(speech: float, motion: float) -> None:
    """Several blocks of a scan, numbers unknown here and there; formed for every track, scores lead to the same."""
    size, count = 140_000, 50
    dice = np.random.default_rng(5)

    def known(values: np.ndarray) -> np.ndarray:
        return np.where(dice.random(size) < 0.1, np.nan, values)

    tracks = make_columns(
        bpm=known(dice.uniform(60, 180, size)), density=known(dice.uniform(0.5, 8, size)),
        energy=known(dice.uniform(0, 1, size)), mode=known(dice.uniform(-1, 1, size)),
        duration=known(dice.uniform(30, 300, size)), vocals=known(dice.uniform(0, 1, size)),
        words_valence=known(dice.uniform(0, 1, size)),
    )  # fmt: skip
    video = make_video(80.0, motion=(motion,), speech=speech)
    params = MatchParams(arc_weight=0.0, bars_weight=0.0, candidates=count)
    raw = raw_scores(quick_parts(video, wanted_of(video, params), tracks, params), params)
    found = rank(video, tracks, count, params)
    np.testing.assert_allclose(found.raw, np.sort(raw)[::-1][:count], rtol=1e-6)
    assert set(found.rows.tolist()) == set(np.argsort(-raw)[:count].tolist())


def test_the_order_does_not_depend_on_the_order_of_rows() -> None:
    tracks = make_columns(energy=[0.3, 0.5, 0.5, 0.5, 0.7])
    video = make_video()
    turned = np.array([4, 3, 2, 1, 0])
    one, other = rank(video, tracks, 5), rank(video, tracks.take(turned), 5)
    assert one.columns.track_ids.tolist() == other.columns.track_ids.tolist()


def test_landing_is_a_merit_and_its_absence_no_fault() -> None:
    parts = parts_of(make_video(), make_columns(energy=[0.5]))
    without = raw_scores(parts, PARAMS)[0]
    usual = raw_scores(parts | {"sync": np.array([PARAMS.model.usual_sync])}, PARAMS)[0]
    landing = raw_scores(parts | {"sync": np.array([0.9])}, PARAMS)[0]
    assert usual == pytest.approx(without)
    assert landing > without


def test_a_track_of_no_length_is_ranked_without_a_contour() -> None:
    parts = parts_of(make_video(60.0, motion=(0.01, 0.3, 0.5)), make_columns(duration=[0.0, 60.0]))
    assert parts["arc"][0] == pytest.approx(PARAMS.usual_parts["arc"])
    assert all(np.isfinite(part).all() for part in parts.values())


def test_an_empty_catalog_has_no_ranking() -> None:
    nobody = make_columns(energy=[0.5]).take(np.zeros(0, dtype=np.int64))
    assert rank(make_video(), nobody, 50).rows.size == 0


def asked(brief: str, texts: list[str], folder: Path) -> AskedMusic:
    return AskedMusic(read_brief(brief), TextIndex.build(texts, folder))


def test_a_brief_comes_before_the_picture_and_its_rules_part_the_list(tmp_path: Path) -> None:
    dark = make_video(cuts_per_minute=3, motion=(0.005,), brightness=0.05, colourfulness=0.01)
    tracks = make_columns(energy=[0.1, 0.85, 0.85], mode=[-0.9, 0.9, 0.9], vocals=[0.0, 0.0, 0.95])
    texts = ["dark, sad", "energetic, happy", "energetic, happy"]
    assert rank(dark, tracks, 3).rows[0] == 0
    cheerful = rank(dark, tracks, 3, PARAMS, asked("energetic and happy, no vocals", texts, tmp_path / "a"))
    assert cheerful.rows.tolist() == [1, 0, 2], "the sung one is better, but breaks the rule"
    assert [cheerful.rules.unmet(row) for row in range(3)] == ["", "", "breaks: no vocals"]
    unruled = rank(dark, tracks, 3, PARAMS, asked("energetic and happy", texts, tmp_path / "b"))
    assert dict(zip(unruled.rows.tolist(), unruled.raw.tolist(), strict=True)) == pytest.approx(
        dict(zip(cheerful.rows.tolist(), cheerful.raw.tolist(), strict=True))
    ), "rules change no score"


def test_what_the_music_is_for_parts_the_list_by_licence_and_changes_no_score(tmp_path: Path) -> None:
    dark = make_video(cuts_per_minute=3, motion=(0.005,), brightness=0.05, colourfulness=0.01)
    tracks = replace(make_columns(energy=[0.1, 0.5, 0.9]), licence=np.array([0, UNKNOWN, 1], dtype=np.int8))
    free = rank(dark, tracks, 3, PARAMS)
    sold = rank(dark, tracks, 3, PARAMS, AskedMusic(read_brief("", "commercial"), TextIndex.build([""] * 3, tmp_path)))
    assert (free.rows.tolist(), sold.rows.tolist()) == ([0, 1, 2], [2, 1, 0])
    said = [sold.rules.unmet(row) for row in range(3)]
    assert said == ["", "not known: licensed for commercial use", "breaks: licensed for commercial use"]
    assert sold.raw[::-1] == pytest.approx(free.raw)


def test_the_one_track_that_meets_the_rules_of_a_brief_is_found_however_far_behind_it_is(tmp_path: Path) -> None:
    size, place = 3_000, 2_345
    energy, vocals = np.full(size, 0.3), np.full(size, 0.95)
    energy[place], vocals[place] = 1.0, 0.0
    tracks = make_columns(energy=energy.tolist(), vocals=vocals.tolist())
    asks = asked("no vocals", [""] * size, tmp_path)
    assert rank(make_video(), tracks, 50, MatchParams(candidates=50), asks).rows[0] == place


def test_a_tempo_and_a_voice_that_a_brief_asks_for_replace_those_of_the_video(tmp_path: Path) -> None:
    spoken = make_video(cuts_per_minute=50, motion=(0.5,), speech=0.8)
    tracks = make_columns(bpm=[64.0, 150.0], density=[1.0, 6.0], vocals=[0.95, 0.95])
    assert rank(spoken, tracks, 2).rows.tolist() == [1, 0]
    slow = rank(spoken, tracks, 2, PARAMS, asked("slow, with vocals", ["", ""], tmp_path))
    assert slow.rows.tolist() == [0, 1]
    assert slow.parts["voice"].tolist() == [1.0, 1.0]
    assert slow.wanted.seen == {"pulse": pytest.approx(wanted_of(spoken, PARAMS).pulse)}


def test_only_what_a_brief_states_weighs_more() -> None:
    """A piano has a usual energy, but nobody asked for that."""
    for brief, stated in (("piano", set()), ("calm piano", {"level", "mood"}), ("folk, slow", {"pulse"})):
        changed = params_for(wanted_of(make_video(), PARAMS, read_brief(brief)), PARAMS)
        gained = {name for name, weight in changed.weights.items() if weight != PARAMS.weights[name]}
        assert gained == stated


def test_every_part_has_a_weight() -> None:
    assert sum(PARAMS.weights[name] for name in MATCH_PARTS) == pytest.approx(1.0, abs=0.01)
    assert set(PARAMS.usual_parts) == set(PARAMS.weights) == {*MATCH_PARTS, BRIEF_PART}


def test_of_a_large_catalog_those_that_keep_time_and_rise_with_the_video_are_found() -> None:
    """By their numbers alone thousands are ahead of them: many are of the pulse, level and colour that is wanted."""
    size, dice = 90_000, np.random.default_rng(6)
    tracks = make_columns(
        bpm=dice.uniform(100, 130, size), density=dice.uniform(2, 4, size), energy=dice.uniform(0.4, 0.7, size),
        mode=dice.uniform(0, 1, size), duration=dice.uniform(90, 300, size), beats_per_bar=np.full(size, 4, np.int8),
        contour=dice.uniform(0.2, 0.8, (size, CONTOUR_PARTS)),
    )  # fmt: skip
    video = replace(make_video(80.0, motion=(0.02, 0.2, 0.4)), cuts=2.0 + np.arange(24) * 60 / 111.3 * 4)
    raw = raw_scores(parts_of(video, tracks), PARAMS)
    found = rank(video, tracks, 50)
    assert set(found.rows[:10].tolist()) == set(np.argsort(-raw)[:10].tolist())


TERM_PARAMS = MatchParams(terms=("given=0.5",))


class Given:
    usual = 0.4
    description = "as given"
    answer: Any = ()

    def parts(self, video: VideoFacts, columns: Columns) -> FloatArray:
        if isinstance(self.answer, Exception):
            raise self.answer
        return np.asarray(self.answer)


@pytest.fixture(autouse=True)
def given() -> Iterator[None]:
    extensions.register(extensions.MATCH_TERMS, "given", Given)
    yield
    extensions.unregister(extensions.MATCH_TERMS, "given")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([0.5], "must give 2 parts from 0 to 1"),
        ([0.5, 1.5], "must give 2 parts from 0 to 1"),
        (KeyError("moods"), "the match term given failed: KeyError: 'moods'"),
    ],
)
def test_parts_that_are_none_are_one_clear_error(answer: Any, complaint: str) -> None:
    Given.answer = answer
    with pytest.raises(ParameterError, match=complaint):
        term_parts(make_video(), make_columns(bpm=[100.0, 120.0]), TERM_PARAMS)


@pytest.mark.parametrize("name", MATCH_PARTS)
def test_one_weight_alone_leaves_one_part(name: str) -> None:
    ranking = rank(make_video(speech=0.5), make_columns(bpm=[80.0, 110.0], duration=[60.0, 300.0]), 2)
    parts = {part: ranking.parts.get(part, np.full(2, 0.3)) for part in MATCH_PARTS}
    alone = MatchParams.model_validate({f"{part}_weight": float(part == name) for part in MATCH_PARTS})
    np.testing.assert_allclose(raw_scores(parts, alone), parts[name], rtol=1e-5)


def test_unknown_counts_as_usual_and_is_no_reason() -> None:
    Given.answer = [np.nan, 1.0]
    tracks, video = make_columns(bpm=[110.0, 110.0]), make_video()
    ranking = rank(video, tracks, 2, TERM_PARAMS)
    assert ranking.rows.tolist() == [1, 0]
    for at, said in ((0, True), (1, False)):
        row = ranking.columns.take(np.array([at]))
        parts = {name: float(part[at]) for name, part in ranking.parts.items()}
        pair = RankedPair(video, ranking.wanted, row, Track("a", Path("a.flac"), "0" * 64), parts, None, ranking.rules)
        lines = [line for line in reasons(pair, TERM_PARAMS) if line.video == "as given"]
        assert bool(lines) is said
        assert ("it is as given" in explanation(pair, TERM_PARAMS).lower()) is said
    ours = {name: part for name, part in ranking.parts.items() if name != "given"}
    np.testing.assert_allclose(raw_scores(ours, TERM_PARAMS), raw_scores(ours, MatchParams()))


def test_names_are_checked() -> None:
    with pytest.raises(ParameterError, match="is no match term"):
        find_term("workbench.beats.track:OwnTracker")
    with pytest.raises(ValidationError, match="level is a part of this package"):
        MatchParams(terms=("level=1",))
    with pytest.raises(ValidationError, match="brief is a part of this package"):
        MatchParams(terms=("brief=0.5",))
    with pytest.raises(ValidationError, match="stands there twice"):
        MatchParams(terms=("a=1", "a=2"))


@pytest.fixture(scope="module")
def parts() -> dict[str, np.ndarray]:
    reference = read_reference()
    rows = [
        quick_parts(make_video, wanted_of(make_video, PARAMS), reference.columns, PARAMS)
        | slow_parts(make_video, reference.columns, PARAMS)
        for make_video in reference.videos
    ]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def test_it_holds_what_its_card_says() -> None:
    reference = read_reference()
    assert reference.grades.shape == (120, 300) == (len(reference.videos), len(reference.columns))
    assert set(np.unique(reference.grades)) == {0, 1, 2, 3}
    assert all(make_video.scenes[-1].end == pytest.approx(make_video.duration) for make_video in reference.videos)


def test_a_high_score_promises_no_more_than_it_holds(parts: dict[str, np.ndarray]) -> None:
    # The curve is that of material by others, of which less is known than of drawn tracks.
    scores, taken = scores_of(raw_scores(parts, PARAMS), PARAMS), read_reference().taken
    shares = [taken[(scores >= low) & (scores < low + 0.2)].mean() for low in (0.0, 0.2, 0.4, 0.6)]
    assert shares == sorted(shares)
    assert taken[scores > 0.5].mean() > scores[scores > 0.5].mean()


def test_usual_parts_are_means_over_it(parts: dict[str, np.ndarray]) -> None:
    for name in ("pulse", "level", "mood", "voice", "length", "arc"):
        mean = float(np.exp(np.mean(np.log(np.maximum(parts[name], 0.02)))))
        assert PARAMS.usual_parts[name] == pytest.approx(mean, abs=0.005), name
