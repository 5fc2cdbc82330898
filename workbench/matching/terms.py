"""The extension point of match terms: one more part of the score of a track under a video.

`MatchParams.terms` names those that are used, each with its weight: `their_module:KeepsItShort=0.2`. A term sees the
facts of the video and the columns of the best candidates, some hundreds at a time, and gives a part from 0 to 1 for
each. It counts in the weighted geometric mean behind our parts, and in the reasons, tables and pictures of a match.
Our own parts alone select the candidates. Rankings are not cached, so a term needs no version. Its tests inherit
`workbench.lab.extension_suites.MatchTermSuite`.

    class KeepsItShort:
        usual = 0.5
        description = "about as long as the video"

        def parts(self, video, columns):
            return np.exp(-abs(np.log2(columns.duration / video.duration)))
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from workbench.errors import ParameterError
from workbench.extensions import MATCH_TERMS, find, is_number, lacking, work_of
from workbench.matching.columns import Columns
from workbench.matching.video_facts import VideoFacts
from workbench.params import MatchParams
from workbench.params.base import named_weights
from workbench.recording import FloatArray


@runtime_checkable
class MatchTerm(Protocol):
    """One more part of a match score."""

    usual: float
    """its value for most pairs, over 0 and at most 1; tracks without a value get this one, which moves no score"""
    description: str
    """what a part of 1 means, in words that follow "it is", such as "about as long as the video" """

    def parts(self, video: VideoFacts, columns: Columns) -> FloatArray:
        """Compare tracks with a video.

        Parameters
        ----------
        video : its length in seconds, cuts, scenes, light, speech
        columns : the tracks, a row each; a number that is not known is NaN

        Returns
        -------
        shape (n_tracks,), 0 to 1; NaN where unknown; a row must not depend on the other rows
        """
        ...


def find_term(name: str) -> MatchTerm:
    """Find a match term by its name; raises `ParameterError` if there is none, or it is no match term."""
    found: MatchTerm = find(MATCH_TERMS, name)
    if not is_number(found.usual) or not 0.0 < found.usual <= 1.0 or not isinstance(found.description, str):
        raise lacking(MATCH_TERMS, name)
    return found


def term_parts(video: VideoFacts, columns: Columns, params: MatchParams) -> dict[str, FloatArray]:
    """The parts of external terms, shape (n,) each, 0 to 1; the usual value where unknown.

    Raises `ParameterError` where a term is not found, fails, or gives parts of another shape or out of range.
    """
    found: dict[str, FloatArray] = {}
    for name, _ in named_weights(params.terms):
        term = find_term(name)
        with work_of(MATCH_TERMS, name):
            given = np.asarray(term.parts(video, columns), dtype=np.float64)
        if given.shape != (len(columns),) or np.any((given < 0.0) | (given > 1.0)):
            raise ParameterError(f"the match term {name} must give {len(columns)} parts from 0 to 1, NaN for unknown")
        found[name] = np.where(np.isnan(given), term.usual, given)
    return found


def usual_parts(params: MatchParams) -> dict[str, float]:
    """Usual value of each part: ours, then those of external terms."""
    return params.usual_parts | {name: float(find_term(name).usual) for name, _ in named_weights(params.terms)}


def description_of(name: str) -> str:
    """The meaning of a part of 1."""
    return find_term(name).description
