"""Placements of trains of which the answer is known because it was built."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.align.landmarks import LANDMARK_KINDS, Landmarks
from workbench.align.placements import (
    Placement,
    describe_placement,
    event_clock,
    offset_scores,
    place,
)
from workbench.errors import ParameterError
from workbench.features.marks import marks_of
from workbench.params import AlignParams
from workbench.video.events import EVENT_KINDS, Events

Random = np.random.Generator
SALIENT = ("drop", "break", "stab", "section")


def track(seconds: float = 120.0, bar: float = 2.0, seed: int = 0) -> Landmarks:
    """Bar lines all along, and a dozen salient landmarks at irregular distances."""
    generator = np.random.default_rng(seed)
    rows = [(float(t), "downbeat", 0.2, 0.04) for t in np.arange(0.5, seconds - 4.0, bar)]
    places = np.sort(generator.uniform(4.0, seconds - 6.0, 40))
    spread = [places[0]]
    for place_s in places:
        if place_s - spread[-1] > 3.0:
            spread.append(place_s)
    rows += [(float(t), str(generator.choice(SALIENT)), float(generator.uniform(0.5, 1.0)), 0.03) for t in spread[1:13]]
    rows += [(seconds - 3.0, "ending", 0.9, 0.03), (seconds - 0.5, "last sound", 0.5, 0.25)]
    return Landmarks(marks_of(LANDMARK_KINDS, rows), seconds, 0.3, seconds - 0.5)


def video(seconds: float, cuts: list[float], kind: str = "cut") -> Events:
    rows = [(at, kind, 0.7, 0.04) for at in cuts]
    ends = [(0.0, "start", 0.5, 0.04), (seconds, "end", 0.5, 0.25)]
    return Events(marks_of(EVENT_KINDS, [*rows, *ends]), seconds)


def planted(landmarks: Landmarks, offset: float, seconds: float, k: int, clutter: int, generator: Random) -> Events:
    marks = landmarks.marks
    salient = np.array([marks.name_of(i) in SALIENT for i in range(len(marks))])
    at = marks.times + offset
    usable = np.flatnonzero(salient & (at > 1.0) & (at < seconds - 1.0))
    chosen = generator.choice(usable, k, replace=False)
    cuts = [float(at[i] + generator.uniform(-0.012, 0.012)) for i in chosen]
    return video(seconds, cuts + [float(t) for t in generator.uniform(1.0, seconds - 1.0, clutter)])


@pytest.mark.parametrize("seed", range(12))
def test_the_planted_offset_comes_first(seed: int) -> None:
    generator, landmarks = np.random.default_rng(seed), track(seed=seed)
    offset = float(generator.uniform(-30.0, 10.0))
    found = place(landmarks, planted(landmarks, offset, 90.0, 6, 8, generator))
    assert found[0].offset_seconds == pytest.approx(offset, abs=0.02)
    assert found[0].score >= 0.3
    assert found[0].certainty > 0.9


@pytest.mark.parametrize("seed", range(12))
def test_nothing_to_land_on_scores_low(seed: int) -> None:
    generator = np.random.default_rng(100 + seed)
    found = place(track(seed=seed), video(90.0, [float(t) for t in generator.uniform(1.0, 89.0, 14)]))
    assert all(placement.score < 0.3 for placement in found)


@pytest.mark.parametrize("every", [1, 2, None])
@pytest.mark.parametrize("seed", range(4))
def test_a_video_cut_on_bar_lines_is_placed_on_them_and_not_called_chance(seed: int, every: int | None) -> None:
    """Shifted by whole bars it fits as well, which is no chance; cut at other times it fits nowhere."""
    generator, bar = np.random.default_rng(seed), 2.0
    bars = np.cumsum(generator.integers(1, 4, 23) if every is None else np.full(23, every))
    cuts = np.round((bars * bar + 0.3) * 25) / 25
    seconds = float(cuts[-1]) + 3.0
    found = place(track(seconds + 20.0, bar, seed), video(seconds, cuts.tolist()))[0]
    assert found.in_words != "no clear sync point"
    off = (found.offset_seconds + 0.5 - 0.3) % bar
    assert min(off, bar - off) < 0.03
    uneven = cuts + generator.uniform(-0.9, 0.9, 23)
    assert place(track(seconds + 20.0, bar, seed), video(seconds, uneven.tolist()))[0].in_words == "no clear sync point"


def test_what_never_coincides_has_no_placement() -> None:
    silent = Landmarks(marks_of(LANDMARK_KINDS, []), 30.0, 0.0, 0.0)
    assert place(silent, video(60.0, [10.0, 20.0])) == ()


def test_the_label_names_the_strongest_coincidence() -> None:
    rows = [(10.0, "drop", 1.0, 0.03), (14.0, "stab", 0.6, 0.03), (21.0, "section", 0.6, 0.03)]
    rows += [(float(t), "downbeat", 0.2, 0.04) for t in np.arange(0.0, 38.0, 2.0) if t not in (10.0, 14.0)]
    landmarks = Landmarks(marks_of(LANDMARK_KINDS, rows), 40.0, 0.0, 39.0)
    offset = 62.44 - 10.0
    events = video(120.0, [offset + 10.0, offset + 14.0, offset + 21.0])
    best = place(landmarks, events)[0]
    assert best.label == "drop on the cut at 1:02.4"
    assert best.offset_seconds == pytest.approx(offset, abs=1e-4)
    assert [(c.landmark, c.event) for c in best.coincidences[:1]] == [("drop", "cut")]
    assert best.coincidences[0].gap_seconds == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(
    ("label", "score", "words"),
    [
        ("drop on the cut at 0:12.4", 0.3, "drop on the cut at 0:12.4"),
        ("drop on the cut at 0:12.4", 0.29, "no clear sync point"),
        ("", 0.5, "no clear sync point"),
    ],
)
def test_a_placement_that_may_be_chance_is_not_told_as_a_fact(label: str, score: float, words: str) -> None:
    """For readers only: the label stays what it is."""
    assert describe_placement(label, score) == words
    placement = Placement(1.0, score, label, 0.5, 0.5, 0.0)
    assert (placement.in_words, placement.label) == (words, label)


def test_the_last_sound_is_called_the_ending() -> None:
    landmarks = Landmarks(marks_of(LANDMARK_KINDS, [(38.0, "last sound", 0.5, 0.25)]), 40.0, 0.0, 38.0)
    best = place(landmarks, video(30.0, []))[0]
    assert best.label == "ending on the end at 0:30.0"
    assert best.offset_seconds == pytest.approx(-8.0)


def test_the_offset_is_finer_than_the_grid() -> None:
    landmarks = track(seed=3)
    marks, offset = landmarks.marks, -7.1234
    cuts = [float(t) + offset for t in marks.times[marks.kinds < 4] if 1.0 < t + offset < 79.0]
    assert place(landmarks, video(80.0, cuts))[0].offset_seconds == pytest.approx(offset, abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    st.floats(5.0, 200.0),
    st.lists(st.floats(0.0, 1.0), max_size=30),
    st.floats(20.0, 150.0),
    st.integers(0, 1000),
)
def test_placements_keep_their_rules(video_seconds: float, cuts: list[float], track_seconds: float, seed: int) -> None:
    landmarks = track(track_seconds, seed=seed)
    events = video(video_seconds, [cut * video_seconds for cut in cuts])
    found = place(landmarks, events)
    assert len(found) <= 12
    offsets = [placement.offset_seconds for placement in found]
    assert all(-track_seconds < offset < video_seconds for offset in offsets)
    assert all(abs(a - b) >= 1.0 for k, a in enumerate(offsets) for b in offsets[:k])
    scores = [placement.score for placement in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    best = max(salience_under(landmarks, events, offset) for offset in [*offsets, *candidates(landmarks, events)])
    assert all(salience_under(landmarks, events, offset) >= 0.6 * best - 1e-6 for offset in offsets)


def salience_under(landmarks: Landmarks, events: Events, offset: float) -> float:
    at = events.marks.times
    under = (at >= offset + landmarks.first_sound - 1e-6) & (at <= offset + landmarks.last_sound + 1e-6)
    return float(events.marks.salience[under].sum())


def candidates(landmarks: Landmarks, events: Events) -> list[float]:
    return [float(at) - landmarks.first_sound for at in events.marks.times]


def test_an_offset_that_leaves_video_bare_scores_less() -> None:
    rows = [(30.0, "drop", 1.0, 0.03), (34.5, "stab", 0.8, 0.03), (41.0, "stab", 0.8, 0.03)]
    landmarks = Landmarks(marks_of(LANDMARK_KINDS, rows), 60.0, 0.0, 60.0)
    full = place(landmarks, video(60.0, [30.0, 34.5, 41.0]))[0]
    bare = place(landmarks, video(60.0, [50.0, 54.5, 59.5]))
    assert full.bare == pytest.approx(0.0, abs=1e-6)
    assert full.offset_seconds == pytest.approx(0.0, abs=1e-3)
    assert all(placement.score < full.score for placement in bare)


def test_chance_is_what_random_videos_reach() -> None:
    """Mean and variance of the correlation over random videos agree with those of shot noise."""
    landmarks, generator = track(seed=1), np.random.default_rng(7)
    totals, means, deviations = [], [], []
    for _ in range(300):
        events = video(60.0, [float(t) for t in generator.uniform(1.0, 59.0, 20)])
        scores = offset_scores(landmarks, events)
        at = int(np.argmin(np.abs(scores.offsets + 30.0)))
        totals.append(scores.total[at])
        means.append(scores.expected[at])
        deviations.append(scores.deviation[at])
    assert np.mean(totals) == pytest.approx(np.mean(means), rel=0.25)
    assert np.std(totals) == pytest.approx(np.mean(deviations), rel=0.25)


def test_fewer_and_further_apart_where_asked() -> None:
    events = video(90.0, [float(t) for t in np.random.default_rng(6).uniform(1.0, 89.0, 20)])
    found = place(track(), events, AlignParams(max_placements=3, min_apart_seconds=5.0))
    assert len(found) == 3
    offsets = sorted(placement.offset_seconds for placement in found)
    assert np.diff(offsets).min() >= 5.0


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0:00.0"), (12.44, "0:12.4"), (59.96, "1:00.0"), (3725.06, "62:05.1")]
)
def test_times_are_written_to_the_tenth(seconds: float, text: str) -> None:
    assert event_clock(seconds) == text


def test_impossible_tracks_and_videos_are_refused() -> None:
    with pytest.raises(ParameterError, match="lie in 0 to"):
        Landmarks(marks_of(LANDMARK_KINDS, [(50.0, "drop", 1.0, 0.03)]), 40.0, 0.0, 39.0)
    with pytest.raises(ParameterError, match="in order"):
        Landmarks(marks_of(LANDMARK_KINDS, []), 40.0, 0.0, 41.0)
    with pytest.raises(ParameterError, match="more than 0 s"):
        Events(marks_of(EVENT_KINDS, []), 0.0)
    with pytest.raises(ParameterError, match="kinds of events"):
        Events(marks_of(LANDMARK_KINDS, []), 1.0)
