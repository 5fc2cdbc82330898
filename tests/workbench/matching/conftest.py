"""Videos as facts, and catalogs of columns, for tests of ranking."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.lab import extension_suites
from workbench.matching.columns import Columns
from workbench.matching.language.embedding import SentenceEmbedding, find_embedding
from workbench.matching.video_facts import VideoFacts
from workbench.store.settings import WorkbenchSettings

MakeVideo = Callable[..., VideoFacts]
MakeColumns = Callable[..., Columns]


@pytest.fixture
def make_video() -> MakeVideo:
    """`video(seconds, cuts_per_minute=…, motion=(a scene each), speech=…)` makes facts."""
    return extension_suites.make_video


@pytest.fixture
def columns() -> MakeColumns:
    """`columns(bpm=[…], contour=[[…], …])` makes tracks that differ in what is given only."""
    return extension_suites.make_columns


@pytest.fixture(scope="session")
def embedding() -> SentenceEmbedding:
    """The sentence embedding whose weights lie on this machine."""
    found = find_embedding(WorkbenchSettings())
    if found is None:
        pytest.skip("no weights of the sentence embedding on this machine")
    return found
