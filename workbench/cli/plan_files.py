"""Reading the plan or placement that a command plays: a file that `workbench loop`, `align` or `match` printed, or
standard input for `-`.

Functions: `read_plan` for a plan; `read_music` for a plan or a placement.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.loops.plan import LoopPlan
    from workbench.results.align import SyncPointBody
    from workbench.results.mix import MixBody
    from workbench.workflows.tracks import TrackSource


def read_plan(file: Path) -> tuple[LoopPlan, MixBody | None]:
    """Read a plan and its mix from a file.

    Parameters
    ----------
    file : JSON in UTF-8, as `workbench loop` prints it; `-` is standard input

    Returns
    -------
    the plan, and the mix that was planned with it, None where there is none

    Raises
    ------
    InputError : the file cannot be read
    PlanError : it holds no plan, or one that breaks a rule; names the file
    """
    from workbench.results.loop import mix_from_json, plan_from_json

    with _naming(file):
        given = _read(file)
        return plan_from_json(given), mix_from_json(given)


def read_music(file: Path, track: TrackSource, number: int | None) -> tuple[LoopPlan | SyncPointBody, MixBody | None]:
    """Read a plan, or a placement of a track, and its mix from a file.

    Parameters
    ----------
    file : a plan, or the result of `workbench align` or `match`, JSON in UTF-8; `-` is standard input
    track : whose placements are taken from a result
    number : of the placement, 1 is the best; None: the best. Must be None for a plan

    Returns
    -------
    the plan or the placement, and the mix that was planned with it, None where there is none

    Raises
    ------
    InputError : the file cannot be read
    PlanError : it holds neither, or no such placement; names the file
    """
    from workbench.errors import PlanError
    from workbench.results.loop import mix_from_json, plan_from_json
    from workbench.results.placements import has_placements, placements_of

    with _naming(file):
        given = _read(file)
        if not has_placements(given):
            plan = plan_from_json(given)
            if number is not None:
                raise PlanError("a plan has no placements; leave --placement out")
            return plan, mix_from_json(given)
        points = placements_of(given, track.track_id, lambda: _audio_id(track))
        if number is not None and number > len(points):
            raise PlanError(f"there is no placement {number} in this result; it has {len(points)}, 1 is the best")
        return points[(number or 1) - 1], mix_from_json(given)


def _read(file: Path) -> Mapping[str, Any]:
    from workbench.results.loop import parse_result

    return parse_result((sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()).decode("utf-8-sig"))


def _audio_id(track: TrackSource) -> str:
    from workbench.catalog.track import audio_id
    from workbench.media.containers import hash_file

    return audio_id(hash_file(track.path))


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Name the file in every error of the block."""
    from workbench.errors import InputError, PlanError

    named = "standard input" if str(file) == "-" else str(file)
    try:
        yield
    except OSError as error:
        raise InputError(f"{named}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise PlanError(f"{named}: this is not a plan, nor text at all") from None
    except PlanError as error:
        raise PlanError(f"{named}: {error}") from None
