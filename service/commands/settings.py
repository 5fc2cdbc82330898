"""`workbench settings`: every setting with its value and meaning, those of the service among them."""

from __future__ import annotations

import click
from pydantic import SecretStr
from sqlalchemy import make_url

from service.settings import load_service_settings
from workbench.cli.options import home_option
from workbench.cli.terminal import print_line
from workbench.store.home import Home
from workbench.store.settings import load_settings


@click.command("settings")
@home_option
def command(home: Home) -> None:
    """Print every setting as a JSON line: the environment variable, its value, its meaning. Secrets stay hidden.

    \b
    Example:
      WORKBENCH_HOME=/srv/workbench workbench settings
    """
    core = load_settings().model_copy(update={"home": home.root})
    for settings in (core, load_service_settings()):
        values = settings.model_dump(mode="json")
        for name, field in type(settings).model_fields.items():
            value = values[name]
            if isinstance(getattr(settings, name), SecretStr):
                value = "(set)"
            elif name == "database_url" and value is not None:
                value = make_url(value).render_as_string(hide_password=True)
            print_line({"setting": f"WORKBENCH_{name.upper()}", "value": value, "meaning": field.description or ""})
