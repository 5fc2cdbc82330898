"""What the attacker of `tests/benchmarks/elsewhere` hears is what is rendered, and it finds steps and nothing else."""

import numpy as np
import pytest

from tests.benchmarks.elsewhere.attacker import Join, Measured, attack, joins_of, measure, play_join
from tests.workbench.plans.made import make_profile
from workbench.plans.loop import plan_loop
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.render.playback import seam_excerpt


def test_a_join_is_played_as_the_renderer_plays_it() -> None:
    profile, rate = make_profile(), 8000
    times = np.arange(round(profile.song_duration * rate)) / rate
    sound = np.sin(2 * np.pi * np.array([[21.3], [31.7]]) * times)  # slow, since either side may lie one sample off
    recording = Recording.from_samples((0.3 * sound).astype(np.float32), rate)
    plan = plan_loop(profile, 400.0)
    assert isinstance(plan, LoopPlan)
    for join in joins_of(plan, profile.downbeats):
        seam = next(k for k, left in enumerate(plan.segments[:-1]) if left.song_to == join.song_to)
        rendered = seam_excerpt(plan, recording, seam, 3.0).samples
        played = play_join(recording.samples, rate, join, 2.0)
        first = 2 * rate + round(join.song_to * rate) - round(join.line * rate) - rendered.shape[1] // 2
        np.testing.assert_allclose(played[:, first : first + rendered.shape[1]], rendered, atol=0.02)


def test_a_splice_into_itself_is_the_track() -> None:
    samples = np.random.default_rng(0).uniform(-0.5, 0.5, (2, 5 * 22050))
    played = play_join(samples, 22050, Join(2.5, 2.5, 2.5, 0.02, 1.0))
    np.testing.assert_allclose(played, samples[:, 11025 : 9 * 11025], atol=1e-12)


@pytest.mark.parametrize(("shift", "least", "most"), [(0.0, 0.3, 0.7), (2.0, 0.9, 1.0)])
def test_steps_are_found_and_nothing_is_found_where_nothing_is(shift: float, least: float, most: float) -> None:
    rng = np.random.default_rng(1)
    columns = len(measure(rng.normal(size=(2, 4 * 22050)), 22050))

    def recordings(count: int) -> list[Measured]:
        return [
            Measured("", rng.normal(size=(30, columns)), {"served": rng.normal(size=(20, columns)) + shift})
            for _ in range(count)
        ]

    assert least <= np.mean(attack(recordings(8), recordings(8), "served")) <= most
