"""The main job from start to finish, on the bundled catalog and the bundled film.

The film, a part of it, or more than one pass of it is written to the home folder and analysed: one pass finds its
shots, events, speech and levels, which all later steps read from the store. The bundled tracks are added to the catalog
and analysed; match ranks them against the video; the best of them that loops under it is planned and mixed, ducked
under the video's voice, and rendered into a video; its seams are drawn and the report is written.

The track is chosen by match, which scores how well a track suits the picture and also how well it loops, and by the
planner, which decides whether it covers this video. The report gives the reasons, and those against the other tracks.
The command line, the dashboard and the service all choose by `choose`.

The film, "The Six-Ten", is five minutes of a railway line with a narration, in one file that ships. It has everything
that an editor looks for: hard cuts, dissolves, fades to black, flashes, title cards, calm and hectic stretches, hits,
and speech in groups of phrases with long silences between. The JSON beside it has the time of each, to the frame;
`data/README.md` says how it was drawn.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path

import av
import numpy as np
from av.packet import Packet
from av.video.stream import VideoStream

from workbench.analysis.progress import silent
from workbench.analysis.sources import TrackSource
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.caches import made
from workbench.errors import ParameterError, StoreError
from workbench.export.page import ReportPage, ReportSection, Table
from workbench.files import bundled_path, written_whole
from workbench.matching.lane import Match
from workbench.media.audio import decode, write_audio
from workbench.plans.plan import LoopPlan
from workbench.plans.refusals import Refusal
from workbench.plans.request import LOOP_ALONE
from workbench.plots.palette import clock
from workbench.recording import Recording
from workbench.render.remux import copy_stream
from workbench.render.sound_levels import SoundLevels, measure_levels
from workbench.render.video import Playback, render_video
from workbench.video.analysis import VideoAnalysis
from workbench.workflows.catalog import add_tracks, bundled_files
from workbench.workflows.match import match
from workbench.workflows.plan import Planned, plan_track, save_plan
from workbench.workflows.report import (
    ShownSeam,
    mix_section,
    options_sections,
    plan_section,
    plan_sentence,
    seams_section,
    show_seams,
    video_section,
    video_timeline,
    write_page,
)

FILM = ("data", "bundled", "film", "the_six_ten.mp4")
FRAME_RATE = 25
FILM_SECONDS = 300.0
MAX_SECONDS = 36_000.0


def write_film(path: Path, seconds: float = FILM_SECONDS) -> Path:
    """Write the first seconds of the film, 1 to 36000, to an MP4; a longer one plays it again from its head.

    Raises `ParameterError` if seconds are out of range, and `MediaError` if the file cannot be written.
    """
    if not 1.0 <= seconds <= MAX_SECONDS:
        raise ParameterError(f"the demo video lasts 1 to {MAX_SECONDS:.0f} seconds, got {seconds}")
    film, pictures = bundled_path(*FILM), round(seconds * FRAME_RATE)
    with written_whole(path) as aside:
        if pictures == round(FILM_SECONDS * FRAME_RATE):
            shutil.copyfile(film, aside)
        else:
            _write_part(film, aside, pictures)
    return path


def _write_part(film: Path, out: Path, pictures: int) -> None:
    # Pictures are copied: the film has no B pictures and opens with a key picture, so its first n packets are exactly
    # its first n pictures, and may follow its last one. AAC comes in blocks of 1024 samples, which end neither with a
    # picture nor with the film, so the sound is encoded again, to the sample.
    recording = decode(film)
    rate, end = recording.sample_rate, round(FILM_SECONDS * recording.sample_rate)
    with av.open(str(film)) as source, av.open(str(out), "w", options={"movflags": "+faststart"}) as video:
        video.metadata["title"] = source.metadata["title"]
        picture = copy_stream(video, source.streams.video[0])
        sound = video.add_stream("aac", rate=rate, layout="stereo", options={"aac_coder": "fast"})
        sound.bit_rate = 160_000  # more than the film has: this is its second loss
        for number, packet in enumerate(islice(_packets_again(film), pictures)):
            packet.stream, packet.time_base = picture, Fraction(1, FRAME_RATE)
            packet.pts, packet.dts, packet.duration = number, number, 1
            video.mux(packet)
            span = np.arange(number * rate // FRAME_RATE, (number + 1) * rate // FRAME_RATE) % end
            block = av.AudioFrame.from_ndarray(recording.samples.take(span, axis=1), format="fltp", layout="stereo")
            block.sample_rate, block.pts, block.time_base = rate, number * rate // FRAME_RATE, Fraction(1, rate)
            video.mux(sound.encode(block))
        video.mux(sound.encode(None))


def _packets_again(film: Path) -> Iterator[Packet[VideoStream]]:
    """The packets of the picture, and again from the first."""
    while True:
        with av.open(str(film)) as source:
            yield from (packet for packet in source.demux(video=0) if packet.size)


_VIDEO_VERSION = 1
"""Raise it when the film changes, or how a part of it is written."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Tracks under a video, ranked, with the reasons."""

    loops: tuple[Planned, ...]
    """those that loop, in the order of match, then refusals; at least one loops"""
    suits: Mapping[str, Match]
    """by track id, the matches of the tracks that were ranked"""
    reasoning: str
    """the facts that the ranking weighed, in plain words"""

    @property
    def best(self) -> Planned:
        """The track that is chosen, under a video of that length."""
        return self.loops[0]

    @property
    def chosen(self) -> Match | None:
        """Its match, with the reasons; None where match did not rank it."""
        return self.suits.get(self.best.track.track_id)


@dataclass(frozen=True, slots=True)
class Demo:
    """Result of the demo: its files and the values computed for them."""

    folder: Path
    rendered: Path
    report: Path
    plan: Path
    watched: VideoAnalysis
    levels: SoundLevels
    """of the video as written"""
    loop: Planned
    choice: Choice
    """every bundled track under the video, and how well it suits"""


def run_demo(workspace: Workspace, seconds: float = FILM_SECONDS) -> Demo:
    """Run the whole demo under so many seconds of the film and write its files to the home's `demo` folder.

    Raises `ParameterError` if no bundled track covers a video of that length or it is out of range, `StoreError` if the
    home folder cannot be used or a bundled track not be analysed, and `MediaError` if a video cannot be written.
    """
    video = demo_video(workspace, seconds)
    watched = analyze_video(workspace, video)  # before the rest: one pass finds what planning, mix and report need
    choice = choose(workspace, video)
    loop = plan_track(workspace, choice.best.track, video, LOOP_ALONE, auto_mix=True)
    folder = workspace.home.prepared(workspace.home.demo)
    rendered, report = _make(workspace, loop, video, choice)
    plan = save_plan(loop, folder / "plan.json")
    return Demo(folder, rendered, report, plan, watched, measure_levels(rendered), loop, choice)


def demo_loop(workspace: Workspace, seconds: float = FILM_SECONDS) -> Planned:
    """The demo's video with the track that the demo chooses for it, planned and mixed; see `run_demo`."""
    video = demo_video(workspace, seconds)
    choice = choose(workspace, video)
    return plan_track(workspace, choice.best.track, video, LOOP_ALONE, auto_mix=True)


def choose(workspace: Workspace, video: Path) -> Choice:
    """Rank the bundled tracks under a video: those that loop by how well they suit it, then refusals.

    Tracks are ordered by their match score; those that match did not rank come after them, by the scores of their
    plans. Raises `ParameterError` if none can cover the video, `StoreError` if one cannot be analysed, and `MediaError`
    if the video cannot be read.
    """
    watched = analyze_video(workspace, video)
    tracks = _tracks(workspace)
    lane = match(workspace, video)
    suits = {found.track.track_id: found for found in lane.candidate_pool}

    def place(loop: Planned) -> tuple[bool, float, float, str]:
        found, refused = suits.get(loop.track.track_id), isinstance(loop.answer, Refusal)
        plan_score = loop.answer.plan_score if isinstance(loop.answer, LoopPlan) else 0.0
        return (refused, 1.0 if found is None else -found.score, -plan_score, loop.track.track_id)

    in_silence = workspace.with_progress(silent)
    loops = sorted((plan_track(in_silence, track, watched.duration, LOOP_ALONE) for track in tracks), key=place)
    if not loops or isinstance(loops[0].answer, Refusal):
        raise ParameterError(
            f"no bundled track can cover a video of {watched.duration:g} s; the shortest needs 30 s more than its own "
            "length"
        )
    return Choice(tuple(loops), suits, lane.reasoning)


def demo_video(workspace: Workspace, seconds: float = FILM_SECONDS) -> Path:
    """The demo's film at a length, see `workbench.workflows.demo.write_film`; written where it does not exist yet."""
    video = workspace.home.prepared(workspace.home.demo_videos) / f"the-six-ten.v{_VIDEO_VERSION}.{seconds:g}s.mp4"
    return made(video, lambda aside: write_film(aside, seconds))


def _tracks(workspace: Workspace) -> list[TrackSource]:
    """The bundled tracks as tracks of the home's catalog."""
    tracks = []
    for added in add_tracks(workspace, bundled_files().wanted):
        if added.track is None:
            raise StoreError(f"a bundled track cannot be analysed: {added.fault}")
        tracks.append(TrackSource(added.track.track_id, added.track.path, added.track))
    return tracks


def _make(workspace: Workspace, loop: Planned, video: Path, choice: Choice) -> tuple[Path, Path]:
    """Write video, seam pictures and sounds, and report; returns the paths of video and report."""
    plan, analysis, folder = loop.answer, loop.analysis, workspace.home.demo
    params, progress = workspace.params, workspace.progress
    assert isinstance(plan, LoopPlan), "the demo renders a plan"
    assert analysis is not None, "a plan comes from an analysis"
    for old in [*folder.glob("seam-*.png"), *folder.glob("seam-*.wav")]:
        old.unlink()
    recording = workspace.load_recording(loop.track.path)
    timeline = video_timeline(workspace, loop, recording)
    seams = show_seams(workspace, plan, recording, analysis)
    for shown in seams:
        for number in shown.numbers:
            _write_seam(shown, number, folder)
    stage = "rendering the video"
    progress(stage, 0.0)
    rendered = render_video(
        Playback(plan, recording, loop.mix),
        video,
        folder / "video.mp4",
        params.render,
        progress=lambda done: progress(stage, done),
    )
    progress("measuring the video", 0.0)
    sections = (
        video_section(timeline),
        _choice_section(choice),
        plan_section(plan, loop, params.cover),
        *options_sections(plan, loop, recording, workspace.params.cover),
        seams_section(plan, seams),
        mix_section(workspace, loop, recording, decode(rendered)),
    )
    title = loop.track.title
    report = write_page(
        ReportPage(
            f"{title} under a video of {clock(plan.window_end)}",
            (plan_sentence(plan),),
            rendered.name,
            sections,
            ("Plan and mix as data: plan.json. Music and video were made by this project; data/README.md says how.",),
        ),
        folder / "report.html",
    )
    progress("measuring the video", 1.0)
    return rendered, report


def _write_seam(shown: ShownSeam, number: int, folder: Path) -> None:
    """Write the picture of a seam and its four seconds as WAV, under the number of each time that it is played."""
    sound: Recording = shown.view.played
    (folder / f"seam-{number:02d}.png").write_bytes(shown.picture)
    write_audio(folder / f"seam-{number:02d}.wav", [sound.samples], sound.sample_rate, sound.channels)


def _choice_section(choice: Choice) -> ReportSection:
    """The section of the page on the choice of the track."""
    rows = tuple(
        (
            loop.track.title, _score_of(loop, choice), f"{loop.answer.plan_score:.2f}", f"{loop.answer.seam_score:.2f}",
            str(len(loop.answer.seam_times)), clock(loop.answer.song_duration), loop.answer.end_label,
        )
        for loop in choice.loops
        if isinstance(loop.answer, LoopPlan)
    )  # fmt: skip
    head = ("track", "suits the video", "plan score", "worst seam", "seams", "length", "ending")
    tables = [Table(head, rows, frozenset({0}))]
    if choice.chosen is not None:
        why = tuple((line.called, line.video, line.audio, f"{line.score:.2f}") for line in choice.chosen.reasons)
        tables.insert(0, Table(("because of", "the video", "the music", "go together"), why))
    refused = tuple(
        (loop.track.title, _score_of(loop, choice), loop.answer.reason.value, loop.answer.hint)
        for loop in choice.loops
        if isinstance(loop.answer, Refusal)
    )
    if refused:
        tables.append(Table(("refused", "suits the video", "reason", "in words"), refused))
    chosen = () if choice.chosen is None else (choice.chosen.fit_explanation,)
    return ReportSection(
        "Why this track",
        (
            *chosen,
            choice.reasoning,
            "Of the bundled tracks the one that suits the video best and loops under it is served. How well a track "
            "suits goes from 0 to 1 and is fitted to labels of two people; the plan score says how well it loops "
            "(seams, freshness, ending).",
        ),
        tables=tuple(tables),
    )


def _score_of(loop: Planned, choice: Choice) -> str:
    found = choice.suits.get(loop.track.track_id)
    return "–" if found is None else f"{found.score:.2f}"
