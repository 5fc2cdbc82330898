"""Settings from the environment: every `WORKBENCH_…` variable of the core, with its meaning.

`workbench settings` prints this table. Settings that only the service needs are in `service.settings`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from workbench.errors import ParameterError


class WorkbenchSettings(BaseSettings):
    """The settings in the environment. Read them with `load_settings`, which turns a bad value into one clear line."""

    model_config = SettingsConfigDict(env_prefix="WORKBENCH_", env_ignore_empty=True, frozen=True, extra="ignore")

    home: Path | None = Field(
        default=None, description="folder that holds all state; without it, the platform's user data folder"
    )
    database_url: str | None = Field(
        default=None,
        description="SQLAlchemy URL of the database, as sqlite:////path/to/file; without it, a file in the home folder",
    )
    store_url: str | None = Field(
        default=None,
        description="where the bytes of videos, tracks and analyses are stored: a folder, s3://BUCKET/PREFIX, "
        "gs://… or az://…, the same for all machines of a database; without it, the home folder",
    )
    store_cache_bytes: int = Field(
        default=20 * 2**30, ge=0, description="bytes; copies of the store's files that the home folder holds at most"
    )
    words_folder: Path | None = Field(
        default=None,
        description="folder with model.safetensors and tokenizer.json of all-MiniLM-L6-v2, which reads what words "
        "mean; without it, the Hugging Face cache and installed packages are searched",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="least important log line that the service shows, on standard error"
    )
    cache_max_bytes: int = Field(
        default=20 * 2**30, ge=0, description="bytes; what `workbench cache prune` prunes to when no limit is given"
    )


def load_settings() -> WorkbenchSettings:
    """Read the settings from the environment.

    Raises
    ------
    ParameterError : a variable holds a value that it cannot have
    """
    try:
        return WorkbenchSettings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "WORKBENCH_" + "_".join(str(part) for part in first["loc"]).upper()
        raise ParameterError(f"{name}={first['input']!r}: {first['msg']}") from None
