"""`workbench report NOTEBOOK|PLAN`: a notebook run with parameters, or the page of a plan, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import NewFile, workspace_option
from workbench.cli.terminal import bytes_of, print_body, progress_bar

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace


@click.command("report")
@click.argument("source", metavar="NOTEBOOK|PLAN")
@click.option(
    "-p", "--parameter", "parameters", nargs=2, multiple=True, metavar="NAME VALUE",
    help="A value for the cell tagged `parameters`; numbers, true and false, quoted text and lists as in JSON. "
    "With PLAN track and video, where they are not found.",
)  # fmt: skip
@click.option(
    "--option",
    type=click.IntRange(min=1),
    help="Which option of a plan is shown; 1, the plan served, unless given.",
)
@click.option("-o", "--output", "out", type=NewFile(), required=True, help="The HTML file; - is standard output.")
@workspace_option
def command(
    source: str, parameters: tuple[tuple[str, str], ...], option: int | None, out: Path, workspace: Workspace
) -> None:
    """Write HTML that needs nothing from the network: the page of PLAN, or NOTEBOOK run with parameters.

    PLAN is a .json file that loop, fit or conform printed; its page is that of their --report. Track and video are
    found as `workbench reproduce` finds them. NOTEBOOK is a file, or the name of one that ships, such as reports/track;
    it needs the `lab` extra. If a cell fails, the notebook with what was computed until then is saved beside the page,
    as NAME.partial.ipynb.

    \b
    Example:
      workbench report plan.json -o plan.html
      workbench report reports/track -p track track.flac -p video_seconds 300 -o track.html
      workbench report reports/plan -p track track.flac -p plan_file plan.json --option 2 -o plan.html
    """
    values = dict(parameters)
    if Path(source).suffix.lower() == ".json":
        from workbench.cli.from_plans import write_page_of

        write_page_of(Path(source), values, option or 1, out, workspace)
    else:
        from workbench.lab.notebooks import find_notebook, run_notebook

        with progress_bar() as progress:
            values |= {} if option is None else {"option": str(option)}
            run_notebook(workspace.with_progress(progress), find_notebook(source), values, out)
    print_body({"output": str(out), **bytes_of(out)})
