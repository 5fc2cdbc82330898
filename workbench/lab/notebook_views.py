"""How values show themselves in a notebook: one small picture, one line of numbers, and a player where there is sound.

A page holds the sound itself, as MP3, so that a stored notebook plays without a kernel; no more than half a minute of
it, for a notebook is a text file. A grid plays as clicks. A plan or a mix alone has no sound, nor have the results
of `wb.plan_track`, which show their plans: `wb.plan_of` and `wb.splice` join a plan with its
recording. The tracks of a lane play where their files can be read.
"""

from __future__ import annotations

from base64 import b64encode
from functools import singledispatch
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.analysis.track import BeatAnalysis
from workbench.beats.grid import BeatGrid
from workbench.errors import MediaError
from workbench.matching.lane import Lane
from workbench.media.audio import decode_blocks, encode_mp3
from workbench.mix.balance import Mix
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plots.beats import grid_figure, recording_figure
from workbench.plots.match import lane_figure
from workbench.plots.mix import duck_figure, soundtrack_in_words
from workbench.plots.palette import clock, png
from workbench.plots.plan import plan_figure
from workbench.plots.seams import SeamView, seam_figure
from workbench.recording import Recording, counted
from workbench.render.clicks import with_clicks
from workbench.seams.profile import LoopProfile, Splices
from workbench.workflows.plan import Planned
from workbench.workflows.splice import PlanPreview, SplicePreview
from workbench.workflows.voice_over import VoiceOverMix

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_SECONDS = 30.0
"""of sound in one player"""
_LANE_SECONDS = 12.0
_LANE_PLAYERS = 3
_BIT_RATE = 96_000
_CLICK_RATE = 16_000


@singledispatch
def html_of(value: object) -> str:
    """A value as HTML; a single line for types that have no picture or player."""
    return _page(_line(value), None)


def _line(value: object) -> str:
    """A value in a line, as it prints itself."""
    return repr(value).removeprefix("<").removesuffix(">")


def _page(line: str, figure: Figure | None, *players: str) -> str:
    picture = ""
    if figure is not None:
        source = b64encode(png(figure)).decode()
        picture = f'<img alt="{escape(line, quote=True)}" style="max-width:100%" src="data:image/png;base64,{source}">'
    return f"<div><div>{escape(line)}</div>{picture}{''.join(players)}</div>"


def _player(sound: Recording, name: str = "") -> str:
    """A player of the first half minute of a sound."""
    samples = sound.samples[:, : round(_MOST_SECONDS * sound.sample_rate)]
    if not samples.shape[1]:
        return ""
    source = b64encode(encode_mp3([samples], sound.sample_rate, sound.channels, _BIT_RATE)).decode()
    player = f'<audio controls preload="none" src="data:audio/mpeg;base64,{source}"></audio>'
    return f"<div><label>{escape(name)} {player}</label></div>"


@html_of.register
def _(recording: Recording) -> str:
    line = f"recording of {clock(recording.duration)}, {recording.channels} channels at {recording.sample_rate} Hz"
    return _page(line, recording_figure(recording), _player(recording))


@html_of.register
def _(grid: BeatGrid) -> str:
    if not grid.beats.size:
        return _page(_line(grid), None)
    seconds = min(_MOST_SECONDS, float(grid.beats[-1]) + 0.5)
    silence = Recording.from_samples(np.zeros(round(seconds * _CLICK_RATE)), _CLICK_RATE)
    within = grid.beats < seconds - 0.1
    clicks = BeatGrid(grid.beats[within], grid.positions[within], grid.beats_per_bar, grid.confidence)
    return _page(_line(grid), grid_figure(grid), _player(with_clicks(silence, clicks), "clicks"))


@html_of.register
def _(found: BeatAnalysis) -> str:
    return html_of(found.grid)


def _plan_picture(plan: LoopPlan) -> Figure:
    none = np.zeros(0)
    bare = LoopProfile(plan.song_duration, 0.0, plan.song_duration, none, 4, 0.0, none, (), Splices.none(0), None)
    figure = plan_figure(plan, bare)
    figure.set_dpi(60)
    return figure


@html_of.register
def _(plan: LoopPlan) -> str:
    return _page(_line(plan), _plan_picture(plan))


@html_of.register
def _(preview: PlanPreview) -> str:
    line = _line(preview.plan) + (f"; off the grid: {preview.off_grid}" if preview.off_grid else "")
    seams = range(min(len(preview.plan.seam_times), _LANE_PLAYERS))
    players = [_player(preview.seam_sound(seam), f"seam {seam + 1}") for seam in seams]
    return _page(
        line, _plan_picture(preview.plan), *players, _player(preview.sound(0.0, _MOST_SECONDS), "from its start")
    )


def _result_line(title: str, plan: LoopPlan) -> str:
    """A plan of a track, with what else is on offer."""
    seams = len(plan.seam_times)
    seamed = f"{counted(seams, 'seam')}, the worst {plan.seam_score:.2f}" if seams else "no seam"
    offered = counted(max(1, len(plan.options)), "option")
    return f"{title}: {plan.kind.in_words} of {clock(plan.window_end)}, {seamed}, {plan.end_label}; {offered}"


@html_of.register
def _(loop: Planned) -> str:
    if isinstance(loop.answer, Refusal):
        return _page(f"{loop.track.title}: {loop.answer.hint}", None)
    return _page(_result_line(loop.track.title, loop.answer), _plan_picture(loop.answer))


def _seam_page(view: SeamView, line: str) -> str:
    figure = seam_figure(view)
    figure.set_dpi(60)
    players = ((view.played, "the seam"), (view.left, "the track played on"), (view.entered, "the track leading there"))
    return _page(line, figure, *(_player(sound, name) for sound, name in players))


@html_of.register
def _(view: SeamView) -> str:
    return _seam_page(view, _line(view))


@html_of.register
def _(preview: SplicePreview) -> str:
    where = f"beat {preview.leave_beat} to beat {preview.enter_beat}"
    return _seam_page(preview.view, f"splice from {where}, score {preview.score:.2f}")


@html_of.register
def _(mix: Mix) -> str:
    line = f"mix: the soundtrack is {mix.classification}"
    if mix.duck is None:
        return _page(f"{line}, nothing to duck under", None)
    if mix.music_gain_db is not None and mix.video_gain_db is not None:
        line += f", music {mix.music_gain_db:+.1f} dB, soundtrack {mix.video_gain_db:+.1f} dB"
    count = len(mix.duck.speech_ranges)
    under = counted(count, "utterance") if count else "the video's own music"
    line += f", ducked by up to {mix.duck.depth_db:.1f} dB under {under}"
    return _page(line, duck_figure(mix.duck.envelope_points, mix.duck.speech_ranges))


@html_of.register
def _(mixed: VoiceOverMix) -> str:
    duck = mixed.mix.duck
    if duck is None:
        soundtrack = soundtrack_in_words(mixed.mix.classification)
        return _page(f"{soundtrack}: nothing to duck under", None, _player(mixed.both, "both"))
    line = f"music ducked by up to {duck.depth_db:.1f} dB under {counted(len(duck.speech_ranges), 'utterance')}"
    return _page(line, duck_figure(mixed.envelope, mixed.speech_ranges), _player(mixed.both, "voice and music"))


@html_of.register
def _(lane: Lane) -> str:
    tracks = [one.track for one in lane.matches]
    titles = [one.called for one in tracks]
    figure = lane_figure(titles, [one.score for one in lane.matches], [one.unmet for one in lane.matches])
    players = [_file_player(one.path, title) for one, title in zip(tracks[:_LANE_PLAYERS], titles, strict=False)]
    return _page(f"{lane.title}: {lane.reasoning}", figure, *players)


def _file_player(path: Path, name: str) -> str:
    """A player of the beginning of a file; nothing where it cannot be read."""
    try:
        block = next(iter(decode_blocks(path, _LANE_SECONDS)), None)
    except MediaError:
        return ""
    return "" if block is None else _player(Recording.from_samples(block.samples, block.sample_rate), name)
