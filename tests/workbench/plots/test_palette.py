import pytest

from workbench.plots.palette import GROUPS, clock, group_colour, new_figure, png, time_axis


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (75, "1:15"), (3675, "1:01:15"), (-4.0, "-0:04")]
)
def test_clock_reads_like_a_player(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_groups_keep_their_colours_and_repeat_only_after_all_are_used() -> None:
    assert len(set(GROUPS)) == len(GROUPS)
    assert group_colour(len(GROUPS)) == group_colour(0)


@pytest.mark.parametrize(("seconds", "step"), [(4.0, 0.5), (16.0, 2.0), (300.0, 30.0), (36_000.0, 3600.0)])
def test_time_is_marked_at_round_numbers(seconds: float, step: float) -> None:
    axes = new_figure(6.0, 2.0).subplots()
    axes.set_xlim(0.0, seconds)
    time_axis(axes, seconds)
    marks = axes.get_xticks()
    assert marks[1] - marks[0] == pytest.approx(step)


def test_png_is_a_picture_of_the_size_asked_for() -> None:
    picture = png(new_figure(4.0, 2.0))
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") == 440
    assert int.from_bytes(picture[20:24], "big") == 220
