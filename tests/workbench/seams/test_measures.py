"""What is called a seam measure and is none says so; `tests/workbench/testing` runs one that is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from workbench import extensions
from workbench.errors import ParameterError
from workbench.lab.extension_suites import two_parts
from workbench.params import SeamParams
from workbench.seams.measures import breaks_of, features_of, measures_used, part_names
from workbench.seams.profile import SEAM_PARTS
from workbench.seams.seam_score import seam_evidence


class Odd:
    version, unit, description, least, most = 1, "1", "even", 0.1, 1.0

    def features(self, recording: Any, grid: Any) -> Any:
        return np.zeros(3)

    def breaks(self, features: Any, leaves: Any, enters: Any) -> Any:
        return np.zeros((leaves.size, enters.size))


class Negative(Odd):
    def features(self, recording: Any, grid: Any) -> Any:
        return np.zeros((grid.beats.size, 1))

    def breaks(self, features: Any, leaves: Any, enters: Any) -> Any:
        return np.full((leaves.size, enters.size), -1.0)


class Wordy(Negative):
    least: Any = "a little"


class Failing(Negative):
    def breaks(self, features: Any, leaves: Any, enters: Any) -> Any:
        raise KeyError("chroma")


@pytest.fixture(scope="module", autouse=True)
def measures() -> Iterator[None]:
    known = {"odd": Odd, "negative": Negative, "wordy": Wordy, "failing": Failing}
    for name, measure in known.items():
        extensions.register(extensions.SEAM_MEASURES, name, measure)
    yield
    for name in known:
        extensions.unregister(extensions.SEAM_MEASURES, name)


def test_names_and_weights() -> None:
    params = SeamParams(measures=("a.b:C=1.5", "odd=0"))
    assert measures_used(params) == (("a.b:C", 1.5), ("odd", 0.0))
    assert part_names(params) == (*SEAM_PARTS, "a.b:C", "odd")
    with pytest.raises(ValueError, match="pattern"):
        SeamParams(measures=("odd",))
    for part in SEAM_PARTS:
        with pytest.raises(ValueError, match=f"{part} is a part of this package"):
            SeamParams(measures=(f"{part}=1",))
    with pytest.raises(ValueError, match="the measure odd stands there twice"):
        SeamParams(measures=("odd=1", "odd=0.5"))


def test_what_is_no_measure_is_said() -> None:
    recording, grid = two_parts()
    for name, complaint in (
        ("nobody", "no seam measure nobody"),
        ("odd", r"features of shape \(3,\) for 64 beats"),
        ("workbench.plans.plan:PLAN_VERSION", "is no seam measure"),
        ("wordy", "is no seam measure"),
    ):
        with pytest.raises(ParameterError, match=complaint):
            features_of(recording, grid, SeamParams(measures=(f"{name}=1",)))
    with pytest.raises(ParameterError, match=r"negative must give .* breaks of 0 and more, got -\d"):
        seam_evidence(recording, grid, SeamParams(measures=("negative=1",)))
    with pytest.raises(ParameterError, match="the seam measure failing failed: KeyError: 'chroma'"):
        seam_evidence(recording, grid, SeamParams(measures=("failing=1",)))


class Cosine:
    """As anybody would write it."""

    version, unit, description, least, most = 1, "1", "the direction goes on", 0.02, 0.5

    def features(self, recording: Any, grid: Any) -> Any:
        drawn = np.random.default_rng(1).normal(size=(grid.beats.size, 12)).astype(np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    def breaks(self, features: Any, leaves: Any, enters: Any) -> Any:
        return 1.0 - features[leaves] @ features[enters].T


def test_what_rounding_leaves_under_0_is_no_break() -> None:
    beats = np.arange(64)
    with extensions.scope():
        extensions.register(extensions.SEAM_MEASURES, "cosine", Cosine)
        (measured,) = features_of(*two_parts(), SeamParams(measures=("cosine=1",)))
        assert measured.measure.breaks(measured.features, beats, beats).min() < 0.0
        assert breaks_of(measured, beats, beats).min() == 0.0
