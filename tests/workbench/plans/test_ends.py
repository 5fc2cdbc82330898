"""How music starts and ends: expected times by hand, on a track whose bar lines lie at 0.4 s and every 2 s after."""

from __future__ import annotations

import pytest

from tests.workbench.plans.made import track_profile
from workbench.params import CoverParams
from workbench.plans.ends import closing_fade, downbeat_ending, end_slack, latest_stop, own_ending, start_fade
from workbench.plans.plan import EndKind


def test_music_rises_where_it_starts_in_mid_sound() -> None:
    silent, sounding = track_profile(lead_in=0.4), track_profile(lead_in=0.0)
    assert start_fade(silent) == start_fade(silent, silent.song_start) == 0.0
    assert start_fade(sounding) == 0.005
    assert start_fade(silent, 16.37) == start_fade(sounding, 15.97) == 0.03


@pytest.mark.parametrize(
    ("most", "otherwise", "seconds"),
    [
        (30.0, None, 8.5),  # from the bar line at 52.4 s, the last one that leaves 8 s
        (5.0, None, 4.5),  # from the first one that leaves no more than there is room for
        (1.0, None, 1.0),  # from no bar line: all the room there is
        (1.0, 0.7, 0.7),
        (0.2, None, 0.5),  # never less than the tail
    ],
)
def test_a_fade_begins_and_resolves_on_bar_lines(most: float, otherwise: float | None, seconds: float) -> None:
    ending = closing_fade(track_profile(), 60.9, 8.0, most, otherwise)
    assert (ending.kind, ending.tail_seconds, ending.where) == (EndKind.FADE, 0.5, "on a bar line of the verse")
    assert ending.fade_seconds == pytest.approx(seconds)


def test_a_button_rings_after_its_downbeat() -> None:
    profile, params = track_profile(), CoverParams()
    ending = downbeat_ending(profile, EndKind.BUTTON, 64.9, 60.0, 9.0, params)
    assert (ending.tail_seconds, ending.fade_seconds, ending.where) == (0.5, 0.5, "after the verse")
    fade = downbeat_ending(profile, EndKind.FADE, 64.9, 8.0, 9.0, params)
    assert fade.fade_seconds == 2.5, "a quarter of short music, rounded up to whole bars"
    assert fade.where == "to the end of the verse"


def test_the_own_ending_leaves_under_a_bar_of_silence() -> None:
    profile = track_profile()
    assert end_slack(profile) == pytest.approx((1.999, 1.999))
    assert own_ending(profile, 1.5).kind is EndKind.OUTRO
    assert own_ending(track_profile(ending=None), 1.5).kind is EndKind.LAST_SOUND


def test_a_fade_stays_clear_of_the_own_ending_but_for_its_first_bar() -> None:
    profile = track_profile()
    assert profile.ending is not None
    assert latest_stop(profile, in_ending=False) == profile.downbeats[profile.ending.start_bar + 1]
    assert latest_stop(profile, in_ending=True) == profile.last_sound
    alone = track_profile(ending=None)
    assert latest_stop(alone, in_ending=False) == alone.last_sound
