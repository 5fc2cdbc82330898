"""The sentence embedding, for tests of ranking."""

from __future__ import annotations

import pytest

from workbench.matching.language.embedding import SentenceEmbedding, find_embedding
from workbench.store.settings import WorkbenchSettings


@pytest.fixture(scope="session")
def embedding() -> SentenceEmbedding:
    """The sentence embedding whose weights lie on this machine."""
    found = find_embedding(WorkbenchSettings())
    if found is None:
        pytest.skip("no weights of the sentence embedding on this machine")
    return found
