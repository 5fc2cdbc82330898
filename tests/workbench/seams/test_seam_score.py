from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band
from workbench.errors import ParameterError
from workbench.params import SeamParams
from workbench.recording import Recording
from workbench.seams.profile import BAR_PARTS, SEAM_PARTS
from workbench.seams.seam_score import (
    LineScores,
    Pairs,
    highest_total,
    score_lines,
    score_seam,
    score_splices,
    seam_evidence,
    splices_between_lines,
)


@pytest.fixture(scope="module")
def evidence() -> Any:
    track = band("ABAB")
    return seam_evidence(track.recording, track.grid)


def test_inside_an_exact_repeat_nobody_hears_the_splice(evidence: Any) -> None:
    score = score_seam(evidence, leave=10 * 4, enter=2 * 4)
    assert score.total > 0.95
    assert min(part for name, part in score.parts.items() if name != "repetition") > 0.95
    assert score.parts["repetition"] > 0.8  # the track ends before more of it could come again
    assert set(score.parts) == set(SEAM_PARTS)


@pytest.mark.parametrize("beats_off", [-2, -1, 1, 2])
def test_a_beat_or_half_a_bar_off_is_heard(evidence: Any, beats_off: int) -> None:
    good = score_seam(evidence, 40, 8).total
    off = score_seam(evidence, 40, 8 + beats_off).total
    assert off < 0.1 < good


@pytest.mark.parametrize("beats_off", [-1, 1])
def test_a_limp_is_heard_without_the_bar_being_counted(evidence: Any, beats_off: int) -> None:
    uncounted = replace(evidence, positions=np.ones_like(evidence.positions))
    assert score_seam(uncounted, 40, 8 + beats_off).total < 0.5


def test_another_section_is_heard(evidence: Any) -> None:
    assert score_seam(evidence, leave=10 * 4, enter=7 * 4).total < 0.1


def test_a_section_may_be_repeated_though_another_was_about_to_come() -> None:
    track = band("AABB", human_seconds=0.004, seed=5)
    heard = seam_evidence(track.recording, track.grid)
    again = score_seam(heard, leave=8 * 4, enter=4 * 4)  # after both A one hears the second A again, where B would come
    assert again.led
    assert again.total > 0.8
    assert not score_seam(heard, leave=6 * 4, enter=2 * 4).total < 0.85
    assert score_seam(heard, leave=8 * 4, enter=3 * 4).total < 0.1  # A again, but from its last bar


def test_another_key_is_heard_and_harmony_says_so() -> None:
    track, higher = band("AA", tail=0.0), band("AA", tail=0.0, lead_in=0.0, transpose=3)
    both = Recording.from_samples(np.concatenate((track.recording.samples, higher.recording.samples), axis=1), 22_050)
    offset = track.recording.duration
    times = np.concatenate((track.grid.beats, higher.grid.beats + offset))
    grid = type(track.grid)(times, np.tile(track.grid.positions, 2), 4, 1.0)
    heard = seam_evidence(both, grid)
    score = score_seam(heard, leave=2 * 4, enter=(8 + 2) * 4)
    assert score.total < 0.2
    assert min(BAR_PARTS, key=score.parts.__getitem__) == "harmony"


def test_natural_near_repeats_score_between() -> None:
    track = band("ABAB", human_seconds=0.006, seed=3)
    heard = seam_evidence(track.recording, track.grid)
    near = score_seam(heard, 40, 8).total
    other = score_seam(heard, 40, 28).total
    assert near > 0.7 > 0.1 > other


@pytest.mark.parametrize("change", [{"gain": 0.1}, {"transpose": 4}])
def test_a_common_gain_or_key_does_not_matter(change: dict[str, Any]) -> None:
    params = SeamParams()
    totals = []
    for options in ({}, change):
        track = band("ABAB", human_seconds=0.006, seed=3, **options)
        heard = seam_evidence(track.recording, track.grid)
        totals.append(score_splices(heard, heard.lines, heard.lines, params)[1])
    before, after = (total[2:-1, 2:-1] for total in totals)
    if "gain" in change:
        np.testing.assert_allclose(after, before, atol=1e-3)
    else:  # other partials fall into other bands, so the verdicts stay and the doubtful numbers move a little
        assert np.all(after[before > 0.9] > 0.8)
        assert np.all(after[before < 0.1] < 0.2)


def test_a_sustained_note_on_one_side_only_is_cut_through() -> None:
    track = band("AAAA")
    samples = track.recording.samples.copy()
    bar = track.grid.downbeats
    t = np.arange(samples.shape[1]) / 22_050
    held = (t > bar[9] + 0.2) & (t < bar[10] + 1.0)  # a voice that sings across the line left at bar 10
    samples[0, held] += 0.2 * np.sin(2 * np.pi * 660.0 * t[held])
    heard = seam_evidence(Recording.from_samples(samples, 22_050), track.grid)
    across, beside = score_seam(heard, 40, 8), score_seam(heard, 52, 4)
    assert across.parts["ringing"] < 0.6 < beside.parts["ringing"]
    assert across.total < beside.total - 0.2


def test_a_step_in_level_is_heard_in_level_alone() -> None:
    track = band("AAAA")
    samples = track.recording.samples.copy()
    samples[:, samples.shape[1] // 2 :] *= 0.3
    heard = seam_evidence(Recording.from_samples(samples, 22_050), track.grid)
    score = score_seam(heard, leave=14 * 4, enter=2 * 4)
    assert score.breaks["level"] == pytest.approx(-20 * np.log10(0.3), abs=0.3)
    assert score.parts["level"] < 0.2
    assert score.parts["harmony"] > 0.95


def test_repetition_tells_a_stretch_that_comes_again_from_a_bar_that_does() -> None:
    heard = seam_evidence(*(lambda track: (track.recording, track.grid))(band("ABAB")))
    long = score_seam(heard, 40, 8).parts["repetition"]
    once = score_seam(heard, 8 * 4, 0).parts["repetition"]  # what comes is the same, what was before is not
    other = score_seam(heard, 40, 28).parts["repetition"]
    assert long > once > other
    assert other < 0.2


def test_a_step_in_texture_at_the_join_is_heard_unless_the_track_makes_it_there() -> None:
    track = band("AAAA")
    samples = track.recording.samples.copy()
    bar = track.grid.downbeats
    noise = np.asarray(np.random.default_rng(0).normal(0.0, 0.3, samples.shape[1]))
    t = np.arange(samples.shape[1]) / 22_050
    hiss = ((t > bar[4]) & (t < bar[8])) | ((t > bar[12]) & (t < bar[14]))  # a shaker in two places
    samples[0, hiss] += noise[hiss]
    heard = seam_evidence(Recording.from_samples(samples, 22_050), track.grid)
    into, along = score_seam(heard, 10 * 4, 6 * 4), score_seam(heard, 12 * 4, 4 * 4)
    for part in ("texture", "air"):
        assert along.parts[part] > 0.9
        assert into.parts[part] < along.parts[part] - 0.1


def test_every_pair_at_once_agrees_with_one_at_a_time(evidence: Any) -> None:
    params = SeamParams()
    total = score_splices(evidence, evidence.lines, evidence.lines, params)[1]
    for leave, enter in ((10, 2), (3, 9), (5, 1)):
        assert score_seam(evidence, 4 * leave, 4 * enter).total == pytest.approx(float(total[leave, enter]), abs=1e-5)


def test_some_pairs_agree_with_all_and_none_scores_over_what_its_quick_breaks_allow(evidence: Any) -> None:
    params = SeamParams()
    whole = score_lines(evidence, params)
    leave, enter = np.array([10, 3, 5, 3, 0]), np.array([2, 9, 1, 4, 12])
    of_long = LineScores(whole.total, None, None)
    parts, led = splices_between_lines(of_long, evidence, leave, enter, params)
    expected_parts, expected_led = splices_between_lines(whole, evidence, leave, enter, params)
    np.testing.assert_allclose(parts, expected_parts, atol=1e-5)
    np.testing.assert_array_equal(led, expected_led)
    highest = highest_total(evidence, Pairs(evidence.lines, evidence.lines), params)
    assert np.all(highest >= whole.total)
    assert np.median(highest) < 0.6  # and most of what is poor is known to be poor by them


def test_what_it_refuses(evidence: Any) -> None:
    with pytest.raises(ParameterError, match="leave must be one of 64 beats, got 64"):
        score_seam(evidence, 64, 0)
    track = band("A")
    with pytest.raises(ParameterError, match="beyond the end"):
        seam_evidence(Recording.from_samples(track.recording.samples[:, :22_050], 22_050), track.grid)
    with pytest.raises(ParameterError, match="at least two bars"):
        seam_evidence(track.recording, type(track.grid)(track.grid.beats[:4], track.grid.positions[:4], 4))
