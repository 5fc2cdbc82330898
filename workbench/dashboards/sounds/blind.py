"""The sounds of blind listening tests as files whose names tell nothing, and what a page may know of a test.

Every sound has a random name of its own, X too, though X is the same as A or B: neither the page nor what a browser
stores says which is which. What each letter hides is in the record of the test (`workbench.review.listening`).
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.analysis.track import Analysis
from workbench.analysis.workspace import Workspace
from workbench.dashboards.sounds.plan import listening_folder, plan_digest
from workbench.dashboards.sounds.seam import with_fade
from workbench.errors import ParameterError
from workbench.media.audio import write_audio
from workbench.plans.plan import LoopPlan
from workbench.recording import Recording
from workbench.review.listening import ANCHOR, REFERENCE, SEAM, begin_abx, begin_mushra, begin_preference
from workbench.review.stimuli import EXCERPT_SECONDS, anchor_of, match_loudness, plan_excerpt, reference_of
from workbench.review.trials import MAX_TRIALS
from workbench.workflows.plan import Planned
from workbench.workflows.seams import planned_scores

MOST_WHOLE_SECONDS = 300.0
"""of options that are compared whole: a browser holds both of them decoded"""


@dataclass(frozen=True, slots=True)
class BlindTrial:
    """One trial as a listener meets it."""

    sounds: Mapping[str, Path]
    """by letter, all equally long and equally loud"""
    reference: Path | None = None
    """the sound labelled as reference; None without ratings"""


@dataclass(frozen=True, slots=True)
class BlindTest:
    """A test as a listener meets it."""

    test_id: str
    kind: str
    """abx, preference or mushra"""
    title: str
    trials: tuple[BlindTrial, ...]

    @property
    def files(self) -> list[Path]:
        """Every sound of every trial."""
        return [path for one in self.trials for path in (*one.sounds.values(), one.reference) if path is not None]


def prepare_fades(
    workspace: Workspace, loop: Planned, seam: int, fades: Sequence[tuple[float, float]], trials: int, reviewer: str
) -> BlindTest:
    """Prepare an ABX test of one seam, counted from 0, under two fades: pairs of length, s, and exponent."""
    plan, analysis = _planned(loop)
    if not 0 <= seam < len(plan.seam_times):
        raise ParameterError(f"there is no seam {seam + 1} in this plan; it has {len(plan.seam_times)}")
    named = {f"{1000 * seconds:.0f} ms, exponent {exponent:.3g}": with_fade(plan, seam, seconds, exponent)
             for seconds, exponent in fades}  # fmt: skip
    at_s = plan.seam_times[seam]
    until_s = min(at_s, EXCERPT_SECONDS / 2) - max(named_plan.seam_fades[seam] for named_plan in named.values()) / 2
    about = {"seam": _seam(analysis, plan, seam), "fades": [list(fade) for fade in fades]}
    asked = _Comparison(f"Seam {seam + 1} under two crossfades", named, at_s, until_s, about)
    return _prepare_abx(workspace, loop, asked, trials, reviewer)


def prepare_options(
    workspace: Workspace, loop: Planned, options: tuple[int, int], at_s: float, trials: int, reviewer: str
) -> BlindTest:
    """Prepare an ABX test of two options of a plan, counted from 1, around a time of the video, s."""
    named = {f"option {number}": loop.option(number) for number in options}
    about = {"at": at_s, "plans": {name: plan_digest(option) for name, option in named.items()}}
    asked = _Comparison(f"Option {options[0]} and option {options[1]}", named, at_s, None, about)
    return _prepare_abx(workspace, loop, asked, trials, reviewer)


def prepare_preference(
    workspace: Workspace, loop: Planned, options: tuple[int, int], trials: int, reviewer: str, *, whole: bool
) -> BlindTest:
    """Prepare a test which of two options, from 1, is better: whole in so many `trials`, or once at each seam."""
    plan, analysis = _planned(loop)
    if whole and plan.window_end > MOST_WHOLE_SECONDS:
        raise ParameterError(f"whole options are compared up to {MOST_WHOLE_SECONDS:.0f} s; compare these at the seams")
    recording = workspace.load_recording(loop.track.path)
    named = {f"option {number}": loop.option(number) for number in options}
    places = [(plan.window_end / 2, plan.window_end)] if whole else [
        (at_s, EXCERPT_SECONDS) for at_s in compared_places(tuple(named.values()))
    ]  # fmt: skip
    sounds, items = [], []
    for number, (at_s, seconds) in enumerate(places):
        workspace.progress("preparing the test", number / len(places))
        excerpts = {name: plan_excerpt(one, recording, at_s, seconds) for name, one in named.items()}
        if len({sound.samples.tobytes() for sound in excerpts.values()}) > 1:
            matched, gains = match_loudness(excerpts)
            sounds.append(matched)
            items.append({"place": "whole" if whole else at_s, "gains_db": gains})
    if not items:
        raise ParameterError("these options play the same there: choose another one to compare with")
    first, second = named
    test, drawn = begin_preference(
        workspace, content_hash=analysis.content_hash, track=loop.track.title, reviewer=reviewer,
        conditions=(first, second), items=items * trials if whole else items[:MAX_TRIALS],
    )  # fmt: skip
    folder = listening_folder(workspace.home)
    written = [{name: _file(sound, folder) for name, sound in one.items()} for one in sounds]
    made = tuple(
        BlindTrial(
            {letter: _again(written[one.item % len(written)][name]) for letter, name in (("A", one.a), ("B", one.b))}
        )
        for one in drawn
    )
    for path in (path for one in written for path in one.values()):
        path.unlink()
    title = f"Option {options[0]} and option {options[1]}, {'whole' if whole else 'at the seams'}"
    return _of_one_time(BlindTest(test.test_id, test.kind, title, made))


def compared_places(options: Sequence[LoopPlan]) -> list[float]:
    """The seams of some options, s, but those whose excerpts overlap by more than half."""
    found: list[float] = []
    for at_s in sorted(at_s for one in options for at_s in one.seam_times):
        if not found or at_s - found[-1] >= EXCERPT_SECONDS / 2:
            found.append(at_s)
    return found


def seams_of_options(plan: LoopPlan, options: int) -> list[tuple[int, int]]:
    """Every seam of the first options of a plan: its option, counted from 1, and its number there, from 0."""
    first = plan.options[:options] or (plan,)
    return [(number, seam) for number, one in enumerate(first, start=1) for seam in range(len(one.seam_times))]


def rated_seams(plan: LoopPlan, seams: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The seams that a test asks about: each splice under one fade once, and no more than a test may have."""
    splices: dict[tuple[float, ...], tuple[int, int]] = {}
    for number, seam in seams:
        option = plan.option(number)
        if not 0 <= seam < len(option.seam_times):
            raise ParameterError(f"there is no seam {seam + 1} in this plan; it has {len(option.seam_times)}")
        splice = option.segments[seam].song_to, option.segments[seam + 1].song_from
        splices.setdefault((*splice, option.seam_fades[seam], option.seam_curves[seam]), (number, seam))
    return list(splices.values())[:MAX_TRIALS]


def prepare_seams(workspace: Workspace, loop: Planned, seams: Sequence[tuple[int, int]], reviewer: str) -> BlindTest:
    """Prepare a test in which seams are rated against the track's own bar line and a bad splice."""
    plan, analysis = _planned(loop)
    chosen = [
        (option, seam, _seam(analysis, option, seam))
        for option, seam in ((plan.option(number), seam) for number, seam in rated_seams(plan, seams))
    ]
    recording = workspace.load_recording(loop.track.path)
    sounds = []
    for number, (option, seam, facts) in enumerate(chosen):
        workspace.progress("preparing the test", number / len(chosen))
        made = {
            REFERENCE: reference_of(option, recording, seam),
            SEAM: plan_excerpt(option, recording, option.seam_times[seam]),
            ANCHOR: anchor_of(option, recording, analysis.grid, seam),
        }
        until_s = min(option.seam_times[seam], EXCERPT_SECONDS / 2) - option.seam_fades[seam] / 2
        matched, facts["gains_db"] = match_loudness(made, until_s)
        sounds.append(matched)
    test, drawn = begin_mushra(
        workspace, content_hash=analysis.content_hash, track=loop.track.title, reviewer=reviewer,
        conditions=(REFERENCE, SEAM, ANCHOR), items=[facts for *_, facts in chosen],
    )  # fmt: skip
    folder = listening_folder(workspace.home)
    trials = tuple(
        BlindTrial(
            _files(trial.letters, trial.hidden, sounds[trial.item], folder),
            _file(sounds[trial.item][REFERENCE], folder),
        )
        for trial in drawn
    )
    return _of_one_time(BlindTest(test.test_id, test.kind, "Seams, rated", trials))


def drop_sounds(test: BlindTest) -> None:
    """Delete the sounds of a test that has ended or was abandoned."""
    for path in test.files:
        path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What an ABX test compares."""

    title: str
    plans: Mapping[str, LoopPlan]
    """two, by name"""
    at_s: float
    """video time in the middle of the excerpts"""
    until_s: float | None
    """end of the part of the excerpts, from their start, that is made equally loud; None: their whole length"""
    about: dict[str, Any]
    """for the record of the test"""


def _prepare_abx(workspace: Workspace, loop: Planned, asked: _Comparison, trials: int, reviewer: str) -> BlindTest:
    _, analysis = _planned(loop)
    if len(asked.plans) != 2:
        raise ParameterError("an ABX test compares two different sounds: choose another one to compare with")
    recording = workspace.load_recording(loop.track.path)
    first, second = asked.plans
    excerpts = {name: plan_excerpt(plan, recording, asked.at_s) for name, plan in asked.plans.items()}
    matched, gains = match_loudness(excerpts, asked.until_s)
    test, drawn = begin_abx(
        workspace, content_hash=analysis.content_hash, track=loop.track.title, reviewer=reviewer,
        conditions=(first, second), trials=trials, about=asked.about | {"gains_db": gains},
    )  # fmt: skip
    folder = listening_folder(workspace.home)
    made = tuple(BlindTrial(_files("ABX", (one.a, one.b, one.x), matched, folder)) for one in drawn)
    return _of_one_time(BlindTest(test.test_id, test.kind, asked.title, made))


def _of_one_time(test: BlindTest) -> BlindTest:
    """The test, with one time for all its files: browsers see it, and an order would reveal which sound is which."""
    at = time.time()
    for path in test.files:
        os.utime(path, (at, at))
    return test


def _planned(loop: Planned) -> tuple[LoopPlan, Analysis]:
    """The plan, and the analysis that it comes from."""
    if not isinstance(loop.answer, LoopPlan):
        raise ParameterError("there is no plan to listen to: the track was refused under this video")
    assert loop.analysis is not None, "a plan comes from an analysis"
    return loop.answer, loop.analysis


def _seam(analysis: Analysis, plan: LoopPlan, seam: int) -> dict[str, Any]:
    """The seam as it is played, with the score that the planner gave it."""
    return {
        "leave": plan.segments[seam].song_to, "enter": plan.segments[seam + 1].song_from,
        "fade": plan.seam_fades[seam], "exponent": plan.seam_curves[seam],
        "score": planned_scores(plan, analysis)[seam],
    }  # fmt: skip


def _files(letters: str, names: Sequence[str], sounds: Mapping[str, Recording], folder: Path) -> dict[str, Path]:
    return {letter: _file(sounds[name], folder) for letter, name in zip(letters, names, strict=True)}


def _again(file: Path) -> Path:
    """The same file by another random name: a whole plan is written once, however often it is asked about."""
    out = _new_name(file.parent)
    os.link(file, out)
    return out


def _new_name(folder: Path) -> Path:
    return folder / f"{secrets.token_hex(8)}.blind.wav"


def _file(sound: Recording, folder: Path) -> Path:
    out = _new_name(folder)
    samples = sound.samples if sound.channels <= 2 else sound.mono()[None]
    write_audio(out, [samples], sound.sample_rate, samples.shape[0], subtype="pcm24")
    return out
