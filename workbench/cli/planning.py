"""What `loop`, `fit`, `align` and `splice` do: they plan or place a track, print the result, and explain it in words.

Functions: `print_plans` of `loop` and `fit`, `print_placements` of `align`, `print_splice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from workbench.align.placements import CHANCE_SCORE, NO_CLEAR_POINT
from workbench.analysis.sources import VideoSource, find_track, find_video, with_audio_of
from workbench.analysis.workspace import Workspace
from workbench.cli.option_words import in_options, refusal_in_options
from workbench.cli.options import explain_audio
from workbench.cli.plan_files import read_plan_request, spans_in_words
from workbench.cli.plan_options import LAST_CUT
from workbench.cli.terminal import deliver_body, print_body, progress_bar, say
from workbench.errors import StoreError, plain_seconds
from workbench.files import written_whole
from workbench.media.audio import write_audio
from workbench.media.probe import probe
from workbench.media.sound_streams import SoundChoice
from workbench.plans.constraints import NamedSplice, SeamConstraints, TrackRange, clock, joined
from workbench.plans.fit import shares_its_parts
from workbench.plans.hits import HIT_SECONDS, hit_distance
from workbench.plans.plan import EndKind, LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plans.request import Hit, Keep, PlanRequest
from workbench.plots.align import align_figure
from workbench.plots.palette import png
from workbench.results.plan_words import less_sure_line, option_differences, poor_pins, repetition_line, score_line
from workbench.workflows.align import align_json, align_track
from workbench.workflows.constraints import last_cut
from workbench.workflows.plan import Planned, plan_lengths, plan_track, planned_json
from workbench.workflows.render import own_music_ranges
from workbench.workflows.splice import splice, splice_json


def print_plans(
    workspace: Workspace,
    track: str,
    lengths: tuple[float, ...] | None,
    *,
    end_on: float | str | None,
    video: Path | None,
    audio: SoundChoice | None,
    auto_mix: bool,
    own_music: str | None,
    own_music_at: tuple[TrackRange, ...],
    min_variety: float | None,
    min_seam_score: float | None,
    from_plan: Path | None,
    output: Path | None,
    report: Path | None,
    **asked: Any,
) -> int:
    """Plan a track under a video or for some lengths, s, and print what was found; returns the exit code.

    `asked` and `end_on` are what `_request` takes.
    0 with a plan for each length; 3 where the music cannot do it, 1 where that may pass: then the bodies are printed,
    and no file is written.
    """
    request, ends_on_last_cut = _request(end_on=end_on, **asked), end_on == LAST_CUT
    if (video is None) == (lengths is None):
        raise click.UsageError("give either --video FILE or --seconds S")
    if auto_mix and video is None:
        raise click.UsageError("--auto-mix needs --video FILE")
    if audio is not None and video is None:
        raise click.UsageError("--audio needs --video FILE")
    if ends_on_last_cut and video is None:
        raise click.UsageError(f"--end-on {LAST_CUT} needs --video FILE")
    balance = {"min_variety_seconds": min_variety, "min_seam_score": min_seam_score}
    params = workspace.params
    cover = params.cover.model_copy(update={name: value for name, value in balance.items() if value is not None})
    workspace = workspace.with_params(params.model_copy(update={"cover": cover}))
    track_source = find_track(workspace, track)
    video_source = None if video is None else find_video(workspace, video)
    workspace = with_audio_of(with_own_music(workspace, own_music, own_music_at, auto_mix), video_source, audio)
    if ends_on_last_cut and video_source is not None:
        with progress_bar() as progress:
            request = replace(request, end_on=last_cut(workspace.with_progress(progress), video_source.path))
        say(f"the last cut is at {clock(request.end_on or 0.0)}")
    if from_plan is not None:
        request = _with_those_of(from_plan, request, workspace, track_source.path)
    with progress_bar() as progress:
        workspace = workspace.with_progress(progress)
        planned: tuple[Planned, ...]
        if video_source is not None:
            planned = (plan_track(workspace, track_source, video_source.path, request, auto_mix=auto_mix),)
        else:
            planned = plan_lengths(workspace, track_source, lengths or (), request)
        refused = [one.answer for one in planned if isinstance(one.answer, Refusal)]
        if report is not None:
            from workbench.workflows.report import write_lengths_report, write_plan_report

            if len(planned) == 1:
                write_plan_report(workspace, planned[0], report)
            else:
                write_lengths_report(workspace, planned, report)
    _explain(planned, workspace)
    is_mixed = planned[0].mix is not None
    explain_audio(workspace, video_source if is_mixed else None)
    explain_own_music(workspace, video_source, is_mixed, own_music)
    video_id = None if video_source is None else video_source.video_id
    bodies = []
    for one in planned:
        hint = refusal_in_options(one.answer) if isinstance(one.answer, Refusal) else None
        bodies.append(planned_json(one, video_id, hint))
    body = bodies[0] if len(bodies) == 1 else {"fits": bodies}
    deliver_body(body, None if refused else output)
    if not refused:
        return 0
    return 3 if any(not refusal.retryable for refusal in refused) else 1


def _request(
    *,
    only_loop: bool,
    never_cut: tuple[TrackRange, ...],
    forbid_seam: tuple[NamedSplice, ...],
    pin_seam: tuple[NamedSplice, ...],
    exclude: tuple[TrackRange, ...],
    keep: tuple[Keep, ...],
    start_at: float | None,
    end_on: float | str | None,
    hit: tuple[float, ...],
    hit_at: tuple[float, ...],
    fade: float | None,
) -> PlanRequest:
    """The request for a plan; an end on the last cut is added once the video has been read."""
    if len(hit_at) not in (0, 1, len(hit)) or (hit_at and not hit):
        raise click.UsageError("--hit-at goes with --hit: give it once for all of them, or once for each")
    landmarks = hit_at if len(hit_at) == len(hit) else (hit_at or (None,)) * len(hit)
    hits = tuple(Hit(*times) for times in zip(hit, landmarks, strict=True))
    constraints = SeamConstraints(never_cut, forbid_seam, pin_seam, exclude)
    at = end_on if isinstance(end_on, float) else None
    return PlanRequest(constraints, keep, start_at, at, hits, only_loop=only_loop, fade=fade)


def _with_those_of(plan: Path, request: PlanRequest, workspace: Workspace, track: Path) -> PlanRequest:
    """Add the request of an earlier plan to a request; says so on standard error, and if that plan is of another track.

    Raises `InputError` or `PlanError`, which name the file.
    """
    asked, made_for = read_plan_request(plan)
    both = request.and_more(asked)
    taken = [one for one in both.each if one not in request.each]
    if taken:
        say(f"from {plan.name}: {in_options(joined(taken, ', '))}")
    if both.fade is not None and both.fade != request.fade:
        say(f"from {plan.name}: --fade {both.fade:g}")
    if taken and made_for is not None and made_for.content_hash not in (None, workspace.hash_file(track)):
        say(f"{plan.name} was made for {made_for.name}, which is another track: its times are taken for {track.name}")
    return both


def _explain(planned: Sequence[Planned], workspace: Workspace) -> None:
    """Write to standard error what the JSON does not say in words."""
    first, params = planned[0], workspace.params.cover
    if first.file_loop is not None:
        say(first.file_loop.in_words)
    for number, one in enumerate(planned):
        plan, analysis = one.answer, one.analysis
        named = f"{plain_seconds(one.video_seconds)} s: " if len(planned) > 1 else ""
        if isinstance(plan, Refusal):
            say(f"{named}{refusal_in_options(plan)}")
            continue
        assert analysis is not None, "a plan comes from an analysis"
        profile = analysis.profile
        if number == 0:
            for line in poor_pins(profile, one.request.constraints.pinned, params):
                say(in_options(line))
        if not one.request.only_loop:
            say(f"{named}{plan.kind.in_words}, {plan.end_label}")
        if one.request.fade is not None and plan.ending.kind is not EndKind.FADE:
            say(f"{named}this does not end in a fade, so --fade is not used")
        if plan.music_in > 0.0:
            say(f"{named}the music starts {plan.start_label}")
        for said in _hit_lines(plan, one.request):
            say(f"{named}{said}")
        less_sure = less_sure_line(plan, profile, one.request, params)
        if less_sure is not None:
            say(f"{named}{in_options(less_sure)}")
        constraints = one.request.constraints
        repeated = repetition_line(plan, profile, params, constraints)
        if repeated is not None:
            say(f"{named}{repeated}")
        if profile.downbeats.size >= 2:
            for option, difference in enumerate(option_differences(plan, profile, params, constraints)[1:], start=2):
                say(f"{named}option {option} {difference}")
    plans = sorted((one.answer for one in planned if isinstance(one.answer, LoopPlan)), key=lambda one: one.window_end)
    for short, longer in pairwise(plans):
        if not shares_its_parts(short, longer):
            lengths = f"{plain_seconds(short.window_end)} s and {plain_seconds(longer.window_end)} s"
            say(f"{lengths} do not share all of their music and seams")


def _hit_lines(plan: LoopPlan, request: PlanRequest) -> list[str]:
    """What lands on each hit, and by how much an option misses it."""
    lines = []
    for hit in request.hits:
        if hit.landmark is None:  # of music without bars
            continue
        what = f"{hit.what and f'the {hit.what} at '}{clock(round(hit.landmark, 1))} of the track"
        lines.append(f"{what} plays at {clock(hit.at)}")
        for number, option in enumerate(plan.options[1:], start=2):
            late = hit_distance(option, hit)
            if late is None:
                lines.append(f"option {number} does not play {what}")
            elif abs(late) > HIT_SECONDS:
                side = "late" if late > 0 else "early"
                lines.append(f"option {number} plays {what} {abs(late):.1f} s {side} for {clock(hit.at)}")
    return lines


def with_own_music(
    workspace: Workspace, own_music: str | None, own_music_at: tuple[TrackRange, ...], auto_mix: bool
) -> Workspace:
    """The workspace whose mixes treat the video's own music as was asked for, else as the profile says.

    Music that is said to be somewhere is yielded to unless something else is asked. Raises `click.UsageError` if it was
    asked for without a mix, and for ranges that overlap.
    """
    if own_music is None and not own_music_at:
        return workspace
    if not auto_mix:
        raise click.UsageError(f"--own-music{'-at' if own_music is None else ''} needs --auto-mix")
    if own_music == "ignore" and own_music_at:
        raise click.UsageError("--own-music ignore makes no room: leave it or --own-music-at out")
    params = workspace.params
    given: dict[str, Any] = params.mix.model_dump()
    if own_music is not None:
        given["own_music"] = own_music
    elif given["own_music"] == "ignore":
        given["own_music"] = "yield"
    if own_music_at:
        given["own_music_at"] = tuple((one.song_from, one.song_to) for one in own_music_at)
    try:
        mix = type(params.mix).model_validate(given)
    except ValueError as error:
        raise click.UsageError("--own-music-at: two ranges overlap") from error
    return workspace.with_params(params.model_copy(update={"mix": mix}))


def explain_own_music(workspace: Workspace, video: VideoSource | None, is_mixed: bool, own_music: str | None) -> None:
    """Write to standard error where a mix plays over the video's own music, unless `own_music` was asked for."""
    if video is None or not is_mixed or own_music is not None or workspace.params.mix.own_music != "ignore":
        return
    ranges = own_music_ranges(workspace, video.path, probe(video.path).duration)
    if ranges:
        say(
            f"the video has music of its own, {spans_in_words(ranges)}, and the track plays over it; --own-music yield "
            "or mix makes room"
        )


def print_placements(
    workspace: Workspace,
    track: str,
    *,
    video: Path,
    audio: SoundChoice | None,
    auto_mix: bool,
    own_music: str | None,
    own_music_at: tuple[TrackRange, ...],
    picture: Path | None,
    output: Path | None,
) -> None:
    """Place a track under a video, and print where it lands."""
    track_source, video_source = find_track(workspace, track), find_video(workspace, video)
    workspace = with_audio_of(with_own_music(workspace, own_music, own_music_at, auto_mix), video_source, audio)
    with progress_bar() as progress:
        alignment = align_track(workspace.with_progress(progress), track_source, video_source.path, auto_mix=auto_mix)
        if picture is not None:
            marks = alignment.landmarks, alignment.events
            with written_whole(picture, StoreError) as aside:
                aside.write_bytes(png(align_figure(*marks, alignment.placements, workspace.params.align)))
    best = alignment.placements[0] if alignment.placements else None
    if best is None:
        say(f"{NO_CLEAR_POINT}: nothing in the track meets anything in the video")
    elif best.in_words == NO_CLEAR_POINT:
        say(
            f"{NO_CLEAR_POINT}: the best placement scores {best.score:.2f}; under {CHANCE_SCORE:g} what coincides may "
            "well be chance"
        )
    explain_audio(workspace, video_source)
    explain_own_music(workspace, video_source, alignment.mix is not None, own_music)
    deliver_body(align_json(workspace, alignment, video_source.video_id), output)


def print_splice(
    workspace: Workspace, track: str, *, leave: float, enter: float, out: Path | None, picture: Path | None
) -> None:
    """Score a splice of a track, write its sound and its picture where they are asked for, and print the score."""
    source, least = find_track(workspace, track), workspace.params.cover.min_seam_score
    with progress_bar() as progress:
        scored = splice(source.path, leave, enter, snap="bar", workspace=workspace.with_progress(progress))
        if out is not None:
            write_audio(out, [scored.sound.samples], scored.sound.sample_rate, scored.sound.channels)
        if picture is not None:
            with written_whole(picture) as part:
                part.write_bytes(png(scored.figure()))
    say(f"the splice {score_line(scored.score, least)}")
    print_body(splice_json(source.track_id, scored, least))
