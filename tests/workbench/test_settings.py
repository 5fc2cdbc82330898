"""Settings come from the environment, and each says what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import ParameterError
from workbench.store.settings import WorkbenchSettings, load_settings


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_CACHE_MAX_BYTES", "1000")
    monkeypatch.setenv("WORKBENCH_SOMETHING_OF_THE_SERVICE", "1")
    settings = load_settings()
    assert (settings.home, settings.cache_max_bytes) == (tmp_path, 1000)


def test_a_bad_value_is_one_line_that_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_LOG_LEVEL", "loud")
    with pytest.raises(ParameterError, match="WORKBENCH_LOG_LEVEL='loud'") as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in WorkbenchSettings.model_fields.values())
