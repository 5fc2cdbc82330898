"""Cover a long video with a short track: whole-bar loops with inaudible seams.

The names that a notebook needs; each is loaded on its first use, so that `import workbench` costs next to nothing.

>>> import workbench as wb
>>> workspace = wb.open()                                              # doctest: +SKIP
>>> analysis = wb.analyze(workspace, "track.flac")                     # doctest: +SKIP
>>> plan = wb.plan_loop(analysis.profile, video_seconds=300.0)         # doctest: +SKIP
>>> recording = workspace.load_recording("track.flac")                 # doctest: +SKIP
>>> wb.render_audio(wb.Playback(plan, recording), "music.wav")         # doctest: +SKIP

Everything else is imported from its module: `workbench.seams.seam_score`, `workbench.beats.track` and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.analysis.protocols import track_beats as track_beats
    from workbench.analysis.track import Analysis as Analysis
    from workbench.analysis.track import analyze as analyze
    from workbench.analysis.workspace import Workspace as Workspace
    from workbench.analysis.workspace import open as open
    from workbench.beats.grid import BeatGrid as BeatGrid
    from workbench.errors import WorkbenchError as WorkbenchError
    from workbench.files import bundled_path as bundled_path
    from workbench.lab import datasets as datasets
    from workbench.lab import widgets as widgets
    from workbench.lab.batch import batch as batch
    from workbench.lab.compare import Comparison as Comparison
    from workbench.lab.compare import compare as compare
    from workbench.lab.datasets import Dataset as Dataset
    from workbench.lab.evaluate import evaluate as evaluate
    from workbench.lab.sweep import SweepPlan as SweepPlan
    from workbench.lab.sweep import read_axis as read_axis
    from workbench.lab.sweep import read_sweep as read_sweep
    from workbench.lab.sweep import sweep as sweep
    from workbench.lab.winners import sweep_table as sweep_table
    from workbench.lab.winners import winner as winner
    from workbench.media.audio import decode as decode
    from workbench.media.audio import write_audio as write_audio
    from workbench.params import WorkbenchParams as WorkbenchParams
    from workbench.params.described import params as params
    from workbench.plans.conform import conform_plan as conform_plan
    from workbench.plans.constraints import NamedSplice as NamedSplice
    from workbench.plans.constraints import SeamConstraints as SeamConstraints
    from workbench.plans.constraints import TrackRange as TrackRange
    from workbench.plans.fit import plan_fit as plan_fit
    from workbench.plans.loop import plan_loop as plan_loop
    from workbench.plans.plan import LoopPlan as LoopPlan
    from workbench.plans.plan import LoopSegment as LoopSegment
    from workbench.plans.refusals import Refusal as Refusal
    from workbench.plans.request import Keep as Keep
    from workbench.plans.request import KeptPart as KeptPart
    from workbench.plans.request import PlanRequest as PlanRequest
    from workbench.plots.beats import beats_figure as beats_figure
    from workbench.plots.conform import conform_figure as conform_figure
    from workbench.plots.plan import plan_figure as plan_figure
    from workbench.plots.seams import seam_figure as seam_figure
    from workbench.plots.sweep import sweep_figure as sweep_figure
    from workbench.recording import Recording as Recording
    from workbench.render.clicks import with_clicks as with_clicks
    from workbench.render.video import Playback as Playback
    from workbench.render.video import render_audio as render_audio
    from workbench.render.video import render_video as render_video
    from workbench.seams.profile import LoopProfile as LoopProfile
    from workbench.seams.seam_score import seam_evidence as seam_evidence
    from workbench.store.home import Home as Home
    from workbench.store.profiles import load_profile as load_profile
    from workbench.store.profiles import save_profile as save_profile
    from workbench.store.settings import load_settings as load_settings
    from workbench.workflows.beats import keep_grid as keep_grid
    from workbench.workflows.beats import map_beats as map_beats
    from workbench.workflows.conform import ConformRequest as ConformRequest
    from workbench.workflows.conform import conform as conform
    from workbench.workflows.plan import plan_lengths as plan_lengths
    from workbench.workflows.plan import plan_track as plan_track
    from workbench.workflows.plan import save_plan as save_plan
    from workbench.workflows.seams import seam_views as seam_views
    from workbench.workflows.splice import PlanPreview as PlanPreview
    from workbench.workflows.splice import SplicePreview as SplicePreview
    from workbench.workflows.splice import plan_of as plan_of
    from workbench.workflows.splice import preview_plan as preview_plan
    from workbench.workflows.splice import splice as splice

_HOMES = {
    "Analysis": "analysis.track",
    "BeatGrid": "beats.grid",
    "Comparison": "lab.compare",
    "ConformRequest": "workflows.conform",
    "Dataset": "lab.datasets",
    "Home": "store.home",
    "Keep": "plans.request",
    "KeptPart": "plans.request",
    "LoopPlan": "plans.plan",
    "LoopProfile": "seams.profile",
    "LoopSegment": "plans.plan",
    "NamedSplice": "plans.constraints",
    "Recording": "recording",
    "Playback": "render.video",
    "PlanPreview": "workflows.splice",
    "PlanRequest": "plans.request",
    "Refusal": "plans.refusals",
    "SeamConstraints": "plans.constraints",
    "SplicePreview": "workflows.splice",
    "SweepPlan": "lab.sweep",
    "TrackRange": "plans.constraints",
    "WorkbenchError": "errors",
    "WorkbenchParams": "params",
    "Workspace": "analysis.workspace",
    "analyze": "analysis.track",
    "batch": "lab.batch",
    "beats_figure": "plots.beats",
    "bundled_path": "files",
    "compare": "lab.compare",
    "conform": "workflows.conform",
    "conform_figure": "plots.conform",
    "conform_plan": "plans.conform",
    "datasets": "lab",
    "decode": "media.audio",
    "evaluate": "lab.evaluate",
    "keep_grid": "workflows.beats",
    "load_profile": "store.profiles",
    "load_settings": "store.settings",
    "map_beats": "workflows.beats",
    "open": "analysis.workspace",
    "params": "params.described",
    "plan_figure": "plots.plan",
    "plan_fit": "plans.fit",
    "plan_lengths": "workflows.plan",
    "plan_loop": "plans.loop",
    "plan_of": "workflows.splice",
    "plan_track": "workflows.plan",
    "preview_plan": "workflows.splice",
    "read_axis": "lab.sweep",
    "read_sweep": "lab.sweep",
    "render_audio": "render.video",
    "render_video": "render.video",
    "save_plan": "workflows.plan",
    "save_profile": "store.profiles",
    "seam_evidence": "seams.seam_score",
    "seam_figure": "plots.seams",
    "seam_views": "workflows.seams",
    "splice": "workflows.splice",
    "sweep": "lab.sweep",
    "sweep_figure": "plots.sweep",
    "sweep_table": "lab.winners",
    "track_beats": "analysis.protocols",
    "widgets": "lab",
    "winner": "lab.winners",
    "with_clicks": "render.clicks",
    "write_audio": "media.audio",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a name on its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = import_module(f"{__name__}.{_HOMES[name]}")
    if name not in globals():  # `params` is a package of ours, which is there now and is called like a function
        # a module is no attribute of its package before it is imported
        globals()[name] = getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")
    return globals()[name]


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted(__all__)
