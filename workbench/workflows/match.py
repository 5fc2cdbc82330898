"""Rank the catalog against a video: analyse it, compare every track, place the best fifty, put ten forward.

    watch     picture and sound of the video, from the store or measured now; the brief, read
    rank      all tracks of the catalog by single numbers, the best few hundred by contour and bars
    place     the best fifty under the video's events, from the store or found now
    pick      ten without near duplicates, and why each is there

Placements are stored for each pair (`workbench.analysis.placements`). Landmarks were stored when the track was added;
if they were deleted they are found again, and a track whose file cannot be read for that is ranked with the usual sync
part.

Functions: `match` for all of it; `rank_video` for the first two steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.align.placements import CHANCE_SCORE, NO_CLEAR_POINT
from workbench.analysis.grids import corrected_revisions
from workbench.analysis.placements import Placements, pair_placements
from workbench.analysis.progress import silent
from workbench.analysis.provenance import make_provenance, with_provenance
from workbench.analysis.sources import VideoSource
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.catalog.track import Track
from workbench.matching.brief import read_brief
from workbench.matching.lane import LANE_SIZE, POOL_SIZE, Lane, Match, pick
from workbench.matching.video_facts import VideoFacts, video_facts
from workbench.matching.video_ranking import AskedMusic, Ranking, bonus, params_for, rank, raw_scores, scores_of
from workbench.matching.video_reasons import RankedPair, explanation, fitting_tags, lane_reasoning, lane_title, reasons
from workbench.params import MatchParams
from workbench.recording import FloatArray, IntArray
from workbench.results.match import lane_body, match_result, with_records
from workbench.video.analysis import VideoAnalysis
from workbench.video.events import find_events
from workbench.workflows.catalog import open_catalog

if TYPE_CHECKING:
    from workbench.matching.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class RankedCatalog:
    """A catalog ranked against a video."""

    watched: VideoAnalysis
    facts: VideoFacts
    snapshot: Snapshot  # of the catalog that was ranked
    ranking: Ranking


def match(workspace: Workspace, video: Path | str, brief: str | None = None, use: str | None = None) -> Lane:
    """Rank the catalog against a video: ten tracks at most, best first, and the pool they were picked from.

    Placements count in the score, and the matches hold them. `brief` asks for music in plain words (data, never
    instructions), and comes before what is seen; `use` is what it must be licensed for, see
    `workbench.matching.brief.USES`.
    """
    return place_ranked(workspace, rank_video(workspace, video, brief, use))


def place_ranked(workspace: Workspace, ranked: RankedCatalog) -> Lane:
    """Place the best tracks of a ranking under its video, and put ten forward."""
    facts, ranking, snapshot = ranked.facts, ranked.ranking, ranked.snapshot
    params = params_for(ranking.wanted, workspace.params.match)
    pool = _pick(ranking, snapshot, np.arange(ranking.rows.size), POOL_SIZE)
    tracks = snapshot.tracks(ranking.rows[pool])
    placements = _place_all(workspace, ranked.watched, tracks)
    raw = _with_sync(ranking, pool, placements, params)
    order = np.lexsort((ranking.columns.track_ids[pool].astype(str), -raw, -ranking.rules.standing[pool]))
    scores = scores_of(raw, params)
    matches = {int(pool[k]): _match(ranked, int(pool[k]), tracks[k], placements[k], scores[k], params) for k in order}
    best = _pick(ranking, snapshot, pool[order], LANE_SIZE)
    first = matches[int(best[0])].score if best.size else None
    return Lane(
        title=lane_title(facts, ranking.wanted),
        reasoning=lane_reasoning(facts, ranking.wanted, len(snapshot), len(tracks), first, ranking.rules.take(best)),
        matches=tuple(matches[int(row)] for row in best),
        candidate_pool=tuple(matches.values()),
    )


def match_json(
    workspace: Workspace,
    lane: Lane,
    video: VideoSource,
    *,
    brief: str | None = None,
    use: str | None = None,
    sync_points: int | None = None,
    expand_full: bool = False,
) -> dict[str, Any]:
    """The JSON of a match as the command line prints it: its body, and beside it the provenance.

    `sync_points` says how many placements each track shows (None: none); `expand_full` shows all fields of tracks, and
    the candidate pool.
    """
    body = match_result(lane_body(lane, expand_full, sync_points), video_id=video.video_id)
    stages = ("beats", "loops", "landmarks", "picture", "soundtrack", "character", "placements")
    constraints = {"brief": brief, "for": use, "sync_points": sync_points, "expand": "full" if expand_full else None}
    provenance = make_provenance(workspace, "match", stages, video=video.path, constraints=constraints)
    return with_provenance(with_records(body.to_json(), lane), provenance)


def unclear_line(lane: Lane) -> str | None:
    """A note on tracks whose placements are no better than chance; None if there are no such tracks."""
    unclear = [
        found.track.called for found in lane.matches if not found.sync or found.sync[0].in_words == NO_CLEAR_POINT
    ]
    return f"{NO_CLEAR_POINT}, every placement under {CHANCE_SCORE:g}: {', '.join(unclear)}" if unclear else None


def rank_video(
    workspace: Workspace, video: Path | str, brief: str | None = None, use: str | None = None
) -> RankedCatalog:
    """Rank the catalog against a video, a brief and what the music is for, before tracks are placed."""
    watched = analyze_video(workspace, video)
    facts = video_facts(watched)
    snapshot = open_catalog(workspace)
    workspace.progress("ranking the catalog", 0.0)
    is_asked = use is not None or (brief is not None and brief.strip())
    asked = AskedMusic(read_brief(brief or "", use), snapshot.texts) if is_asked else None
    params = workspace.params.match
    ranking = rank(facts, snapshot.columns, params.candidates, params, asked)
    workspace.progress("ranking the catalog", 1.0)
    return RankedCatalog(watched, facts, snapshot, ranking)


def _pick(ranking: Ranking, snapshot: Snapshot, order: IntArray, count: int) -> IntArray:
    """Places in the ranking that are put forward."""

    @cache
    def artist_of(place: int) -> str | None:
        return snapshot.track(int(ranking.rows[place])).artist_name

    return pick(order, ranking.columns, count, artist_of, ranking.rules.standing)


def _with_sync(
    ranking: Ranking, pool: IntArray, placements: Sequence[Placements | None], params: MatchParams
) -> FloatArray:
    """Raw scores of the pool with the sync part, shape (n,)."""
    raw = ranking.raw[pool]
    usual = params.model.usual_sync
    sync = np.array([usual if found is None else _sync_part(found) for found in placements], dtype=np.float64)
    parts = {name: part[pool] for name, part in ranking.parts.items()} | {"sync": sync}
    return raw_scores(parts, params) if pool.size else raw


def _sync_part(found: Placements) -> float:
    """The sync part of placements; a best placement that chance alone would give counts as none."""
    landed = found[0].score if found and found[0].score >= CHANCE_SCORE else 0.0
    return float(bonus(np.array(landed)))


def _match(
    ranked: RankedCatalog,
    place_in_ranking: int,
    track: Track,
    placements: Placements | None,
    score: float,
    params: MatchParams,
) -> Match:
    """A track with its score and reasons."""
    ranking = ranked.ranking
    parts = {name: float(part[place_in_ranking]) for name, part in ranking.parts.items()}
    if placements is not None:
        parts["sync"] = _sync_part(placements)
    row = ranking.columns.take(np.array([place_in_ranking]))
    rules = ranking.rules.take(np.array([place_in_ranking]))
    pair = RankedPair(ranked.facts, ranking.wanted, row, track, parts, placements, rules)
    return Match(
        track=track,
        score=float(score),
        reasons=reasons(pair, params),
        matched_tags=fitting_tags(track, ranking.wanted, params),
        fit_explanation=explanation(pair, params),
        sync=placements,
        sync_status="cold" if placements is None else "warm",
        unmet=rules.unmet(0),
        standing=int(rules.standing[0]),
    )


def _place_all(workspace: Workspace, watched: VideoAnalysis, tracks: Sequence[Track]) -> list[Placements | None]:
    """Placements of each track; None where its file cannot be read."""
    progress = workspace.progress
    # Found when the first track asks, for placements that are all stored need none.
    events = cache(partial(find_events, watched.picture, watched.soundtrack, workspace.params.events))
    corrected = corrected_revisions(workspace, [track.content_hash for track in tracks])
    stage, found = "trying where the best tracks land", []
    for number, track in enumerate(tracks):
        progress(stage, number / len(tracks))
        correction = corrected.get(track.content_hash, "")
        found.append(pair_placements(workspace.with_progress(silent), watched.content_hash, events, track, correction))
    progress(stage, 1.0)
    return found
