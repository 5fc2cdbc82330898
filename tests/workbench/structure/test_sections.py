"""Sections, and the memorable part of a track."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band
from workbench import extensions
from workbench.analysis.protocols import ask_finder
from workbench.errors import ParameterError
from workbench.lab.extension_suites import two_parts
from workbench.params import SectionParams
from workbench.recording import Recording
from workbench.seams.build_profile import loop_profile
from workbench.structure.salience import bar_salience, memorable_bars
from workbench.structure.sections import (
    LABELS,
    BarFeatures,
    OwnFinder,
    Section,
    cut_bars,
    find_sections,
    novelty,
    repetition,
)


def form_of(track: Any) -> list[tuple[int, int, int]]:
    return [(s.first_bar, s.last_bar, s.group) for s in loop_profile(track.recording, track.grid).sections]


def test_parts_of_a_track_are_cut_where_they_change_and_their_repeats_are_known() -> None:
    parts = "AABBAACCAAO"
    form = form_of(band(parts, human_seconds=0.005, seed=1, gains={"C": 0.6, "O": 0.5}))
    assert {8, 16, 24, 32, 40} <= {first for first, _, _ in form}  # AA may be one section or two
    names = [{parts[bar // 4] for bar in range(first, last)} for first, last, _ in form]
    assert all(len(name) == 1 for name in names)
    assert len({(name.pop(), group) for name, (_, _, group) in zip(names, form, strict=True)}) == 4


def test_every_bar_belongs_to_one_section_with_a_known_name() -> None:
    track = band("AABBAAC")
    profile = loop_profile(track.recording, track.grid)
    assert profile.sections[0].first_bar == 0
    assert profile.sections[-1].last_bar == 28
    for before, after in zip(profile.sections[:-1], profile.sections[1:], strict=True):
        assert before.last_bar == after.first_bar
        assert before.song_to == pytest.approx(after.song_from)
    assert {section.label for section in profile.sections} <= set(LABELS)


def test_a_soft_end_is_an_outro_and_the_loudest_repeat_the_chorus() -> None:
    track = band("AABBAABBO", gains={"A": 0.5, "O": 0.3})
    labels = {s.first_bar: s.label for s in loop_profile(track.recording, track.grid).sections}
    assert labels[8] == labels[24] == "chorus"
    assert labels[16] == "verse"
    assert labels[32] == "outro"


def test_a_repeat_in_another_key_is_the_same_ground() -> None:
    rng = np.random.default_rng(4)
    n = 24
    chroma = rng.random((n, 4, 12))
    timbre = np.repeat(rng.random((3, 10)), 8, axis=0) + 0.05 * rng.random((n, 10))
    rhythm = np.repeat(rng.random((3, 16, 4)), 8, axis=0)
    for block in (chroma, timbre, rhythm):
        block[16:24] = block[0:8]
    chroma[16:24] = np.roll(chroma[16:24], 2, axis=2)
    sections = find_sections(BarFeatures(timbre, chroma, rhythm, np.full(n, -20.0)))
    assert [s.first_bar for s in sections] == [0, 8, 16]
    assert sections[0].group == sections[2].group != sections[1].group


def test_novelty_is_the_checkerboard_of_two_blocks() -> None:
    alike = np.kron(np.eye(2), np.ones((8, 8)))
    curve = novelty(alike, widths=(4,))
    assert curve[8] == pytest.approx(1.0)
    assert int(np.argmax(curve)) == 8
    assert curve[4] == pytest.approx(0.0)


def test_repetition_shows_where_a_stripe_begins_and_ends() -> None:
    ground = np.eye(24)
    for bar in range(8):
        ground[bar, 16 + bar] = ground[16 + bar, bar] = 1.0
    curve = repetition([ground[None]])
    assert curve[16] == pytest.approx(1.0)
    assert curve[8] == pytest.approx(1.0)
    assert curve[12] < 0.5


def test_sections_prefer_multiples_of_four_bars() -> None:
    evidence = np.zeros(32)
    evidence[[8, 16, 24]] = 1.0
    evidence[23] = 1.02
    assert cut_bars(evidence, SectionParams()).tolist() == [0, 8, 16, 24, 32]


def test_a_border_that_costs_more_than_it_shows_is_left_out() -> None:
    evidence = np.zeros(32)
    evidence[[8, 16, 24]] = 1.0
    evidence[12] = 0.2
    assert cut_bars(evidence, SectionParams(border_cost=0.3)).tolist() == [0, 8, 12, 16, 24, 32]
    assert cut_bars(evidence, SectionParams(border_cost=4.0)).tolist() == [0, 8, 16, 24, 32]


def test_few_bars_are_one_section() -> None:
    one = BarFeatures(np.ones((1, 10)), np.ones((1, 4, 12)), np.ones((1, 48, 4)), np.array([-20.0]))
    assert [(s.first_bar, s.last_bar) for s in find_sections(one)] == [(0, 1)]
    none = BarFeatures(np.ones((0, 10)), np.ones((0, 4, 12)), np.ones((0, 48, 4)), np.zeros(0))
    assert find_sections(none) == ()


def bars_of(n: int) -> BarFeatures:
    level = np.repeat([-30.0, -10.0], n // 2)
    return BarFeatures(10.0 ** (level[:, None] / 10) * np.ones(8), np.ones((n, 4, 12)), np.ones((n, 48, 4)), level)


class Given:
    version = 1
    answer: Any = ()

    def sections(self, recording: Recording, grid: Any, bars: BarFeatures, params: SectionParams) -> Sequence[Section]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return list(self.answer)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((), "must hold each of 16 bars once; after bar 0 it goes on at 16"),
        ((Section(0, 8, "verse", 0),), "after bar 8 it goes on at 16"),
        ((Section(0, 9, "verse", 0), Section(8, 16, "verse", 0)), "after bar 9 it goes on at 8"),
        ((Section(0, 16, "strophe", 0),), "called a section strophe; labels are intro"),
        ((Section(0, 16, "verse", -1),), "group -1"),
        (ZeroDivisionError("no bars"), "the section finder given failed: ZeroDivisionError: no bars"),
    ],
)
def test_sections_that_are_none_are_one_clear_error(answer: Any, complaint: str) -> None:
    extensions.register(extensions.SECTION_FINDERS, "given", Given)
    Given.answer = answer
    try:
        with pytest.raises(ParameterError, match=complaint):
            ask_finder(*two_parts(), bars_of(16), SectionParams(finder="given"))
    finally:
        extensions.unregister(extensions.SECTION_FINDERS, "given")


def test_ours_is_found_like_any_other() -> None:
    bars = bars_of(16)
    assert isinstance(extensions.find(extensions.SECTION_FINDERS, "workbench"), OwnFinder)
    assert ask_finder(*two_parts(), bars) == find_sections(bars)
    with pytest.raises(ParameterError, match="is no section finder"):
        extensions.find(extensions.SECTION_FINDERS, "workbench.beats.track:OwnTracker")


FORM = (
    Section(0, 4, "intro", 0),
    Section(4, 12, "verse", 1),
    Section(12, 20, "chorus", 2),
    Section(20, 28, "verse", 1),
    Section(28, 36, "chorus", 2),
    Section(36, 40, "outro", 3),
)
LEVELS = np.repeat([-20.0, -16.0, -11.0, -16.0, -11.0, -24.0], [4, 8, 8, 8, 8, 4])


def test_the_chorus_is_remembered_from_its_beginning() -> None:
    assert memorable_bars(LEVELS, FORM, np.full(40, 2.0), 16.0) == (12, 20)


def test_salience_grows_with_level_and_with_repetition() -> None:
    salience = bar_salience(LEVELS, FORM)
    assert salience.shape == (40,)
    assert np.all((salience >= 0) & (salience <= 1))
    assert salience[12] > salience[4] > salience[0] > salience[38]


def test_a_wish_shorter_than_a_bar_gives_one_bar_and_a_longer_one_than_the_track_all() -> None:
    first, last = memorable_bars(LEVELS, FORM, np.full(40, 2.0), 0.5)
    assert last - first == 1
    assert memorable_bars(LEVELS, FORM, np.full(40, 2.0), 600.0) == (0, 40)


def test_no_bars_no_preview() -> None:
    with pytest.raises(ParameterError, match="same bars"):
        memorable_bars(np.zeros(0), (), np.zeros(0), 30.0)
