"""Settings of the service: no value is beyond what clocks and counters hold, and those at the bounds work."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from service.console import app
from service.jobs.sweep import sweep
from service.settings import ServiceSettings
from service.store.tables import open_database
from workbench.errors import ParameterError
from workbench.home import Home
from workbench.settings import WorkbenchSettings
from workbench.store.stored_files import StoredFiles


@pytest.mark.parametrize("value", ["inf", "nan", "1e300", str(10**18)])
@pytest.mark.parametrize(
    "name",
    [name for name, field in ServiceSettings.model_fields.items() if field.annotation in (int, float)],
)
def test_no_number_is_beyond_what_clocks_and_counters_hold(tmp_path: Path, name: str, value: str) -> None:
    variable = f"WORKBENCH_{name.upper()}"
    done = CliRunner().invoke(app, ["settings", "--home", str(tmp_path)], env={variable: value})
    assert isinstance(done.exception, ParameterError)
    assert variable in str(done.exception)


def test_retentions_of_a_century_are_swept_by(tmp_path: Path) -> None:
    century = 36_525 * 86_400
    settings = ServiceSettings(
        upload_seconds=century,
        job_retention_seconds=century,
        answer_retention_seconds=century,
        preview_retention_seconds=century,
    )
    home = Home(tmp_path)
    database = open_database(home, WorkbenchSettings(home=tmp_path))
    assert not sweep(StoredFiles(home), database, settings)
    database.close()
