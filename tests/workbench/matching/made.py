"""Videos as facts and catalogs of columns, from numbers of any kind."""

from __future__ import annotations

from collections.abc import Callable

from workbench.lab import extension_suites
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts

make_video: Callable[..., VideoFacts] = extension_suites.make_video
make_columns: Callable[..., Columns] = extension_suites.make_columns
