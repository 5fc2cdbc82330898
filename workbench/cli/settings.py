"""`workbench settings`: every setting with its value and meaning."""

from __future__ import annotations

import click

from workbench.cli.options import home_option
from workbench.cli.terminal import print_line
from workbench.home import Home
from workbench.settings import WorkbenchSettings, load_settings


@click.command("settings")
@home_option
def command(home: Home) -> None:
    """Print every setting as a JSON line: the environment variable, its value, its meaning.

    \b
    Example:
      WORKBENCH_HOME=/srv/workbench workbench settings
    """
    settings = load_settings().model_copy(update={"home": home.root})
    values = settings.model_dump(mode="json")
    for name, field in WorkbenchSettings.model_fields.items():
        print_line({"setting": f"WORKBENCH_{name.upper()}", "value": values[name], "meaning": field.description or ""})
