"""Names of parameters as people read them."""

from __future__ import annotations

import pytest

from workbench.dashboards.labels import label_of


@pytest.mark.parametrize(
    ("name", "label"),
    [("attack_ms", "attack, ms"), ("voice_lufs", "voice, LUFS"), ("max_depth_db", "max depth, dB"), ("shape", "shape")],
)
def test_the_unit_of_a_name_is_written_as_people_write_it(name: str, label: str) -> None:
    assert label_of(name) == label
