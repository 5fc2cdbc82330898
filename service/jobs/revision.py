"""The revision of the analysis: one digest of everything that decides what it answers.

Versions of all stages, the plan version, every parameter, the learned weights and the package's own version. HTTP
processes, which import no analysis code, read it from the database, where job processes write it when they start.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import version


def analysis_revision() -> str:
    """Digest of what this process would answer with; 32 hex digits."""
    from workbench.beats.weights import learned_digest
    from workbench.loops.plan import PLAN_VERSION
    from workbench.params import WorkbenchParams
    from workbench.store.fingerprint import canonical_json
    from workbench.workflows.align import LANDMARKS_VERSION
    from workbench.workflows.analyze import BEATS_VERSION, LOOPS_VERSION
    from workbench.workflows.describe import CHARACTER_VERSION
    from workbench.workflows.match import PLACEMENTS_VERSION
    from workbench.workflows.watch import PICTURE_VERSION, SOUNDTRACK_VERSION

    params = WorkbenchParams()
    parts = (
        version("barline-workbench"),
        f"beats {BEATS_VERSION} loops {LOOPS_VERSION} landmarks {LANDMARKS_VERSION} plan {PLAN_VERSION}",
        f"picture {PICTURE_VERSION} soundtrack {SOUNDTRACK_VERSION}",
        f"character {CHARACTER_VERSION} placements {PLACEMENTS_VERSION}",
        learned_digest(params.beats.activation),
        canonical_json(params),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
