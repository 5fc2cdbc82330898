"""Which file of a bundle is read, and which project of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.edits.documents import choose_project, document_of
from workbench.errors import EditError


def test_the_document_in_a_bundle(tmp_path: Path) -> None:
    for bundle, name in (("a.fcpxmld", "Info.fcpxml"), ("b.otiod", "content.otio")):
        (tmp_path / bundle).mkdir()
        assert document_of(tmp_path / bundle) == tmp_path / bundle
        document = tmp_path / bundle / name
        document.write_text("")
        assert document_of(tmp_path / bundle) == document_of(document) == document
    assert document_of(tmp_path / "none.edl") == tmp_path / "none.edl"


def test_the_project_of_a_name() -> None:
    path, names = Path("cuts.fcpxml"), ["one", "Cafe\u0301", "one"]
    assert choose_project(path, ["alone"], None) == choose_project(path, ["alone"], "other") == 0
    assert choose_project(path, names, "Caf\u00e9") == 1
    for wanted, words in ((None, "3 projects: one"), ("two", "none of them two: one"), ("one", "several of them one:")):
        with pytest.raises(EditError, match=words) as caught:
            choose_project(path, names, wanted)
        assert "say which with projects" in str(caught.value)
