from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.workbench.played import band
from workbench.analysis.profile_arrays import profile_from_arrays, profile_to_arrays
from workbench.beats.edges import LINE_BEFORE_END_SECONDS
from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.params import SeamParams
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.seams.build_profile import (
    MAX_SPLICES,
    _of_all_lengths,
    _with_variety,
    loop_profile,
    named_splices,
    repeats_as_a_whole,
)
from workbench.seams.profile import MIN_FADE_SECONDS, SEAM_PARTS
from workbench.seams.seam_score import end_splice_parts, seam_evidence, total_of_parts

FLOOR = 0.5


@pytest.fixture(scope="module")
def track() -> Any:
    return band("ABABABO", human_seconds=0.004, seed=2, gains={"O": 0.5})


@pytest.fixture(scope="module")
def profile(track: Any) -> Any:
    return loop_profile(track.recording, track.grid)


def test_splices_follow_the_form(profile: Any) -> None:
    good = (profile.splices.score >= 0.9) & (profile.splices.leave < 24) & (profile.splices.enter < 24)
    assert good.sum() >= 20
    distance = np.abs(profile.splices.leave - profile.splices.enter)[good]
    # Parts of four bars in turn repeat after eight; inside B two bars are alike, so one more or less may pass.
    assert np.mean(distance % 8 == 0) > 0.7
    assert np.all(np.isin(distance % 8, (0, 1, 7)))


def test_there_are_ways_back_ahead_and_into_the_ending(profile: Any) -> None:
    splices = profile.splices
    good = splices.score >= FLOOR
    assert np.any(good & (splices.enter < splices.leave))
    assert np.any(good & (splices.enter > splices.leave))
    assert profile.ending is not None
    assert np.any(good & (splices.enter <= profile.ending.start_bar) & (splices.enter >= profile.ending.start_bar - 8))


def test_bodies_of_several_lengths_are_kept(profile: Any) -> None:
    back = (profile.splices.enter < profile.splices.leave) & (profile.splices.score >= FLOOR)
    assert {8, 16} <= set((profile.splices.leave - profile.splices.enter)[back].tolist())


def test_of_a_long_track_every_number_of_bars_is_kept() -> None:
    """Two hundred bars of which those eight apart are alike: rare lengths score less than hundreds of others."""
    bars = np.arange(200)
    ahead = bars[None, :] - bars[:, None]
    score = np.where(ahead % 8 == 0, 0.9, 0.6) - 1e-5 * (bars[:, None] + bars)
    score[ahead == 0] = -1.0
    most = _with_variety(score, None, SeamParams())
    kept = {600: _of_all_lengths(most, score, 600), MAX_SPLICES: most}
    assert [int(chosen.sum()) for chosen in kept.values()] == [600, MAX_SPLICES]
    lengths = [set(ahead[chosen].tolist()) for chosen in kept.values()]
    assert lengths[1] == set(ahead[ahead != 0].tolist())
    assert {-1, 1, 3, 5} <= lengths[0]
    best = np.sort(score[score > 0.7])[::-1][:600]
    assert np.all(np.isin(best[:300], score[kept[600]]))


def test_no_splice_is_kept_under_the_floor_nor_a_body_of_too_few_bars(track: Any) -> None:
    splices = loop_profile(track.recording, track.grid, SeamParams(min_kept_score=0.6, min_body_bars=8)).splices
    bars = splices.leave - splices.enter
    assert splices.score.min() >= 0.6
    assert set(bars[bars > 0].tolist()) >= {8, 16}
    assert bars[bars > 0].min() == 8


def test_rows_are_best_first_within_bounds_and_playable(track: Any, profile: Any) -> None:
    s = profile.splices
    n = s.score.size
    assert 0 < n <= MAX_SPLICES
    assert s.parts.shape == (n, len(SEAM_PARTS))
    assert np.all(np.diff(s.score) <= 1e-6)
    assert np.all((s.parts >= 0) & (s.parts <= 1) & np.isfinite(s.parts))
    assert np.all(s.leave != s.enter)
    assert np.all(s.song_from >= s.fade_seconds / 2)
    assert np.all(s.song_to + s.fade_seconds / 2 <= track.recording.duration)
    assert np.abs(s.song_to - profile.downbeats[s.leave]).max() < 0.01
    assert np.abs(s.song_from - profile.downbeats[s.enter]).max() < 0.01
    assert len({(a, b) for a, b in zip(s.leave.tolist(), s.enter.tolist(), strict=True)}) == n


def test_what_is_measured_of_the_track(track: Any, profile: Any) -> None:
    assert profile.song_duration == track.recording.duration
    assert profile.song_start == pytest.approx(track.grid.downbeats[0], abs=0.02)
    assert profile.last_sound < track.recording.duration
    assert profile.bar_lufs.shape == profile.downbeats.shape
    assert profile.bar_lufs[-2] < profile.bar_lufs[2] - 3


def test_a_step_in_level_is_stated_in_lu() -> None:
    played = band("AAAAAA")
    samples = played.recording.samples.copy()
    half = round(played.grid.downbeats[12] * 22_050)
    samples[:, half:] *= 10 ** (-3 / 20)
    s = loop_profile(Recording.from_samples(samples, 22_050), played.grid).splices
    back = np.flatnonzero((s.leave == 20) & (s.enter == 8))
    assert back.size == 1
    assert s.level_step_db[back[0]] == pytest.approx(3.0, abs=0.2)


def repeating() -> tuple[Recording, BeatGrid]:
    """Twelve bars that never come again, of which the last one goes on in the first."""
    piece = band("CAB", lead_in=0.0, tail=0.0)
    grid = piece.grid
    closed = np.append(grid.beats, piece.recording.duration - LINE_BEFORE_END_SECONDS)
    return piece.recording, BeatGrid(closed, np.append(grid.positions, 1), 4)


def test_a_file_that_is_made_to_repeat_is_repeated_as_a_whole() -> None:
    recording, grid = repeating()
    found = loop_profile(recording, grid)
    row = found.splices.row_of(12, 0)
    assert row is not None
    splices = found.splices
    assert splices.score[row] > 0.7
    assert splices.fade_seconds[row] == MIN_FADE_SECONDS
    assert splices.song_to[row] + MIN_FADE_SECONDS / 2 <= recording.duration
    assert splices.song_from[row] >= MIN_FADE_SECONDS / 2
    # What is left out is the fade and no more, so that the pulse goes on.
    assert splices.song_from[row] + recording.duration - splices.song_to[row] < MIN_FADE_SECONDS + 1e-4
    plan = plan_loop(found, 90.0)
    assert isinstance(plan, LoopPlan)
    assert (plan.loop_start_a, plan.loop_end_b) == pytest.approx((0.0, recording.duration), abs=0.01)
    assert plan.seam_score > 0.7


def test_a_file_whose_end_does_not_go_on_in_its_head_is_not() -> None:
    recording, grid = repeating()
    assert repeats_as_a_whole(recording, seam_evidence(recording, grid))
    open_ended = BeatGrid(grid.beats[:-1], grid.positions[:-1], 4)
    assert not repeats_as_a_whole(recording, seam_evidence(recording, open_ended))
    half = round(0.5 * recording.sample_rate)
    silent = recording.samples.copy()
    silent[:, -half:] *= 0.001
    died_away = Recording.from_samples(silent, recording.sample_rate)
    assert not repeats_as_a_whole(died_away, seam_evidence(died_away, grid))
    # The join steps more than the track's own bar lines do: it ends in hiss.
    hiss = recording.samples.copy()
    hiss[:, -half:] = 0.2 * np.random.default_rng(3).standard_normal(half)
    torn = Recording.from_samples(hiss, recording.sample_rate)
    evidence = seam_evidence(torn, grid)
    assert repeats_as_a_whole(torn, evidence)
    assert total_of_parts(end_splice_parts(evidence, 0), SeamParams()) < FLOOR


def test_the_end_of_a_file_as_a_bar_line_is_no_bar() -> None:
    """It changes no section, and what a person names scores as what is found."""
    recording, grid = repeating()
    found = loop_profile(recording, grid)
    before = loop_profile(recording, BeatGrid(grid.beats[:-1], grid.positions[:-1], 4))
    assert [(one.label, one.first_bar, one.song_from, one.song_to) for one in found.sections] == [
        (one.label, one.first_bar, one.song_from, one.song_to) for one in before.sections
    ]
    assert found.sections[-1].last_bar == 13
    assert found.bar_lufs[-1] == found.bar_lufs[-2]
    leave, enter = np.array([8, 12]), np.array([4, 0])
    named = named_splices(recording, seam_evidence(recording, grid), leave, enter)
    row = found.splices.row_of(12, 0)
    assert row is not None
    assert named.leave.tolist() == [8, 12]
    assert (named.score[1], named.song_to[1]) == (found.splices.score[row], found.splices.song_to[row])


def test_music_that_never_comes_again_offers_nothing_above_the_floor() -> None:
    """Chords, tempo of notes, register and density wander at random: no two bars have anything in common."""
    rate, bar = 22_050, 2.0
    rng = np.random.default_rng(7)
    sound = np.zeros(round(34 * bar * rate))
    for number in range(32):
        centre = rng.uniform(40, 84)
        for onset in np.sort(rng.uniform(0, bar, rng.integers(3, 9))):
            length = round(rng.uniform(0.2, 1.5) * rate)
            t = np.arange(length) / rate
            hz = 440 * 2 ** ((round(centre + rng.normal(0, 7)) - 69) / 12)
            note = sum(np.sin(2 * np.pi * k * hz * t) / k ** rng.uniform(0.5, 2) for k in range(1, 7))
            at = round((number * bar + onset) * rate)
            sound[at : at + length] += 0.1 * rng.uniform(0.3, 1) * (note * np.exp(-t / 0.5) * np.clip(t / 0.005, 0, 1))
    beats = np.arange(128) * 0.5
    grid = BeatGrid(beats, np.tile([1, 2, 3, 4], 32), 4, 0.9)
    profile = loop_profile(Recording.from_samples(sound.astype(np.float32), rate), grid)
    assert not np.any(profile.splices.score >= FLOOR)


def test_a_profile_survives_the_store(profile: Any) -> None:
    arrays = profile_to_arrays(profile)
    assert all(array.dtype.kind in "iuf" for array in arrays.values())
    again = profile_from_arrays(arrays)
    assert again.restart == profile.restart
    assert again.sections == profile.sections
    assert again.ending == profile.ending
    assert again.beats_per_bar == profile.beats_per_bar
    for name in (
        "leave",
        "enter",
        "song_to",
        "song_from",
        "score",
        "parts",
        "fade_seconds",
        "exponent",
        "level_step_db",
    ):
        np.testing.assert_array_equal(getattr(again.splices, name), getattr(profile.splices, name))
    np.testing.assert_array_equal(again.downbeats, profile.downbeats)
    del arrays["splice_score"]
    with pytest.raises(ParameterError, match="splice_score"):
        profile_from_arrays(arrays)


def test_music_without_bars_has_a_profile_without_splices() -> None:
    sound = Recording.from_samples(np.zeros(44_100, dtype=np.float32), 44_100)
    profile = loop_profile(sound, BeatGrid(np.zeros(0), np.zeros(0, dtype=np.int32), 4, 0.0))
    assert profile.splices.score.size == 0
    assert profile.ending is None
    assert profile_from_arrays(profile_to_arrays(profile)).song_duration == 1.0


def test_a_long_track_is_scored_line_by_line_to_the_same_profile(
    track: Any, profile: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.seams import seam_score as seams
    from workbench.structure import sections

    monkeypatch.setattr(seams, "_MOST_AT_ONCE", 10)
    monkeypatch.setattr(seams, "_BLOCK_LINES", 7)
    monkeypatch.setattr(sections, "_LIKENESS_BYTES", 1)
    blockwise, whole = profile_to_arrays(loop_profile(track.recording, track.grid)), profile_to_arrays(profile)
    for name, array in whole.items():
        found = blockwise[name]
        if name.startswith("splice_"):  # of scores alike to the last digits, which comes first differs by processor
            found, array = _by_place(blockwise, name), _by_place(whole, name)
        np.testing.assert_allclose(found, array, rtol=1e-5, atol=1e-5, err_msg=name)


def _by_place(arrays: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A field of the splices in the order of their bar lines."""
    return arrays[name][np.lexsort((arrays["splice_enter"], arrays["splice_leave"]))]


def test_the_splice_of_a_restart_is_kept_with_its_own_score() -> None:
    track = band("ABABO", gains={"O": 0.5})
    t = np.arange(track.recording.samples.shape[1]) / track.recording.sample_rate
    quiet = track.recording.samples * np.where(t < track.grid.downbeats[-1] - 1.0, 1.0, 0.02)
    profile = loop_profile(Recording.from_samples(quiet.astype(np.float32), track.recording.sample_rate), track.grid)
    assert profile.restart is not None
    row = profile.splices.row_of(profile.restart.leave, profile.restart.enter)
    assert row is not None
    assert profile.splices.score[row] < FLOOR
    assert profile.splices.level_step_db[row] == 0.0
    assert profile_from_arrays(profile_to_arrays(profile)).restart == profile.restart
