"""The extension point of section finders: another one in the place of ours.

`SectionParams.finder` names it; see `workbench.extensions` for how it is found. Its sections are those of profiles,
plans, pictures and exports, and the ending is looked for in the last of them. Its name and version are in the cache
keys. One that is tested inherits `workbench.testing.section_finder.SectionFinderSuite`.

    class Halves:
        version = 1

        def sections(self, recording, grid, bars, params):
            n = bars.level_db.size
            return [Section(0, n // 2, "verse", 0), Section(n // 2, n, "chorus", 1)]

Class: `OwnFinder`. Protocol: `SectionFinder`. Functions: `find_finder`, `ask_finder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, runtime_checkable

from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.extensions import SECTION_FINDERS, find, has_version, work_of
from workbench.params import SectionParams
from workbench.recording import Recording
from workbench.structure.sections import LABELS, BarFeatures, Section, find_sections


@runtime_checkable
class SectionFinder(Protocol):
    """Cuts a recording into sections of whole bars."""

    version: int
    """of its answers, from 1; raised when they change, so that no sections of an older one are read"""

    def sections(
        self, recording: Recording, grid: BeatGrid, bars: BarFeatures, params: SectionParams
    ) -> Sequence[Section]:
        """Find the sections.

        Parameters
        ----------
        recording : samples of shape (channels, n), float32, full scale 1.0
        grid : its beats; bar k begins at `grid.downbeats[k]`, in seconds
        bars : what each bar sounds like, a row a bar; at least two
        params : the usual length, and whatever else it can use

        Returns
        -------
        in order, holding every bar once; labels are of `workbench.structure.sections.LABELS`, and sections of one group
            repeat each other
        """
        ...


class OwnFinder:
    """The section finder of this package: `workbench.structure.sections`."""

    version = 1

    def sections(
        self, recording: Recording, grid: BeatGrid, bars: BarFeatures, params: SectionParams
    ) -> Sequence[Section]:
        """Find the sections; it reads `bars` alone."""
        return find_sections(bars, params)


def find_finder(name: str) -> SectionFinder:
    """Find a section finder by the name in `SectionParams.finder`; ParameterError where there is none."""
    found = find(SECTION_FINDERS, name)
    if not isinstance(found, SectionFinder) or not has_version(found):
        raise ParameterError(
            f"{name} is no section finder: it needs a version, from 1, and sections(recording, grid, bars, params)"
        )
    return found


def ask_finder(
    recording: Recording, grid: BeatGrid, bars: BarFeatures, params: SectionParams | None = None
) -> tuple[Section, ...]:
    """Sections by the finder that the parameters name, in order, which together hold every bar once.

    ParameterError where the finder fails, or its sections leave out a bar or have another label.
    """
    params = params or SectionParams()
    if bars.level_db.size == 0:
        return ()
    finder = find_finder(params.finder)
    with work_of(SECTION_FINDERS, params.finder):
        found = tuple(
            Section(int(one.first_bar), int(one.last_bar), one.label, int(one.group))
            for one in finder.sections(recording, grid, bars, params)
        )
    _check(found, bars.level_db.size, f"the section finder {params.finder}")
    return found


def _check(found: Sequence[Section], n_bars: int, by: str) -> None:
    for one in found:
        if one.label not in LABELS:
            raise ParameterError(f"{by} called a section {one.label}; labels are {', '.join(LABELS)}")
        if one.group < 0 or one.first_bar >= one.last_bar:
            raise ParameterError(f"{by} gave a section from bar {one.first_bar} to {one.last_bar}, group {one.group}")
    borders = [(0, 0), *((one.first_bar, one.last_bar) for one in found), (n_bars, n_bars)]
    for (_, end), (start, _) in pairwise(borders):
        if end != start:
            raise ParameterError(f"{by} must hold each of {n_bars} bars once; after bar {end} it goes on at {start}")
