"""How a catalog is added to, indexed and searched, and which tracks of a ranking are put forward."""

from __future__ import annotations

from pydantic import Field

from workbench.params.base import Params


class CatalogParams(Params):
    """How a catalog is added to, indexed and searched."""

    batch_seconds: float = Field(
        default=0.5, ge=0.0, le=10.0, description="s for which finished tracks are gathered into one transaction"
    )
    max_batch_tracks: int = Field(default=500, ge=1, le=10_000, description="tracks of one transaction at most")
    max_exact_rows: int = Field(
        default=200_000,
        ge=0,
        le=10_000_000,
        description="tracks up to which all word vectors are compared, without an index",
    )
    max_scan_rows: int = Field(
        default=20_000,
        ge=0,
        le=1_000_000,
        description="tracks that a filter leaves, from where on they are all compared",
    )
    cells: int = Field(default=2048, ge=1, le=65_536, description="cells of an inverted file; twice the root of 10^6")
    cells_searched: int = Field(default=64, ge=1, le=4096, description="cells that are searched; recall grows with it")
    training_vectors: int = Field(default=40, ge=8, le=256, description="vectors a cell that k-means sees")
    training_rounds: int = Field(default=10, ge=1, le=50, description="rounds of k-means")
    rerank_factor: int = Field(default=4, ge=1, le=100, description="candidates a wanted row that are ranked exactly")
    min_rerank: int = Field(default=400, ge=1, le=100_000, description="candidates that are ranked exactly at least")
    build_rows: int = Field(default=50_000, ge=1000, le=1_000_000, description="rows held in memory while building")
    max_stale_share: float = Field(
        default=0.05, ge=0.0, le=1.0, description="share of tracks an index may not know before it is made again"
    )


class LaneParams(Params):
    """Which tracks of a ranking are put forward."""

    same_sound: float = Field(
        default=0.9995, ge=0.9, le=1.0, description="cosine of sound vectors from where on two tracks are one recording"
    )
    same_artist_sound: float = Field(
        default=0.97, ge=0.5, le=1.0, description="the same where both are of one artist: versions, or an album's sound"
    )
