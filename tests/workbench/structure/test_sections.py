from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from workbench.params import SectionParams
from workbench.seams.build_profile import loop_profile
from workbench.structure.sections import LABELS, BarFeatures, cut_bars, find_sections, novelty, repetition


def form_of(track: Any) -> list[tuple[int, int, int]]:
    return [(s.first_bar, s.last_bar, s.group) for s in loop_profile(track.recording, track.grid).sections]


def test_parts_of_a_track_are_cut_where_they_change_and_their_repeats_are_known(band: Callable[..., Any]) -> None:
    parts = "AABBAACCAAO"
    form = form_of(band(parts, human_seconds=0.005, seed=1, gains={"C": 0.6, "O": 0.5}))
    assert {8, 16, 24, 32, 40} <= {first for first, _, _ in form}  # AA may be one section or two
    names = [{parts[bar // 4] for bar in range(first, last)} for first, last, _ in form]
    assert all(len(name) == 1 for name in names)
    assert len({(name.pop(), group) for name, (_, _, group) in zip(names, form, strict=True)}) == 4


def test_every_bar_belongs_to_one_section_with_a_known_name(band: Callable[..., Any]) -> None:
    track = band("AABBAAC")
    profile = loop_profile(track.recording, track.grid)
    assert profile.sections[0].first_bar == 0
    assert profile.sections[-1].last_bar == 28
    for before, after in zip(profile.sections[:-1], profile.sections[1:], strict=True):
        assert before.last_bar == after.first_bar
        assert before.song_to == pytest.approx(after.song_from)
    assert {section.label for section in profile.sections} <= set(LABELS)


def test_a_soft_end_is_an_outro_and_the_loudest_repeat_the_chorus(band: Callable[..., Any]) -> None:
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
