"""Settings of the service: no value is beyond what clocks and counters hold, and those at the bounds work."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from service.jobs.sweep import sweep
from service.settings import ServiceSettings
from service.store.tables import open_database
from workbench.cli.main import app
from workbench.errors import ParameterError
from workbench.store.home import Home
from workbench.store.settings import WorkbenchSettings
from workbench.store.stored_files import StoredFiles


@pytest.mark.parametrize("value", ["inf", "nan", str(10**18)])
@pytest.mark.parametrize(
    "name",
    [name for name, field in ServiceSettings.model_fields.items() if field.annotation in (int, float)],
)
def test_no_number_is_beyond_what_clocks_and_counters_hold(tmp_path: Path, name: str, value: str) -> None:
    variable = f"WORKBENCH_{name.upper()}"
    done = CliRunner().invoke(app, ["settings", "--home", str(tmp_path)], env={variable: value})
    assert isinstance(done.exception, ParameterError)
    assert variable in str(done.exception)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("WORKBENCH_LINK_SECRET", "a"),
        ("WORKBENCH_WEBHOOK_SECRET", "whsec_"),
        ("WORKBENCH_WEBHOOK_SECRET", "whsec_no base64!"),
        ("WORKBENCH_WEBHOOK_SECRET", "whsec_dG9vIHNob3J0IGJ5IG9uZSBieXRlLi4="),
        ("WORKBENCH_FETCH_CA_FILE", "/no/such/authority.pem"),
        ("WORKBENCH_UPLOAD_ORIGINS", "music.example"),
        ("WORKBENCH_UPLOAD_ORIGINS", "https://music.example, https://other.example/page"),
        ("WORKBENCH_WEBHOOK_SECRET", "my-pass_phrase"),
        ("WORKBENCH_PUBLIC_URL", "music.example"),
        ("WORKBENCH_PUBLIC_URL", "https://"),
        ("WORKBENCH_PUBLIC_URL", "https://music.example/?a=b"),
        ("WORKBENCH_PUBLIC_URL", "https://[music"),
        ("WORKBENCH_TRACES_URL", "127.0.0.1:4318"),
    ],
)
def test_what_no_call_could_work_with_is_refused_at_the_start(tmp_path: Path, variable: str, value: str) -> None:
    """With a secret that decodes to nothing every webhook would be refused; links would lead nowhere."""
    done = CliRunner().invoke(app, ["settings", "--home", str(tmp_path)], env={variable: value})
    assert isinstance(done.exception, ParameterError)
    assert str(done.exception).startswith(f"{variable}: must be ")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("WORKBENCH_WEBHOOK_SECRET", "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cywgbG9uZyBlbm91Z2g"),
        ("WORKBENCH_WEBHOOK_SECRET", "c2VjcmV0IG9mIHRoZSB0ZXN0cywgbG9uZyBlbm91Z2g="),
        ("WORKBENCH_PUBLIC_URL", "https://music.example/"),
        ("WORKBENCH_PUBLIC_URL", "http://127.0.0.1:8000/under/a/path"),
    ],
)
def test_secrets_and_addresses_as_they_are_given(tmp_path: Path, variable: str, value: str) -> None:
    done = CliRunner().invoke(app, ["settings", "--home", str(tmp_path)], env={variable: value})
    assert done.exit_code == 0, done.exception


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
