"""Shipped files are found, and what is missing is said."""

from __future__ import annotations

import pytest

from workbench.errors import ResourceMissing
from workbench.files import bundled_path


def test_the_bundled_data_is_found() -> None:
    assert bundled_path("data", "bundled").is_dir()


def test_what_is_not_shipped() -> None:
    with pytest.raises(ResourceMissing, match="data/bundled/none is not shipped"):
        bundled_path("data", "bundled", "none")
