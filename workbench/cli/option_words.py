"""Constraints and arguments as the command line takes them: `--pin-seam 1:32-0:48`, `--track FILE`.

Functions: `in_options`, `error_in_options`; `refusal_in_options`, with the commands that help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.errors import Argument, Sentence, WorkbenchError, plain_seconds
from workbench.plans.refusals import Refusal, RefusalReason

if TYPE_CHECKING:
    from workbench.plans.constraints import Constraint

_OPTIONS = {
    "never_cut": "--never-cut", "forbidden": "--forbid-seam", "pinned": "--pin-seam", "excluded": "--exclude",
    "keep": "--keep", "start_at": "--start-at", "end_on": "--end-on", "hit": "--hit",
}  # fmt: skip
"""by kind of constraint"""
_ARGUMENTS = {
    "track": "--track FILE", "video": "--video FILE", "length": "--length S", "projects": "--project NAME",
    "placement": "--placement N", "keep_ending=True": "--keep-ending", "keep_ending=False": "--no-keep-ending",
}  # fmt: skip
"""options that take more than the name and the value of their argument"""


def in_options(sentence: Sentence) -> str:
    """The text of a sentence, with constraints and arguments written as command-line options."""
    return "".join(map(_in_options, sentence.parts))


def _in_options(part: str | Constraint | Argument) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Argument):
        option = f"--{part.name.replace('_', '-')} {part.value}".rstrip()
        return _ARGUMENTS.get(str(part), option)
    return f"{_OPTIONS[part.kind]} {part.what}"


def error_in_options(error: WorkbenchError) -> str:
    """The text of an error; constraints and arguments in it are called by their options."""
    return in_options(error.sentence)


def refusal_in_options(refusal: Refusal) -> str:
    """Why there is no plan, and the commands that help."""
    said = [in_options(refusal.sentence)]
    match refusal.reason:
        case RefusalReason.VIDEO_NOT_LONGER if refusal.video_seconds is not None:
            seconds = plain_seconds(refusal.video_seconds)
            said.append(f"`workbench fit TRACK --seconds {seconds}` makes music of exactly that length from it.")
        case RefusalReason.LOW_CONFIDENCE:
            said.append(
                "`workbench beats TRACK --tempo BPM` looks for the bars at a tempo that you know, `--grid FILE` takes "
                "your own, `--confirm` says that the detected ones are right, and `workbench dashboard` opens a page "
                "to correct them on."
            )
        case RefusalReason.AUDIO_UNAVAILABLE:
            said.append("Check that the file is where the catalog says.")
    if refusal.best_splice is not None:
        leave, enter = refusal.best_splice.in_words.split("-")
        said.append(
            f"To listen to its best splice back, which scores {refusal.best_score:.2f}: `workbench splice TRACK "
            f"{leave} {enter} --out FILE.wav`; `--pin-seam {leave}-{enter}` plays it all the same."
        )
    if refusal.restart is not None:
        said.append(f"With `--pin-seam {refusal.restart.in_words}` the track ends and begins again from its head.")
    return " ".join(said)
