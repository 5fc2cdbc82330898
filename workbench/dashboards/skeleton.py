"""What stands where a picture is being made: its outline in grey, and how far it is."""

from __future__ import annotations

from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from workbench.dashboards.styles import script, stylesheet


class Skeleton(JSComponent):
    """A placeholder while work runs: lanes in grey, and a bar with its progress."""

    lanes = param.List([1, 1, 2, 1], doc="heights of the lanes, as shares")
    words = param.String("", doc="what is coming; empty where it is said elsewhere")
    done = param.Number(0.0, doc="share of the work, 0 to 1; 0 where that is not known")

    _esm = script("skeleton")
    _stylesheets: ClassVar[list[Any]] = [stylesheet("skeleton")]
