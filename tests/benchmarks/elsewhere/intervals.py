"""How sure a mean over material from several sources is: the 90 % interval of `workbench.intervals`."""

from __future__ import annotations

from workbench.intervals import bootstrap_interval as interval

__all__ = ["interval"]
