"""Alembic's environment for the tables of the service."""

from service.store.tables import SCHEMA
from workbench.store.schema import run_environment

run_environment(SCHEMA)
