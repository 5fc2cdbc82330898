"""Rendered plans against a second renderer written from the contract, and against what must be true of any of them."""

import tracemalloc
from collections.abc import Iterable, Iterator
from math import ceil
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.workbench.played import make_plan
from workbench.errors import ParameterError, PlanError
from workbench.features.loudness import integrated_lufs
from workbench.params import RenderParams
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.render.playback import expected_excerpt, render, render_blocks, seam_excerpt
from workbench.results.plan import plan_body

RATES = [22_050, 32_000, 44_100, 48_000, 96_000]


def noise(seconds: float, rate: int, channels: int = 2, seed: int = 0) -> Recording:
    samples = np.random.default_rng(seed).uniform(-0.5, 0.5, (channels, round(seconds * rate)))
    return Recording.from_samples(samples.astype(np.float32), rate)


def peak_db(samples: NDArray[np.floating]) -> float:
    return float(20 * np.log10(max(float(np.max(np.abs(samples), initial=0.0)), 1e-12)))


@pytest.fixture
def eventful() -> LoopPlan:
    """Three seams of every kind, glides, fades at both ends, odd times, on a track of 12 s."""
    return make_plan(
        [
            (0.123457, 5.987654, 0.0, 0.0),
            (2.345679, 8.111111, -1.5, 2.25),
            (1.0000013, 6.543211, 1.0, -3.0),
            (3.3333333, 11.777777, 0.0, 0.0),
        ],
        [0.005, 0.2503, 0.8],
        [0.5, 0.731, 1.0],
        song_duration=12.0,
        glide=1.7,
        start_fade=0.35,
        end_fade=2.5,
        tail=0.8,
    )


@pytest.fixture
def resolving() -> LoopPlan:
    """Starts late and ends with the track itself, a tail before the video's end."""
    return make_plan(
        [(0.0, 4.2, 0.5, 0.5), (1.1, 7.9, 0.0, 0.5)],
        [0.03],
        [0.8],
        song_duration=8.0,
        glide=0.5,
        music_in=1.234567,
        end_fade=1.0,
        tail=0.75,
        ends_with_track=True,
    )


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_nulls_against_the_reference(eventful: LoopPlan, reference: ModuleType, rate: int, channels: int) -> None:
    track = noise(12.0, rate, channels)
    ours = render(eventful, track)
    theirs = reference.play(plan_body(eventful).to_json(), track.samples, rate)
    assert ours.samples.shape == theirs.shape
    assert peak_db(ours.samples - theirs) < -110.0


def test_nulls_against_the_reference_when_the_track_ends_the_plan(resolving: LoopPlan, reference: ModuleType) -> None:
    track = noise(8.0, 44_100)
    ours = render(resolving, track).samples
    assert peak_db(ours - reference.play(plan_body(resolving).to_json(), track.samples, 44_100)) < -110.0
    assert not ours[:, : int(1.2345 * 44_100)].any()
    assert not ours[:, -int(0.74 * 44_100) :].any()


def test_the_track_passes_untouched_where_nothing_is_asked_of_it() -> None:
    track = noise(10.0, 44_100)
    plan = make_plan([(0.0, 6.0, 0.0, 0.0), (2.0, 8.0, 0.0, 0.0)], [0.1], [1.0], song_duration=10.0)
    heard = render(plan, track).samples
    before, after = int(5.95 * 44_100), ceil(6.05 * 44_100)
    assert np.array_equal(heard[:, :before], track.samples[:, :before])
    assert np.array_equal(heard[:, after:], track.samples[:, after - 4 * 44_100 : 8 * 44_100])


def test_repeats_do_not_drift() -> None:
    """A body of a fraction of a sample too much, 600 times: an impulse in it stays where video time puts it."""
    rate, length = 44_100, 2.0000107  # 0.47 samples over
    samples = np.zeros((1, 5 * rate), dtype=np.float32)
    samples[0, 2 * rate] = 1.0
    rows = [(1.0, round(1.0 + length, 6), 0.0, 0.0)] * 600
    plan = make_plan(rows, [0.01] * 599, [1.0] * 599, song_duration=5.0)
    blocks = render_blocks(plan, Recording.from_samples(samples, rate))
    clicks = np.concatenate([np.flatnonzero(block[0] > 0.5) + at for at, block in _placed(blocks)])
    expected = (plan.segment_starts[:-1] + 1.0) * rate
    assert clicks.size == 600
    assert np.max(np.abs(clicks - expected)) <= 1.0


def _placed(blocks: Iterable[NDArray[np.float32]]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    at = 0
    for block in blocks:
        yield at, block
        at += block.shape[1]


@pytest.mark.parametrize("block_seconds", [0.1, 0.377, 60.0])
def test_blocks_of_any_length_make_the_same_sound(eventful: LoopPlan, block_seconds: float) -> None:
    track = noise(12.0, 22_050)
    whole = render(eventful, track)
    cut = render(eventful, track, RenderParams(block_seconds=block_seconds))
    assert np.array_equal(whole.samples, cut.samples)


def test_a_part_is_what_the_whole_has_there(eventful: LoopPlan) -> None:
    track = noise(12.0, 44_100)
    whole = render(eventful, track).samples
    part = render(eventful, track, from_s=5.5, to_s=7.25).samples
    assert np.array_equal(part, whole[:, round(5.5 * 44_100) : round(7.25 * 44_100)])
    assert render(eventful, track, from_s=1000.0).samples.shape == (2, 0)


@pytest.mark.parametrize(("exponent", "coherent"), [(0.5, False), (1.0, True)])
def test_crossfades_keep_the_level(exponent: float, coherent: bool) -> None:
    """Equal power keeps the power of unlike sides, linear the amplitude of equal ones, all through the fade."""
    rate = 48_000
    if coherent:  # 8 s is a whole number of periods, so both sides are the same sound
        samples = 0.5 * np.sin(2 * np.pi * 441.0 * np.arange(20 * rate) / rate)[None]
        track = Recording.from_samples(samples, rate)
    else:
        track = noise(20.0, rate, 1)
    plan = make_plan([(0.0, 10.0, 0.0, 0.0), (2.0, 12.0, 0.0, 0.0)], [1.0], [exponent], song_duration=20.0)
    heard = render(plan, track).samples
    middle = integrated_lufs(heard[:, round(9.6 * rate) : round(10.4 * rate)], rate)
    usual = integrated_lufs(track.samples[:, round(5.0 * rate) : round(8.0 * rate)], rate)
    assert middle == pytest.approx(usual, abs=0.15)


def test_seams_do_not_click() -> None:
    """Over a seam between two phases of a sine the waveform is hardly steeper than the sine itself."""
    rate, fade = 44_100, 0.005
    samples = 0.5 * np.sin(2 * np.pi * 100.0 * np.arange(10 * rate) / rate)[None]
    plan = make_plan([(0.0, 4.0, 0.0, 0.0), (2.0051, 7.0, 0.0, 0.0)], [fade], [0.5], song_duration=10.0)
    heard = render(plan, Recording.from_samples(samples, rate)).samples[0]
    steepest = 0.5 * 2 * np.pi * 100.0 / rate
    start = 0.5 * np.sqrt(1.0 / (fade * rate))  # of a square root's first step at full level
    assert np.max(np.abs(np.diff(heard))) < 2 * steepest + start


def test_levels_glide_in_decibels() -> None:
    rate = 44_100
    track = Recording.from_samples(np.full((1, 20 * rate), 0.5, dtype=np.float32), rate)
    plan = make_plan([(0.0, 5.0, 0.0, 0.0), (3.0, 13.0, 0.0, -6.0)], [0.01], [1.0], song_duration=20.0, glide=4.0)
    heard = render(plan, track).samples[0]
    for time, level_db in [
        (5.01, -6.0 + 6.0 * 0.01 / 4),
        (6.0, -4.5),
        (7.0, -3.0),
        (8.0, -1.5),
        (9.0, 0.0),
        (12.0, 0.0),
    ]:
        assert 20 * np.log10(heard[round(time * rate)] / 0.5) == pytest.approx(level_db, abs=1e-3)


def test_memory_does_not_grow_with_the_plan() -> None:
    track = noise(30.0, 44_100)
    peaks = []
    for repeats in (6, 300):
        rows = [(2.0, 26.0, 0.0, -1.0)] * repeats
        plan = make_plan(rows, [0.05] * (repeats - 1), [0.7] * (repeats - 1), song_duration=30.0, glide=2.0)
        tracemalloc.start()
        length = sum(block.shape[1] for block in render_blocks(plan, track))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert length == round(plan.window_end * 44_100)
    assert peaks[1] < peaks[0] + 2e6  # two hours against two minutes: the list of cues, no sound


def test_excerpts_show_a_seam_and_what_was_expected() -> None:
    """Where a body repeats exactly, what is heard, what was left and what is entered are the same sound."""
    rate = 44_100
    phrase = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 4 * rate)).astype(np.float32)
    track = Recording.from_samples(np.tile(phrase, 4), rate)
    plan = make_plan([(0.0, 12.0, 0.0, 0.0), (4.0, 14.0, 0.0, 0.0)], [0.1], [1.0], song_duration=16.0)
    heard = seam_excerpt(plan, track, 0, seconds=3.0)
    expected = expected_excerpt(plan, track, 0, seconds=3.0)
    assert heard.duration == expected.left.duration == expected.entered.duration == 3.0
    assert peak_db(heard.samples - expected.left.samples) < -110.0
    assert peak_db(heard.samples - expected.entered.samples) < -110.0
    with pytest.raises(ParameterError, match="no seam 1"):
        seam_excerpt(plan, track, 1)


def test_excerpts_are_cut_at_the_ends_of_plan_and_track() -> None:
    track = noise(10.0, 44_100)
    plan = make_plan([(1.0, 2.0, 0.0, 0.0), (0.5, 9.5, -2.0, -2.0)], [0.1], [1.0], song_duration=10.0)
    expected = expected_excerpt(plan, track, 0, seconds=4.0)
    assert seam_excerpt(plan, track, 0, seconds=4.0).duration == expected.left.duration == 3.0
    assert not expected.entered.samples[:, : round(0.5 * 44_100)].any()
    level = 20 * np.log10(np.std(expected.entered.samples[:, 44_100:]) / np.std(track.samples))
    assert level == pytest.approx(-2.0, abs=0.05)


def test_the_wrong_track_is_refused(eventful: LoopPlan) -> None:
    with pytest.raises(PlanError, match=r"track of 12\.000 s, this one lasts 9\.000 s"):
        render(eventful, noise(9.0, 22_050))


def test_the_limiter_acts_when_asked_for() -> None:
    track = Recording.from_samples(2.0 * noise(6.0, 44_100).samples, 44_100)
    plan = make_plan([(0.0, 3.0, 6.0, 6.0), (1.0, 5.0, 0.0, 0.0)], [0.02], [0.7], song_duration=6.0)
    bare = render(plan, track).samples
    limited = render(plan, track, limit=True).samples
    assert np.max(np.abs(bare)) > 1.5
    assert bare.shape == limited.shape
    assert np.max(np.abs(limited)) <= 10 ** (-1 / 20) + 1e-4
