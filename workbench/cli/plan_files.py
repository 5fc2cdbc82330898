"""Plans that a command is given: a file that `workbench loop` printed, or standard input for `-`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.loops.plan import LoopPlan
    from workbench.results.mix import MixBody


def read_plan(file: Path) -> tuple[LoopPlan, MixBody | None]:
    """The plan of a file, and the mix that was made for it, if any.

    Raises
    ------
    InputError : the file cannot be read
    PlanError : it holds no plan, or one that breaks a rule; names the file
    """
    from workbench.errors import InputError, PlanError
    from workbench.results.loop import mix_from_json, plan_from_json

    named = "standard input" if str(file) == "-" else str(file)
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = data.decode("utf-8-sig")
        return plan_from_json(text), mix_from_json(text)
    except OSError as error:
        raise InputError(f"{named}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise PlanError(f"{named}: this is not a plan, nor text at all") from None
    except PlanError as error:
        raise PlanError(f"{named}: {error}") from None
