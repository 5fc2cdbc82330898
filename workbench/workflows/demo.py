"""The main job from start to finish, on the bundled catalog and a clip that is drawn on the spot.

The clip is drawn once and kept in the home folder, then watched: one pass finds its shots, moments, speech and levels,
which everything after it reads from the store. The bundled songs are added to the catalog and analysed; each is
planned under the clip; the one whose plan scores best is looped with the clip's voice in mind and rendered into a film;
its seams are drawn and the report is written.

How the track is chosen: of all songs that can cover the clip, the one with the highest `plan_score`, which says how
well a song loops (seams, freshness, ending), and nothing of how well it suits the picture. The report says so.

A second run finds everything made from the same plan, clip and song, and makes nothing again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.bundled import bundled_path
from workbench.catalog.track import Track
from workbench.errors import ParameterError, StoreError
from workbench.export.page import Page, Section, Table
from workbench.home import Home
from workbench.loops.plan import LoopPlan
from workbench.loops.refusals import Refusal
from workbench.media.audio import decode, write_audio
from workbench.media.containers import hash_file
from workbench.params import WorkbenchParams
from workbench.plots.palette import clock
from workbench.recording import Recording
from workbench.render.levels import SoundLevels, heard_levels
from workbench.video.footage import Footage
from workbench.workflows.library import add_tracks, bundled_files
from workbench.workflows.loop import Loop, Song, loop_track
from workbench.workflows.progress import Progress, silent
from workbench.workflows.report import (
    ShownSeam,
    film_section,
    mix_section,
    plan_section,
    plan_sentence,
    seams_section,
    show_seams,
    write_page,
)
from workbench.workflows.timeline import film_timeline
from workbench.workflows.watch import watch

CLIP_SECONDS = 300.0
_CLIP_VERSION = 1
"""Raise it when the film is drawn differently."""
_PAGE_VERSION = 2
"""Raise it when the demo writes something else from the same plan."""
_MADE = ".made.json"


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo made."""

    folder: Path
    film: Path
    report: Path
    footage: Footage
    """what was found in the clip"""
    levels: SoundLevels
    """of the film as written"""
    loop: Loop
    candidates: tuple[Loop, ...]
    """every bundled song under the clip, best first, refusals last"""
    again: bool
    """whether everything was there already"""


def run_demo(
    home: Home,
    params: WorkbenchParams | None = None,
    seconds: float = CLIP_SECONDS,
    progress: Progress = silent,
) -> Demo:
    """Do the whole job and write it to the home's `demo` folder.

    Parameters
    ----------
    home : holds clip, catalog, analysis and result
    params : all parameters
    seconds : length of the clip; a shorter one is the beginning of the full one
    progress : told what is being done

    Raises
    ------
    ParameterError : no bundled song can cover a clip of that length
    StoreError : the home folder cannot be used
    """
    params = params or WorkbenchParams()
    clip = demo_clip(home, seconds, progress)
    footage = watch(clip, home, params, progress)  # first: one pass finds what planning, mix and report need
    tracks = _tracks(home, params, progress)
    candidates = rank([loop_track(_song(track), footage.duration, home, params) for track in tracks])
    best = candidates[0] if candidates else None
    if best is None or isinstance(best.answer, Refusal):
        raise ParameterError(
            f"no bundled song can cover a clip of {seconds:g} s; the shortest needs 30 s more than its own length"
        )
    loop = loop_track(best.song, clip, home, params, auto_mix=True, progress=progress)
    folder = home.prepared(home.demo)
    film, report = folder / "film.mp4", folder / "report.html"
    fingerprint = _fingerprint(loop, clip, candidates)
    again = _is_made(folder, fingerprint)
    if not again:
        made = _make(loop, clip, candidates, home, params, progress)
        (folder / _MADE).write_text(json.dumps({"fingerprint": fingerprint, "files": made}), encoding="utf-8")
    return Demo(folder, film, report, footage, heard_levels(film), loop, tuple(candidates), again)


def rank(loops: Sequence[Loop]) -> list[Loop]:
    """Best plan first, refusals last; equal ones by their id."""

    def place(loop: Loop) -> tuple[float, str]:
        return (-loop.answer.plan_score if isinstance(loop.answer, LoopPlan) else 1.0, loop.song.track_id)

    return sorted(loops, key=place)


def demo_clip(home: Home, seconds: float = CLIP_SECONDS, progress: Progress = silent) -> Path:
    """The film of the demo, drawn unless it is there."""
    clip = home.prepared(home.clips) / f"the-six-ten.v{_CLIP_VERSION}.{seconds:g}s.mp4"
    if not clip.exists():
        from workbench.workflows.demo_film import draw_demo_film

        stage = "drawing the clip"
        progress(stage, 0.0)
        draw_demo_film(
            clip,
            narration=bundled_path("data", "bundled", "voice", "narration.ogg"),
            seconds=seconds,
            progress=lambda done: progress(stage, done),
        )
    return clip


def _tracks(home: Home, params: WorkbenchParams, progress: Progress) -> list[Track]:
    """The bundled songs as tracks of the home's catalog."""
    tracks = []
    for added in add_tracks(bundled_files().wanted, home, params, progress):
        if added.track is None:
            raise StoreError(f"a bundled song cannot be analysed: {added.fault}")
        tracks.append(added.track)
    return tracks


def _song(track: Track) -> Song:
    return Song(track.track_id, track.path, track)


def _fingerprint(loop: Loop, clip: Path, candidates: Sequence[Loop]) -> str:
    """Changes whenever anything that the demo writes would."""
    stated = [
        _PAGE_VERSION,
        hash_file(clip),
        hash_file(loop.song.path),
        repr(loop.answer),
        repr(loop.mix),
        [(other.song.track_id, _verdict(other)) for other in candidates],
    ]
    return hashlib.sha256(json.dumps(stated).encode()).hexdigest()


def _is_made(folder: Path, fingerprint: str) -> bool:
    try:
        made: dict[str, Any] = json.loads((folder / _MADE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return made.get("fingerprint") == fingerprint and all((folder / name).exists() for name in made.get("files", []))


def _make(
    loop: Loop, clip: Path, candidates: Sequence[Loop], home: Home, params: WorkbenchParams, progress: Progress
) -> list[str]:
    """Film, seam pictures and sounds, report; returns the names of the files."""
    from workbench.render.film import render_film

    plan, analysis, folder = loop.answer, loop.analysis, home.demo
    assert isinstance(plan, LoopPlan), "the demo renders a plan"
    assert analysis is not None, "a plan comes from an analysis"
    for old in [*folder.glob("seam-*.png"), *folder.glob("seam-*.wav")]:
        old.unlink()
    recording = decode(loop.song.path)
    timeline = film_timeline(loop, recording, home, params, progress)
    seams = show_seams(plan, recording, analysis, params, progress)
    names = [name for shown in seams for number in shown.numbers for name in _write_seam(shown, number, folder)]
    stage = "rendering the film"
    progress(stage, 0.0)
    film = render_film(
        plan, recording, clip, folder / "film.mp4", loop.mix, params.render, progress=lambda done: progress(stage, done)
    )
    progress("measuring the film", 0.0)
    sections = (
        film_section(timeline),
        _choice_section(candidates),
        plan_section(plan, loop),
        seams_section(plan, seams),
        mix_section(loop, decode(film)),
    )
    title = (loop.song.track.title if loop.song.track is not None else None) or loop.song.track_id
    write_page(
        Page(
            f"{title} under a film of {clock(plan.window_end)}",
            (plan_sentence(plan),),
            film.name,
            sections,
            ("Plan and mix as data: plan.json. Music and film were made by this project; data/README.md says how.",),
        ),
        folder / "report.html",
    )
    progress("measuring the film", 1.0)
    return [*names, film.name, "report.html"]


def _write_seam(shown: ShownSeam, number: int, folder: Path) -> list[str]:
    """The picture of a seam and its four seconds as WAV; a seam that is passed again looks and sounds as before."""
    name = f"seam-{number:02d}"
    heard: Recording = shown.view.heard
    (folder / f"{name}.png").write_bytes(shown.picture)
    write_audio(folder / f"{name}.wav", [heard.samples], heard.sample_rate, heard.channels)
    return [f"{name}.png", f"{name}.wav"]


def _verdict(loop: Loop) -> str:
    if isinstance(loop.answer, Refusal):
        return loop.answer.reason.value
    return f"{loop.answer.plan_score:.4f} {loop.answer.seam_score:.4f} {loop.answer.end_label}"


def _choice_section(candidates: Sequence[Loop]) -> Section:
    """The part of the page that says why this track."""
    planned = [loop for loop in candidates if isinstance(loop.answer, LoopPlan)]
    refused = [loop for loop in candidates if isinstance(loop.answer, Refusal)]
    rows = tuple(
        (
            _title(loop), f"{loop.answer.plan_score:.2f}", f"{loop.answer.seam_score:.2f}",
            str(len(loop.answer.seam_times)), clock(loop.answer.song_duration), loop.answer.end_label,
        )
        for loop in planned
        if isinstance(loop.answer, LoopPlan)
    )  # fmt: skip
    tables = [Table(("song", "plan score", "worst seam", "seams", "length", "ending"), rows, frozenset({0}))]
    if refused:
        reasons = tuple(
            (_title(loop), loop.answer.reason.value, loop.answer.hint)
            for loop in refused
            if isinstance(loop.answer, Refusal)
        )
        tables.append(Table(("refused", "reason", "in words"), reasons))
    return Section(
        "Why this track",
        (
            "Every song of the bundled catalog was planned under the clip; the one whose plan scores best is served. "
            "The plan score says how well a song loops (seams, freshness, ending). It says nothing yet of how well the "
            "song suits the picture.",
        ),
        tables=tuple(tables),
    )


def _title(loop: Loop) -> str:
    return (loop.song.track.title if loop.song.track is not None else None) or loop.song.track_id
