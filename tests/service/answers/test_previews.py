"""Previews have a name that changes with what they are made of."""

from __future__ import annotations

from service.answers import previews


def test_a_preview_is_made_anew_when_grid_or_analysis_change() -> None:
    names = {previews.file_name("aud_1", *given) for given in (("", "r1"), ("", "r2"), ("g", "r1"))}
    assert len(names) == 3
    assert all(name.startswith("aud_1-") and name.endswith(".mp3") for name in names)
