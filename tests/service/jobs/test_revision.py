"""The revision changes with everything that can decide an answer, and with no code."""

from __future__ import annotations

from service.jobs.revision import analysis_revision, revision_of, shipped_data
from workbench.params import WorkbenchParams


def test_versions_data_and_parameters_decide() -> None:
    versions, data, params = {"beats": 1, "loop": 1}, {"models/a.json": b"1"}, WorkbenchParams()
    before = revision_of(versions, data, params)
    other_params = params.model_copy(update={"cuts": params.cuts.model_copy(update={"max_video_seconds": 60.0})})
    assert len(before) == 32
    assert revision_of(dict(reversed(versions.items())), data, params) == before
    others = [
        revision_of({**versions, "loop": 2}, data, params),
        revision_of(versions, {"models/a.json": b"2"}, params),
        revision_of(versions, {"models/b.json": b"1"}, params),
        revision_of(versions, data, other_params),
    ]
    assert len({before, *others}) == 5


def test_models_and_vocabularies_count_and_no_code() -> None:
    found = shipped_data()
    assert {"models/seams.json", "models/beat_network.npz", "matching/language/lexicon.toml"} <= set(found)
    assert not any(name.endswith((".py", ".md", ".css", ".js")) for name in found)
    assert analysis_revision() == analysis_revision()
