"""Alembic's environment for the tables of the workbench."""

from workbench.store.database import SCHEMA
from workbench.store.schema import run_environment

run_environment(SCHEMA)
