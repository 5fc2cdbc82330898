"""The revision of the analysis changes with every file that can decide an answer, and with no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.cache_keys import analysis_revision, files_digest


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("code.py", "data/weights.npz", "__pycache__/code.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


@pytest.mark.parametrize("name", ["code.py", "data/weights.npz", "data/new.toml"])
def test_code_and_data_decide(package: Path, name: str) -> None:
    before = files_digest(package)
    (package / name).write_bytes(b"other")
    assert files_digest(package) != before


def test_a_file_of_another_name_counts_as_another(package: Path) -> None:
    before = files_digest(package)
    (package / "code.py").rename(package / "codes.py")
    assert files_digest(package) != before


def test_what_is_compiled_does_not_count(package: Path) -> None:
    before = files_digest(package)
    (package / "__pycache__" / "code.pyc").write_bytes(b"other")
    assert files_digest(package) == before


def test_it_is_short_and_stays() -> None:
    assert len(analysis_revision()) == 32
    assert analysis_revision() == analysis_revision()
