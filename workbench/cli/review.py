"""`workbench review TABLE`: verdicts, comments, decisions and blind tests, as tables."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.options import NewFile, workspace_option
from workbench.cli.terminal import print_body
from workbench.errors import StoreError
from workbench.files import write_text

if TYPE_CHECKING:
    from workbench.analysis.workspace import Workspace

_TABLES = ("verdicts", "comments", "decisions", "abx", "preferences", "mushra", "results")


@click.command("review")
@click.argument("table", type=click.Choice(_TABLES))
@click.option("-o", "--output", "out", type=NewFile(), help="The CSV file to write; without it the table is printed.")
@workspace_option
def command(table: str, out: Path | None, workspace: Workspace) -> None:
    """Write what the reviewers of a home folder said, as CSV.

    \b
      verdicts   good, audible or wrong: each reviewer's newest about every seam, with its crossfade and score
      comments   with their answers, the time of the video and who resolved them
      decisions  approved or needs work: each reviewer's newest on every version of a plan
      abx        answers of blind ABX tests, as webMUSHRA writes paired_comparison.csv
      preferences  of two options, which is better in each trial, and by how many steps of 3
      mushra     ratings of blind tests with hidden reference and anchor, as webMUSHRA writes mushra.csv
      results    what these tests show so far: of each seam, condition and test the estimate with its 95 % interval

    They come from the Review, Seams and Listening tabs of `workbench dashboard`.

    \b
    Example:
      workbench review comments -o comments.csv
      workbench review verdicts
    """
    from workbench.review.comments import write_comments, write_decisions
    from workbench.review.listening import write_abx, write_mushra, write_preferences, write_results
    from workbench.review.verdicts import newest_verdicts, write_verdicts

    text = StringIO()
    if table == "verdicts":
        given = newest_verdicts(workspace)
        write_verdicts(given, text)
        rows = len(given)
    else:
        writers = {
            "comments": write_comments, "decisions": write_decisions, "abx": write_abx,
            "preferences": write_preferences, "mushra": write_mushra, "results": write_results,
        }  # fmt: skip
        rows = writers[table](workspace, text)
    if out is None:
        click.echo(text.getvalue(), nl=False)
        return
    write_text(out, text.getvalue(), StoreError)
    print_body({"output": str(out), "table": table, "rows": rows})
