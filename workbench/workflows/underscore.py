"""Rank the catalog against a text: read it, find candidates, compare them, put ten forward.

    read       what music suits the script, with its production notes and the brief
    find       every track of a small catalog; of a large one those that three searches propose: by the parts of the
               score that are quick to compute for all, by word vectors, and by BM25 over the words that were recognised
    rank       each candidate part by part; those that break a rule of the brief come last
    pick       ten without near duplicates, and why each is there

BM25 and the vector index only propose; the score is the same whichever search found a track.

Functions: `underscore`; `words_query`, the query to the vector index.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.analysis.progress import silent
from workbench.analysis.provenance import make_provenance, with_provenance
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import Track
from workbench.errors import ParameterError
from workbench.matching.brief import BROKEN, Brief, production_notes, read_brief
from workbench.matching.columns import Columns
from workbench.matching.lane import LANE_SIZE, POOL_SIZE, Lane, Match, pick
from workbench.matching.language.embedding import SentenceEmbedding, find_embedding
from workbench.matching.language.lexicon import KINDS, lexicon, strongest
from workbench.matching.script import read_script
from workbench.matching.script_ranking import ScriptWants, nearest, rank, want
from workbench.matching.script_reasons import (
    ScriptReading,
    explanation,
    lane_reasoning,
    lane_title,
    matched_tags,
    reasons,
)
from workbench.matching.texts import names_in
from workbench.params import UnderscoreParams, WorkbenchParams
from workbench.recording import FloatArray, IntArray
from workbench.results.match import lane_body, underscore_result, with_records
from workbench.workflows.catalog import open_catalog

if TYPE_CHECKING:
    from workbench.matching.snapshot import Snapshot

_LEAST_FACET = 0.05  # of a wanted facet; less is not searched for
_SPARE = 4  # times the size of a pool: if fewer tracks keep the rules, all are searched


def underscore(
    workspace: Workspace,
    script: str,
    *,
    snapshot: Snapshot | None = None,
    platform: str | None = None,
    brief: str | None = None,
    use: str | None = None,
    lexicon_only: bool = False,
) -> Lane:
    """Rank the catalog against a spoken text with production notes: ten tracks at most, and their pool.

    The script is data, never instructions; `brief` asks for music in plain words, `platform` says where the video is
    shown, as "tiktok", `use` what the music must be licensed for, see `workbench.matching.brief.USES`. Without a
    `snapshot` the catalog is opened and brought up to date; `lexicon_only` does without the sentence embedding. Raises
    `ParameterError` for an empty script.
    """
    if not script.strip():
        raise ParameterError("the script must say something")
    params = workspace.params
    if snapshot is None:
        snapshot = open_catalog(workspace.with_progress(silent))
    embedding = None if lexicon_only else the_embedding(workspace)
    spoken, notes = production_notes(script)
    asked = read_brief(". ".join(part for part in (brief, notes) if part), use)
    reading = read_script(spoken if spoken.strip() else script, embedding)
    wanted = want(reading, asked, platform, params.underscore)
    recognised = " ".join((*reading.words, asked.text))
    rows = _candidates(wanted, recognised, snapshot, embedding, params.underscore)
    columns = snapshot.columns.take(rows)
    facets, trust = snapshot.texts.counted(rows)
    ranked = rank(wanted, columns, facets, trust, params.underscore)
    ranking = ScriptReading(spoken, reading, wanted, ranked, columns, facets, platform)
    return _lane(ranking, asked, snapshot, rows, params)


def underscore_json(
    workspace: Workspace, lane: Lane, *, platform: str | None, brief: str | None, use: str | None, expand: str | None
) -> dict[str, Any]:
    """The JSON of an underscore as the command line prints it: its body, and beside it the provenance."""
    body = with_records(underscore_result(lane_body(lane, expand == "full", None)).to_json(), lane)
    constraints = {"platform": platform, "brief": brief, "for": use, "expand": expand}
    provenance = make_provenance(workspace, "underscore", ("character",), constraints=constraints)
    return with_provenance(body, provenance)


def the_embedding(workspace: Workspace) -> SentenceEmbedding | None:
    """The sentence embedding of this machine, loaded once per process; None if it is not installed."""
    return find_embedding(workspace.settings)


def _candidates(
    wanted: ScriptWants,
    recognised: str,
    snapshot: Snapshot,
    embedding: SentenceEmbedding | None,
    params: UnderscoreParams,
) -> IntArray:
    """Rows to compare, ascending: all of a small catalog, else what searches propose of those that keep rules."""
    total = len(snapshot.columns)
    if total <= params.max_compared:
        return np.flatnonzero(~snapshot.columns.silent)
    audible = ~snapshot.columns.silent
    allowed = audible & _keep_rules(wanted, snapshot.columns)
    proposed = [_propose(wanted, recognised, snapshot, embedding, params, allowed)]
    if int(np.count_nonzero(allowed)) < _SPARE * POOL_SIZE:
        proposed.append(_propose(wanted, recognised, snapshot, embedding, params, audible))
    return np.unique(np.concatenate(proposed))


def _propose(
    wanted: ScriptWants,
    recognised: str,
    snapshot: Snapshot,
    embedding: SentenceEmbedding | None,
    params: UnderscoreParams,
    allowed: NDArray[np.bool_],
) -> IntArray:
    found = [
        _by_parts(wanted, snapshot, params, allowed),
        snapshot.texts.search(recognised, params.candidates // 4, allowed).rows,
    ]
    if embedding is not None and wanted.vector is not None and snapshot.has_words:
        found.append(snapshot.words_index.search(words_query(wanted, embedding), params.candidates // 4, allowed).rows)
    return np.unique(np.concatenate(found))


def words_query(wanted: ScriptWants, embedding: SentenceEmbedding) -> FloatArray:
    """The query to the vector index for a text that was read by an embedding, shape (384,).

    It is between the text's own vector and that of a description of suitable music, so that one search serves both.
    """
    assert wanted.vector is not None
    indices = (index for kind in KINDS for index in strongest(wanted.facets, (kind,)))
    described = ", ".join(lexicon().music[index] for index in indices)
    return np.asarray(_embedded(embedding, described) + wanted.vector)


def _by_parts(
    wanted: ScriptWants, snapshot: Snapshot, params: UnderscoreParams, allowed: NDArray[np.bool_]
) -> IntArray:
    """Rows of the highest sum of the heaviest parts: what texts name, less the distances in energy, pace and voice."""
    weights = np.array([getattr(params.model, f"{kind}_weight") for kind in lexicon().kinds]) * wanted.facets
    near = snapshot.texts.nearness(np.where(wanted.facets >= _LEAST_FACET, weights, 0.0)).astype(np.float32)
    near[~allowed] = -np.inf
    return nearest(wanted, near, snapshot.columns, params.candidates, params)


def _keep_rules(wanted: ScriptWants, columns: Columns) -> NDArray[np.bool_]:
    """Which tracks break no rule on a number, shape (n,); rules on their texts are judged later."""
    allowed = np.ones(len(columns), dtype=np.bool_)
    for rule in wanted.constraints:
        allowed &= rule.judge_numbers(columns) != BROKEN
    return allowed


@lru_cache(maxsize=1024)
def _embedded(embedding: SentenceEmbedding, words: str) -> FloatArray:
    """The vector of a description; cached, because the descriptions are few and occur again."""
    vector: FloatArray = embedding.embed([words])[0]
    return vector


def _lane(ranking: ScriptReading, brief: Brief, snapshot: Snapshot, rows: IntArray, params: WorkbenchParams) -> Lane:
    @cache
    def artist_of(place: int) -> str | None:
        return snapshot.track(int(rows[place])).artist_name

    standing = ranking.ranked.rules.standing
    pool = pick(ranking.ranked.order, ranking.columns, POOL_SIZE, artist_of, standing)
    tracks = snapshot.tracks(rows[pool])
    matches = {
        int(place): _match(ranking, int(place), track, params) for place, track in zip(pool, tracks, strict=True)
    }
    best = pick(pool, ranking.columns, LANE_SIZE, artist_of, standing)
    return Lane(
        title=lane_title(ranking),
        reasoning=lane_reasoning(ranking, brief, [int(place) for place in best]),
        matches=tuple(matches[int(place)] for place in best),
        candidate_pool=tuple(matches.values()),
    )


def _match(ranking: ScriptReading, place: int, track: Track, params: WorkbenchParams) -> Match:
    names = names_in(track)
    return Match(
        track=track,
        score=float(ranking.ranked.scores[place]),
        reasons=reasons(ranking, place, names, params.underscore),
        matched_tags=matched_tags(ranking, track),
        fit_explanation=explanation(ranking, place, names),
        unmet=ranking.ranked.rules.unmet(place),
        standing=int(ranking.ranked.rules.standing[place]),
    )
