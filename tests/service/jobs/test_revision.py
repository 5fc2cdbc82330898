"""The revision changes with everything that can decide an answer, and versions are raised where results change."""

from __future__ import annotations

import numpy as np
import pytest

from service.jobs.revision import ANSWER_VERSIONS, STAGE_VERSIONS, analysis_revision, revision_of, shipped_data
from tests.service.jobs import digests
from workbench.params import WorkbenchParams

TOLERANCE = 1e-4
"""relative, of what another numpy may change"""
SMALLEST = 1e-3
"""absolute, the same: scores of 0 to 1, seconds, dB"""


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


@pytest.mark.parametrize("versions", [STAGE_VERSIONS, ANSWER_VERSIONS], ids=["stages", "answers"])
def test_each_version_that_is_raised_makes_another_revision(
    versions: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {analysis_revision.__wrapped__()}
    for name in versions:
        with monkeypatch.context() as raised:
            raised.setitem(versions, name, versions[name] + 1)
            found.add(analysis_revision.__wrapped__())
    assert len(found) == 1 + len(versions)


def test_models_and_vocabularies_count_and_no_code() -> None:
    found = shipped_data()
    assert {"models/seams.json", "models/beat_network.npz", "matching/language/lexicon.toml"} <= set(found)
    assert not any(name.endswith((".py", ".md", ".css", ".js")) for name in found)
    assert analysis_revision() == analysis_revision()


@pytest.mark.slow
def test_what_gives_other_results_has_another_version() -> None:
    """On the bundled tracks and the demo's film; `digests` says how to store new digests, once a version is raised."""
    stored, found = digests.read(), digests.measure()
    # Voices are asked of another package's detector, unused streams are of videos with several; a preview is a file
    assert found["stages"].keys() == STAGE_VERSIONS.keys() - {"unused", "voices"}
    assert found["answers"].keys() == ANSWER_VERSIONS.keys() - {"preview"}
    changed = []
    for group in ("stages", "answers"):
        for name, now in found[group].items():
            before = stored[group][name]
            assert now["version"] == before["version"], "store the digests again: python -m tests.service.jobs.digests"
            if not alike(now["digests"], before["digests"]):
                changed.append(f"{group} {name} ({now['version']})")
    assert not changed, f"results changed and the versions of these did not: {', '.join(changed)}"


def alike(now: dict[str, digests.Digest], before: dict[str, digests.Digest]) -> bool:
    return now.keys() == before.keys() and all(
        one["words"] == before[name]["words"]
        and one.get("count") == before[name].get("count")
        and len(one["numbers"]) == len(before[name]["numbers"])
        and np.allclose(one["numbers"], before[name]["numbers"], rtol=TOLERANCE, atol=SMALLEST)
        for name, one in now.items()
    )
