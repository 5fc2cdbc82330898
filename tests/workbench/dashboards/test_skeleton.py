"""The outline of what is coming."""

from __future__ import annotations

from workbench.dashboards.skeleton import Skeleton


def test_an_outline_says_what_is_coming_and_how_far_it_is() -> None:
    skeleton = Skeleton(words="Listening to the track.", done=0.25)
    assert (skeleton.words, skeleton.done) == ("Listening to the track.", 0.25)
    assert sum(skeleton.lanes) > 0
    skeleton.done = 0.5
    assert skeleton.done == 0.5
