"""Events of a video, and onsets of its soundtrack."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.params import EventParams
from workbench.video.events import find_events
from workbench.video.picture import Border, Picture, Stretches
from workbench.video.soundtrack import HOPS_PER_SECOND, OnsetMeter, Soundtrack

SECONDS, FPS = 60.0, 25


def picture(
    borders: tuple[Border, ...] = (), titles: Stretches = (), motion: np.ndarray | None = None, seconds: float = SECONDS
) -> Picture:
    times = np.arange(0.0, seconds, 1 / FPS)
    flat = np.full(times.size, 0.2, dtype=np.float32)
    moved = np.zeros(times.size, dtype=np.float32) if motion is None else motion.astype(np.float32)
    return Picture(seconds, times, moved, flat, flat, flat, borders, (), (), titles)


def hard(at: float, strength: float = 0.6) -> Border:
    return Border("hard", at, at, at, strength)


def soundtrack(
    onsets: list[float], strengths: list[float], speech: Stretches = (), loud_db: float = -20.0
) -> Soundtrack:
    power = np.full(round(SECONDS * HOPS_PER_SECOND), 1e-5)
    for onset in onsets:
        first = round(onset * HOPS_PER_SECOND)
        power[first : first + 12] = 10 ** (loud_db / 10)
    return Soundtrack(
        power=power,
        peak=0.5,
        attack=np.zeros(power.size),
        onsets=np.array(onsets),
        onset_strengths=np.array(strengths),
        speech=np.zeros(0),
        frame_seconds=0.032,
        speech_ranges=speech,
        classification="voice" if speech else "ambient",
    )


def test_a_video_of_one_shot_has_its_two_ends() -> None:
    events = find_events(picture(), Soundtrack.none())
    assert [events.marks.name_of(k) for k in range(len(events.marks))] == ["start", "end"]
    assert events.marks.times.tolist() == [0.0, SECONDS]
    assert events.video_seconds == SECONDS


def test_cuts_flashes_and_titles_are_where_they_are_and_called_what_they_are() -> None:
    borders = (hard(10.0), Border("flash", 20.0, 20.12, 20.0, 0.8), hard(30.0))
    marks = find_events(picture(borders, titles=((40.0, 44.0),)), Soundtrack.none()).marks
    assert marks.of("cut").tolist() == [10.0, 30.0]
    assert marks.of("flash").tolist() == [20.0]
    assert marks.of("title").tolist() == [40.0]


def test_a_dissolve_is_vaguer_and_less_than_a_cut() -> None:
    marks = find_events(picture((hard(10.0), Border("dissolve", 29.0, 31.0, 30.0, 0.6))), Soundtrack.none()).marks
    cut, dissolve = (int(np.flatnonzero(marks.times == at)[0]) for at in (10.0, 30.0))
    assert marks.tolerance[dissolve] > 3 * marks.tolerance[cut]
    assert marks.salience[dissolve] < marks.salience[cut]


def test_cuts_that_crowd_are_noticed_less_each() -> None:
    marks = find_events(picture((hard(10.0), hard(30.0), hard(30.4), hard(30.8))), Soundtrack.none()).marks
    alone, crowded = (float(marks.salience[marks.times == at][0]) for at in (10.0, 30.4))
    assert crowded < 0.7 * alone


def test_a_hit_on_a_cut_is_one_event_of_more_weight() -> None:
    bare = find_events(picture((hard(10.0),)), Soundtrack.none()).marks
    both = find_events(picture((hard(10.0),)), soundtrack([10.04], [20.0])).marks
    assert len(both) == len(bare)
    assert float(both.salience[1]) > float(bare.salience[1])


def test_syllables_are_no_hits() -> None:
    sound = soundtrack([5.0, 20.0, 21.0, 40.0], [20.0] * 4, speech=((19.0, 23.0),))
    assert find_events(picture(), sound).marks.of("hit").tolist() == [5.0, 40.0]


def test_faint_onsets_and_soft_sounds_are_no_hits() -> None:
    sound = soundtrack([5.0, 40.0], [20.0, 4.0])
    assert find_events(picture(), sound).marks.of("hit").tolist() == [5.0]
    assert find_events(picture(), sound, EventParams(hit_rise_db=3.0)).marks.of("hit").tolist() == [5.0, 40.0]


def test_footsteps_are_noticed_less_than_one_thump() -> None:
    steps = [20.0 + 0.5 * k for k in range(12)]
    marks = find_events(picture(), soundtrack([5.0, *steps], [15.0] * 13)).marks
    thump, step = (float(marks.salience[marks.times == at][0]) for at in (5.0, 22.0))
    assert step < 0.7 * thump


def test_a_leap_in_an_even_shot_is_an_event_and_even_motion_is_none() -> None:
    times = np.arange(0.0, SECONDS, 1 / FPS)
    even = np.full(times.size, 0.5)
    assert find_events(picture(motion=even), Soundtrack.none()).marks.of("motion").size == 0
    leap = even + 3.0 * np.exp(-np.square((times - 33.0) / 0.3))
    found = find_events(picture(motion=leap), Soundtrack.none()).marks
    assert found.of("motion") == pytest.approx([33.0], abs=0.1)


def test_what_happens_at_the_ends_belongs_to_them() -> None:
    borders = (Border("fade", 0.0, 1.0, 0.04, 1.0), hard(30.0), Border("fade", 59.0, 60.0, 60.0, 1.0))
    marks = find_events(picture(borders), Soundtrack.none()).marks
    assert [marks.name_of(k) for k in range(len(marks))] == ["start", "cut", "end"]


def test_a_very_short_video_has_events_too() -> None:
    events = find_events(picture(seconds=0.12), Soundtrack.none(), EventParams())
    assert events.marks.times.tolist() == [0.0, 0.12]


RATE = 16_000


def test_hits_are_found_where_they_begin() -> None:
    dice = np.random.default_rng(1)
    sound = dice.normal(0, 0.002, 8 * RATE).astype(np.float32)
    hits = (1.0, 2.5, 4.21, 6.0)
    for at in hits:
        begin = round(at * RATE)
        sound[begin : begin + 3000] += (dice.normal(0, 0.3, 3000) * np.exp(-np.arange(3000) / 600)).astype(np.float32)
    meter = OnsetMeter(RATE)
    for at in range(0, sound.size, 7001):
        meter.add(sound[at : at + 7001])
    attack, onsets, strengths = meter.onsets(800)
    assert attack.shape == (800,)
    strong = onsets[strengths > 20]
    assert strong == pytest.approx(hits, abs=0.015)


def test_silence_has_no_onsets() -> None:
    meter = OnsetMeter(RATE)
    meter.add(np.zeros(3 * RATE, np.float32))
    attack, onsets, _ = meter.onsets(300)
    assert not onsets.size
    assert not attack.any()


def test_no_stream_is_classified_none() -> None:
    nothing = Soundtrack.none()
    assert nothing.classification == "none"
    assert nothing.loudness.size == 0
    assert nothing.speech_share == 0.0
