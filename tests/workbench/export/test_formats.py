"""Every format by its name."""

from __future__ import annotations

import pytest

from workbench.errors import ParameterError
from workbench.export.formats import FORMATS, format_named


def test_every_format_says_what_it_is() -> None:
    names = ["otio", "fcpxml", "xmeml", "edl", "rpp", "audacity", "jams", "csv", "markers", "loop-tags"]
    assert list(FORMATS) == names
    for name, chosen in FORMATS.items():
        assert format_named(name) is chosen
        assert chosen.what.endswith(".")
        assert chosen.limits.endswith(".") or not chosen.limits
    with pytest.raises(ParameterError, match="known are otio, fcpxml"):
        format_named("aaf")
