"""Provenance: what a result was made from, so that it can be made again.

The command line, notebooks and the dashboard write it into every result, as the key `provenance` beside `plan`; what
the service answers has no such key. Files are named by their name and by the SHA-256 of their bytes, never by a folder.

    command       the command whose result it is, and `constraints`, its options that were not left at their defaults
    program       name and version, with the versions of the stages that the result was computed by
    parameters    those that differ from the defaults, and a digest of the defaults
    files         track and video
    grid          revision of the track's beat grid, and whether it was detected or given by a person

`workbench.workflows.provenance` makes it; `read_provenance` reads it back.

Classes: `Provenance`, `FileRecord`, `GridRecord`. Functions: `read_provenance`, `with_provenance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from workbench.errors import PlanError

KEY = "provenance"  # the key of a result that holds it
AUDIO = "audio"  # the constraint of a result for which sound streams of the video were chosen
# The constraint of a plan whose crossfades were set, or whose options were reordered, by hand
CHANGED_BY_HAND = "changed_by_hand"
DRAWN_ENVELOPE = "envelope_points"  # the constraint of a mix with a drawn ducking envelope: its points

# Loop points that the track's file carries, and whether the plan repeats them; no option of a command
FILE_LOOP = "file_loop"


class _Record(BaseModel):
    """Frozen; fields that a later program adds are ignored when it is read."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False, extra="ignore")


class FileRecord(_Record):
    """A file that a result was made from."""

    name: str  # without folders
    content_hash: str | None = None  # SHA-256 of its bytes, hex; None if they could not be read


class GridRecord(_Record):
    """The beat grid that a plan was made on."""

    origin: Literal["heard", "given"]  # `heard`: by the tracker; `given`: corrected, confirmed or provided by a person
    revision: str  # digest of the grid: equal grids, equal revisions
    note: str | None = None  # on a given grid, in the words of who gave it


class Provenance(_Record):
    """What one result was made from. A field that does not apply is None."""

    command: str  # such as `loop`
    program: str
    version: str
    stages: Mapping[str, int]  # version of each stage that the result was computed by
    params: Mapping[str, JsonValue]  # parameters that differ from the defaults, as in a profile
    defaults: str  # digest of the default parameters
    constraints: Mapping[str, JsonValue]  # options of the command that were not left at their defaults, by name
    track: FileRecord | None = None
    video: FileRecord | None = None
    grid: GridRecord | None = None

    @property
    def on_detected_grid(self) -> bool:
        """Whether it was made on the tracker's grid, not on one that a person gave."""
        return self.grid is not None and self.grid.origin == "heard"

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON writer, without what does not apply."""
        return self.model_dump(mode="json", exclude_unset=True)

    def with_constraint(self, name: str, value: JsonValue) -> Provenance:
        """The same provenance with one constraint set; None removes it."""
        others = {key: given for key, given in self.constraints.items() if key != name}
        return self.model_copy(update={"constraints": others if value is None else {**others, name: value}})


def read_provenance(result: Mapping[str, Any]) -> Provenance | None:
    """Read the provenance of a result; None for a result without one, as the service answers it.

    Raises `PlanError` if what stands under the key is no provenance.
    """
    given = result.get(KEY)
    if given is None:
        return None
    try:
        return Provenance.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in (KEY, *first["loc"]))
        raise PlanError(f"not a provenance: {where}: {first['msg']}") from error


def with_provenance(body: Mapping[str, Any], provenance: Provenance | None) -> dict[str, Any]:
    """Add the provenance, if any, to the JSON of a result."""
    return dict(body) if provenance is None else {**body, KEY: provenance.to_json()}
