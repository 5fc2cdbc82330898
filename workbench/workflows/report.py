"""The report of a loop or a fit: pictures and four seconds of sound of every seam, the other options of the plan, and
one page that holds them all.

Joins the views of `workbench.workflows.seams`, the pictures of `workbench.plots` and the page of
`workbench.export.page`. The demo writes the same page with the video and the choice of the track on top. The report of
a catalog has a row a track (`loops_table`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import numpy as np

from workbench.align.placements import NO_CLEAR_POINT
from workbench.analysis.progress import Progress
from workbench.analysis.track import Analysis
from workbench.analysis.video import analyze_video
from workbench.analysis.workspace import Workspace
from workbench.errors import StoreError, plain_seconds
from workbench.export.page import ReportCard, ReportPage, ReportSection, ReportSound, Table, page_html
from workbench.features.levels import LevelCurve, level_curve_of_blocks
from workbench.files import write_text
from workbench.media.audio import decode_blocks, encode_mp3
from workbench.media.video import still
from workbench.mix.balance import Duck, Mix
from workbench.mix.clarity import CLEAR_LU, PASSAGE_SECONDS, Passage, played_music, speech_over_music, worst_passages
from workbench.mix.limiter import limit_blocks
from workbench.mix.speech_band import deepest_under, duck_bands, duck_blocks
from workbench.params import DELIVERY_TARGETS, CoverParams, RenderParams, WorkbenchParams
from workbench.plans.plan import LoopPlan, PlanKind
from workbench.plans.refusals import Refusal
from workbench.plots.mix import mix_figure, soundtrack_in_words, uncertain_in_words
from workbench.plots.palette import clock, png
from workbench.plots.plan import plan_figure
from workbench.plots.seams import SeamView, seam_figure
from workbench.plots.video import PlayedMusic, Tile, VideoOverview, format_rate, frame_times, tile_spans, video_figure
from workbench.recording import FloatArray, Recording, counted
from workbench.render.delivery import asked_loudness, gain_for
from workbench.render.playback import render_blocks, seam_excerpt
from workbench.render.sound_levels import SoundLevels, measure_blocks
from workbench.render.video import Playback, gains_of, play_video
from workbench.results.plan_words import NO_SEAM, option_differences, repetition_line, seam_words
from workbench.video.analysis import VideoAnalysis
from workbench.workflows.align import align_track
from workbench.workflows.mix import measure_soundtrack, mix_under
from workbench.workflows.plan import Planned
from workbench.workflows.render import own_music_ranges, speech_ranges, uncertain_speech
from workbench.workflows.seams import EXCERPT_SECONDS, planned_scores, seam_views

_MP3_BIT_RATE = 160_000  # bit/s of the excerpts on a page
_MOST_HEARD_SECONDS = 600.0  # s of music that are put into a page whole; ten minutes are 16 MB of it
_BORDER_WORDS = {"hard": "hard cuts", "dissolve": "dissolves", "fade": "fades", "flash": "flashes"}
_BESIDE_SECONDS = 1.0  # s of sound to both sides of a passage that is played
_MOST_UNCERTAIN = 5  # stretches of possible speech that are played, the longest
_RAISED_TO = 0.5  # peak that the video's own sound is raised to where it is quieter
_FRAME_PIXELS, _TILE_PIXELS = 200, 128  # widths of the large frames and of the tiles of a timeline
_CATALOG_HEAD = (
    "track", "length", "bpm", "beats to the bar", "confidence", "seams", "worst seam", "plan score",
    "ending, or why there is no loop",
)  # fmt: skip
_MOST_TIMES = 6  # times of a seam that are listed; a long video passes some seams a hundred times


@dataclass(frozen=True, slots=True, eq=False)
class ShownSeam:
    """A seam with its picture and sounds."""

    view: SeamView
    numbers: tuple[int, ...]  # all seams of the plan that are this one, from 1
    picture: bytes  # PNG
    sound: bytes  # MP3 of what the plan plays
    left: bytes  # MP3 of the track played on past the place left


def show_seams(workspace: Workspace, plan: LoopPlan, recording: Recording, analysis: Analysis) -> list[ShownSeam]:
    """Draw every different seam of a plan and encode its sound, in the order of first playing."""
    stage = "drawing the seams"
    workspace.progress(stage, 0.0)
    views = seam_views(plan, recording, analysis, workspace.params.seams)
    shown = []
    for number, view in enumerate(views, start=1):
        shown.append(ShownSeam(view, _numbers(plan, view), png(seam_figure(view)), mp3(view.played), mp3(view.left)))
        workspace.progress(stage, number / len(views))
    return shown


def write_plan_report(workspace: Workspace, loop: Planned, out: Path) -> Path:
    """Write the page of a plan, whole or not at all.

    For a plan it shows its picture and seams, under a video also the timeline; for a refusal the reason.
    """
    name = loop.track.title
    video = loop.video.name if loop.video is not None else f"a video of {clock(loop.video_seconds)}"
    if isinstance(loop.answer, Refusal):
        why = ReportSection(
            "Why not",
            (loop.answer.hint,),
            tables=(Table(("reason",), ((loop.answer.reason.value,),)),),
        )
        done = "looped under" if loop.request.only_loop else "fitted to"
        return write_page(ReportPage(f"{name} cannot be {done} {video}", (), None, (why,)), out)
    recording = workspace.load_recording(loop.track.path)
    sections = _plan_sections(workspace, loop, loop.answer, recording)
    if loop.video is not None:
        sections.insert(0, video_section(video_timeline(workspace, loop, recording)))
        sections.append(mix_section(workspace, loop, recording))
    return write_page(ReportPage(f"{name} under {video}", (plan_sentence(loop.answer),), None, tuple(sections)), out)


def write_lengths_report(workspace: Workspace, several: Sequence[Planned], out: Path) -> Path:
    """Write the page of a track in several lengths: each plan, or why there is none, after the other."""
    track = several[0].track
    sections, sentences = [], []
    for planned in several:
        seconds = plain_seconds(planned.video_seconds)
        if isinstance(planned.answer, Refusal):
            sentences.append(f"{seconds} s: {planned.answer.hint}")
            continue
        sentences.append(f"{seconds} s: {plan_sentence(planned.answer)}")
        recording = workspace.load_recording(track.path)
        sections += [
            replace(section, heading=f"{seconds} s: {section.heading[0].lower()}{section.heading[1:]}")
            for section in _plan_sections(workspace, planned, planned.answer, recording, f" --length {seconds}")
        ]
    title = f"{track.title} in {len(several)} lengths"
    return write_page(ReportPage(title, tuple(sentences), None, tuple(sections)), out)


def _plan_sections(
    workspace: Workspace, loop: Planned, plan: LoopPlan, recording: Recording, chosen: str = ""
) -> list[ReportSection]:
    """The plan, its options and its seams; `chosen` is the option by which a command finds it among several."""
    assert loop.analysis is not None, "a plan comes from an analysis"
    seams = show_seams(workspace, plan, recording, loop.analysis)
    whole = _whole_music(workspace, loop, plan, recording, chosen)
    return [
        replace(plan_section(plan, loop, workspace.params.cover), cards=(whole,)),
        *options_sections(plan, loop, recording, workspace.params.cover, chosen),
        seams_section(plan, seams),
    ]


def plan_sentence(plan: LoopPlan) -> str:
    """Describe a plan in a sentence."""
    begins_again = plan.ending.restart_words
    seams, ending = len(plan.seam_times), replace(plan.ending, named_own=False).in_words
    worst = f", the worst of which scores {plan.seam_score:.2f}" if seams > plan.ending.restarts else ""
    joined = f"{counted(seams, 'seam')}{worst}"
    resolves = f"the music {begins_again + ', and ' if begins_again else ''}{ending} at {clock(plan.music_end)}"
    if plan.kind is PlanKind.LOOP:
        return (
            f"{clock(plan.song_duration)} of track cover {clock(plan.window_end)} of video with {joined}; {resolves}."
        )
    filled = f"{clock(plan.window_end)} of video are filled from {clock(plan.song_duration)} of track"
    how = f"cut down with {joined}" if seams else "played straight, with no seam"
    return f"{filled}, {how}; {resolves}."


def answer_markdown(answer: LoopPlan | Refusal) -> str:
    """The answer in Markdown, for a notebook: a plan as a sentence, a refusal as a table of its reason and hint."""
    if isinstance(answer, LoopPlan):
        return plan_sentence(answer)
    return f"| no loop | {answer.reason} |\n|:---|:---|\n| why, and what to do | {answer.hint} |"


def choose_option(workspace: Workspace, loop: Planned, number: int) -> Planned:
    """One option of a loop, by its number from 1, to be shown in place of the plan served, which is 1.

    Its mix is measured again where the one served has ducking and there is a video. A refusal has no options and stays.
    Raises `PlanError` if there is no such option.
    """
    if isinstance(loop.answer, Refusal):
        return loop
    plan = loop.answer.option(number)
    if number == 1:
        return loop
    mix = loop.mix
    if mix is not None and mix.duck is not None and loop.video is not None:
        mix = mix_under(workspace, plan, loop.track.path, loop.video)
    return replace(loop, answer=plan, mix=mix)


def video_timeline(workspace: Workspace, loop: Planned, recording: Recording) -> VideoOverview:
    """Gather everything that was found in a video and planned under it."""
    plan = loop.answer
    assert isinstance(plan, LoopPlan), "a refusal has no timeline"
    assert loop.video is not None, "a bare length has no timeline"
    assert loop.analysis is not None, "a plan comes from an analysis"
    watched = analyze_video(workspace, loop.video)
    alignment = align_track(workspace, loop.track, loop.video)
    frames, tiles = _pictures(loop.video, watched.picture.shots, workspace.progress)
    levels = level_curve_of_blocks(render_blocks(plan, recording, workspace.params.render), recording.sample_rate)
    gains = gains_of(loop.mix)
    gives_way = bool(gains.duck_points) and workspace.params.mix.own_music != "ignore"
    own_music = own_music_ranges(workspace, loop.video, loop.video_seconds) if gives_way else ()
    own = LevelCurve(watched.soundtrack.power, watched.soundtrack.peak).raised(gains.soundtrack_db)
    return VideoOverview(
        watched=watched,
        events=alignment.events,
        frames=frames,
        tiles=tiles,
        music=PlayedMusic(
            plan=plan,
            sections=tuple(loop.analysis.profile.sections),
            music_power=played_music(levels, gains.music_db, gains.duck_points).power,
            soundtrack_power=own.power,
            duck_points=gains.duck_points,
            own_music=own_music,
        ),
        placements=alignment.placements,
        track_span=(alignment.landmarks.first_sound, alignment.landmarks.last_sound),
        uncertain=uncertain_speech(workspace, loop.video, loop.mix),
    )


def _pictures(
    video: Path, shots: tuple[tuple[float, float], ...], progress: Progress
) -> tuple[tuple[tuple[float, np.ndarray], ...], tuple[Tile, ...]]:
    """The large frames and the tiles of the strip."""
    stage = "looking at the shots"
    times, spans = frame_times(shots), tile_spans(shots)
    frames: list[tuple[float, np.ndarray]] = []
    for time in times:
        progress(stage, len(frames) / (len(times) + len(spans)))
        frames.append((time, still(video, time, _FRAME_PIXELS).pixels))
    tiles: list[Tile] = []
    for first, last, at in spans:
        progress(stage, (len(times) + len(tiles)) / (len(times) + len(spans)))
        tiles.append(Tile(first, last, still(video, at, _TILE_PIXELS).pixels))
    progress(stage, 1.0)
    return tuple(frames), tuple(tiles)


def video_section(timeline: VideoOverview) -> ReportSection:
    """The section of the page on the video from start to end, with what was detected in it and planned."""
    placements = timeline.placements
    facts = [*video_summary(timeline.watched), ("events to land on", _counted_events(timeline))]
    best = placements[0] if placements else None
    if best is None:
        facts.append(("best sync point, not looped", NO_CLEAR_POINT))
    else:
        facts.append(("best sync point, not looped", f"{best.in_words}, score {best.score:.2f}"))
    return ReportSection(
        "The video",
        (
            "On one clock: pictures, the events an editor would hit, sound and its level, how far the music is "
            "lowered, and which part of the track plays.",
        ),
        picture=png(video_figure(timeline)),
        tables=(Table(("", ""), tuple(facts)),),
    )


def video_summary(watched: VideoAnalysis) -> tuple[tuple[str, str], ...]:
    """Measurements of a video, in words: pairs of name and value."""
    picture, sound = watched.picture, watched.soundtrack
    shots, kinds = len(picture.shots), [str(border.kind) for border in picture.borders]
    found = [f"{kinds.count(kind)} {word}" for kind, word in _BORDER_WORDS.items() if kinds.count(kind)]
    spoken = sum(end - start for start, end in sound.speech_ranges)
    share = f", {spoken:.0f} s in all, {100 * spoken / watched.duration:.0f} %" if spoken else ""
    return (
        ("picture", f"{clock(watched.duration)} of {watched.width}x{watched.height} at {watched.fps:.4g} a second"),
        ("shots", f"{shots}, {format_rate(shots, watched.duration)} ({', '.join(found) or 'no cut'})"),
        ("speech", f"{len(sound.speech_ranges)} utterances{share}"),
        ("the soundtrack", sound.classification),
    )


def _counted_events(timeline: VideoOverview) -> str:
    marks = timeline.events.marks
    return ", ".join(f"{name} {marks.of(name).size}" for name in marks.names if marks.of(name).size)


def plan_section(plan: LoopPlan, loop: Planned, params: CoverParams) -> ReportSection:
    """The section of the page that shows the whole plan."""
    assert loop.analysis is not None, "a plan comes from an analysis"
    body, gains = plan.body, gains_of(loop.mix)
    played = ("played as", f"a {plan.kind.in_words}")
    if body is not None:
        played = ("body that plays longest", f"{body.bars} bars from {clock(body.song_from)}, {body.repeats} times")
    facts = [
        played,
        ("parts of the track used", ", ".join(plan.sections_covered) or "none that could be distinguished"),
        ("start", plan.start_label),
        ("ending", plan.end_label),
        ("worst seam", _worst_seam(plan)),
        ("plan score", f"{plan.plan_score:.2f}"),
    ]
    grid = loop.analysis.grid
    if grid.downbeats.size:
        facts += [
            ("tempo", f"{grid.tempo_bpm:.2f} bpm, {plan.beats_per_bar} beats to the bar"),
            ("confidence of the bar lines", f"{grid.confidence:.2f}"),
        ]
    worn = repetition_line(plan, loop.analysis.profile, params, loop.request.constraints)
    if worn is not None:
        facts.append(("what a listener notices", worn))
    return ReportSection(
        "The plan",
        ("Below the track, above it the video; ribbons show which part of the track plays where.",),
        picture=png(plan_figure(plan, loop.analysis.profile, gains.duck_points, gains.speech_ranges)),
        picture_text=("Numbers mark the seams. " if plan.seam_times else "")
        + "The same colour means that parts of the track repeat each other.",
        tables=(Table(("", ""), tuple(facts)),),
    )


def _whole_music(
    workspace: Workspace, loop: Planned, plan: LoopPlan, recording: Recording, chosen: str = ""
) -> ReportCard:
    """All that a plan plays, to hear and to save; of a long plan the command that writes it."""
    title = "The music, whole"
    if plan.window_end > _MOST_HEARD_SECONDS:
        writes = f"`workbench render PLAN.json{chosen}` writes it."
        text = f"It lasts {clock(plan.window_end)}, too long for this page: {writes}"
        return ReportCard(title, text, None, (), None)
    workspace.progress("encoding the music", 0.0)
    blocks = render_blocks(plan, recording, workspace.params.render)
    encoded = encode_mp3(blocks, recording.sample_rate, recording.channels, _MP3_BIT_RATE)
    workspace.progress("encoding the music", 1.0)
    named = re.sub(r"\W+", "-", loop.track.title).strip("-") or "music"
    music = ReportSound("the music", encoded, f"{named}-{plain_seconds(plan.window_end)}s.mp3")
    command = f"; `workbench render PLAN.json{chosen} --video VIDEO` writes the finished video"
    under = "" if loop.video is None else command
    return ReportCard(title, f"All that the plan plays, alone and at its own level{under}.", None, (music,), None)


def options_sections(
    plan: LoopPlan, loop: Planned, recording: Recording, params: CoverParams, chosen: str = ""
) -> tuple[ReportSection, ...]:
    """The section of the page that compares the options of a plan, and shows and plays the other ones.

    Each of these has its picture and the worst of its seams to play; the served one has the rest of the page. `chosen`
    is what `render` and `export` need to find the plan among those of several lengths, such as ` --length 15`. None for
    a plan without other options.
    """
    analysis, options = loop.analysis, plan.options
    if len(options) < 2:
        return ()
    assert analysis is not None, "a plan comes from an analysis"
    differences = ("", *option_differences(plan, analysis.profile, params, loop.request.constraints)[1:])
    rows = tuple(
        (
            f"option {number}", words or "the plan served", option.end_label, str(len(option.seam_times)),
            _worst_seam(option), f"{option.plan_score:.2f}",
        )
        for number, (option, words) in enumerate(zip(options, differences, strict=True), start=1)
    )  # fmt: skip
    cards = tuple(
        _option_card(number, option, words, analysis, recording)
        for number, (option, words) in enumerate(zip(options, differences, strict=True), start=1)
        if number > 1
    )
    return (
        ReportSection(
            "The options",
            (
                "Other plans for the same track and length; all else belongs to the first, the plan served. "
                f"`workbench render PLAN.json{chosen} --option N` plays another one, `export PLAN.json{chosen} "
                "--option N` writes it.",
            ),
            tables=(
                Table(("", "what is different", "ending", "seams", "worst seam", "plan score"), rows, frozenset({0})),
            ),
            cards=cards,
        ),
    )


def _worst_seam(plan: LoopPlan) -> str:
    if not plan.seam_times:
        return "no seam"
    restarts = plan.ending.restarts
    if len(plan.seam_times) == restarts:
        return "none but where the track begins again"
    return f"{plan.seam_score:.2f}{', but for where the track begins again' if restarts else ''}"


def _option_card(number: int, option: LoopPlan, words: str, analysis: Analysis, recording: Recording) -> ReportCard:
    text = f"What is different: {words}. {plan_sentence(option)}"
    sounds: tuple[ReportSound, ...] = ()
    if option.seam_times:
        scores = [1.0 if score is None else score for score in planned_scores(option, analysis)]
        worst = int(np.argmin(scores))
        at = clock(option.seam_times[worst])
        what = seam_words(option, analysis.profile, worst)
        where = f"{at} ({what})" if what else at
        text = f"{text} Its worst seam, at {where}, in the middle of four seconds:"
        sounds = (ReportSound("its worst seam", mp3(seam_excerpt(option, recording, worst, EXCERPT_SECONDS))),)
    return ReportCard(
        title=f"Option {number}",
        text=text,
        picture=png(plan_figure(option, analysis.profile)),
        sounds=sounds,
        video_s=None,
    )


def seams_section(plan: LoopPlan, seams: Sequence[ShownSeam]) -> ReportSection:
    """The section of the page that lists, shows and plays the seams."""
    if not plan.seam_times:
        return ReportSection("The seams", (NO_SEAM,))
    head = (
        "seam",
        "in the video",
        "leaves",
        "enters",
        "score",
        *seams[0].view.named_parts,
        "level step, LU",
        "fade, ms",
    )
    rows = []
    for shown in seams:
        view = shown.view
        step = f"{round(view.level_step_db, 1) + 0.0:+.1f}" if np.isfinite(view.level_step_db) else "?"
        rows.append(
            (
                _few(shown.numbers), _times(plan, shown), clock(view.leave_s), clock(view.enter_s), f"{view.score:.2f}",
                *(f"{part:.2f}" for part in view.parts), step, f"{1000 * view.fade_seconds:.0f}",
            )
        )  # fmt: skip
    cards = tuple(
        ReportCard(
            title="Seam " + _few(shown.numbers),
            text=f"At {_times(plan, shown)}. What the plan plays is drawn over what the track has: where both look "
            "alike, the splice does not show. Four seconds, the seam in the middle:",
            picture=shown.picture,
            sounds=(ReportSound("as played", shown.sound), ReportSound("the track played on instead", shown.left)),
            video_s=shown.view.video_s,
        )
        for shown in seams
    )
    return ReportSection(
        "The seams",
        (
            "A seam score goes from 0 to 1 and is fitted to an automatic judge. A part of it is 1 where there is no "
            "break at all; the yardstick is the track itself, one of whose own bars is skipped. A seam that the plan "
            "passes several times is listed once.",
        ),
        tables=(Table(head, tuple(rows)),),
        cards=cards,
    )


def mix_section(
    workspace: Workspace, loop: Planned, recording: Recording, rendered: Recording | None = None
) -> ReportSection:
    """The section of the page on levels and ducking: what is measured, delivery, the least clear speech to play.

    Without `rendered` the sound is played as `workbench render` would, before the codec.
    """
    assert isinstance(loop.answer, LoopPlan), "a refusal has no mix"
    assert loop.video is not None, "a bare length has no soundtrack"
    workspace.progress("measuring the levels", 0.0)
    duck = loop.mix.duck if loop.mix is not None else None
    speech = speech_ranges(workspace, loop.video, loop.mix)
    passages = _passages(workspace, loop, recording, speech)
    shown = worst_passages(passages)
    if rendered is not None:
        blocks, rate = iter((rendered.samples,)), rendered.sample_rate
    else:
        params = workspace.params.render
        rate = params.video_sample_rate
        playback = Playback(loop.answer, recording, loop.mix, audio=workspace.audio)
        played = play_video(playback, loop.video, params)
        blocks = limit_blocks(played, rate, params)
    clips = _Clips(rate, [(each.start - _BESIDE_SECONDS, each.end + _BESIDE_SECONDS) for each in shown])
    levels = measure_blocks(clips.listen(blocks), rate, speech)
    peak = f"{levels.loudness_lufs:.1f} LUFS, true peak {levels.true_peak_dbtp:.1f} dBTP"
    facts = [
        ("the video as rendered" if rendered is not None else "the video as it would be rendered", peak),
        *_loudness_facts(levels),
    ]
    own_music: Sequence[Sequence[float]] = ()
    if loop.mix is not None and loop.mix.classification not in ("silent", "none"):
        own_music = own_music_ranges(workspace, loop.video, loop.video_seconds)
    text, about_mix = _mix_in_words(loop.mix, own_music, workspace.params)
    facts += about_mix
    uncertain = uncertain_speech(workspace, loop.video, loop.mix)
    if uncertain:
        facts.append(("perhaps speech too", f"{uncertain_in_words(uncertain)}; nothing is lowered for it"))
    picture = None
    if duck is not None and rendered is not None:
        ducked = duck_bands(duck.envelope_points, duck.speech_ranges, workspace.params.render)
        outside = ducked.outside if ducked.differ else ()
        picture = png(mix_figure(ducked.inside, duck.speech_ranges, rendered, None, own_music, outside, uncertain))
    if shown:
        over = np.array([each.over_lu for each in passages if np.isfinite(each.over_lu)])
        facts.append(
            ("speech over music", f"median {np.median(over):.1f} LU, worst tenth {np.quantile(over, 0.1):.1f} LU")
        )
    cards = _speech_cards(shown, clips.recordings()) + _uncertain_cards(workspace, loop.video, uncertain)
    workspace.progress("measuring the levels", 1.0)
    tables = (Table(("", ""), tuple(facts)), _delivery_table(levels, workspace))
    texts = [text]
    if shown:
        texts.append(
            f"Speech over music is measured in passages of {PASSAGE_SECONDS:g} s at most; the least clear ones are "
            "below to hear, worst first."
        )
    return ReportSection("Levels", tuple(texts), picture=picture, tables=tables, cards=cards)


def _mix_in_words(
    mix: Mix | None, own_music: Sequence[Sequence[float]], params: WorkbenchParams
) -> tuple[str, list[tuple[str, str]]]:
    """What a mix does, and the facts of it."""
    if mix is None:
        return "No mix was asked for: music and soundtrack play at their own levels.", []
    facts: list[tuple[str, str]] = [("the soundtrack", mix.classification)]
    if own_music:
        spans = ", ".join(f"{clock(first)} to {clock(last)}" for first, last in own_music)
        facts.append(("music that the video has of its own", spans))
    soundtrack = soundtrack_in_words(mix.classification).capitalize()
    duck = mix.duck
    if duck is None:
        both = "the music plays at its own level"
        if mix.classification not in ("silent", "none"):
            both = "music and soundtrack play at their own levels"
        return f"{soundtrack}: {both}.", facts
    if not mix.voiceover:
        facts.append(("deepest attenuation under it", f"{duck.depth_db:.1f} dB"))
        return f"{soundtrack}. Where the video has music of its own, ours gives way to it.", facts
    spoken = sum(last - first for first, last in duck.speech_ranges)
    facts += [
        ("speech", f"{len(duck.speech_ranges)} utterances, {spoken:.0f} s in all"),
        ("gain of the voice", f"{mix.video_gain_db:+.1f} dB"),
        ("gain of the music", f"{mix.music_gain_db:+.1f} dB"),
        ("deepest attenuation under speech", _depth_in_words(duck, params.render)),
    ]
    text = (
        "The music is brought to about the loudness of the voice, then moves out of its way: down before the first "
        "syllable, up again when a pause is long enough."
    )
    if own_music and params.mix.own_music != "ignore":
        text += " Where the video has music of its own, ours gives way to it too."
    return text, facts


def _speech_cards(passages: Sequence[Passage], clips: Iterable[Recording]) -> tuple[ReportCard, ...]:
    """The least clear speech over music, to play."""
    return tuple(
        ReportCard(
            title=f"Speech over music, {number} of the {len(passages)} least clear: {each.over_lu:.1f} LU",
            text=f"From {clock(each.start)} to {clock(each.end)}"
            + (f"; listeners ask for {CLEAR_LU:g} LU at least." if each.over_lu < CLEAR_LU else "."),
            picture=None,
            sounds=(ReportSound("as it is mixed", mp3(clip)),),
            video_s=each.start,
        )
        for number, (each, clip) in enumerate(zip(passages, clips, strict=True), start=1)
    )


def _uncertain_cards(
    workspace: Workspace, video: Path, uncertain: Sequence[tuple[float, float]]
) -> tuple[ReportCard, ...]:
    """The longest stretches of possible speech, to play without the music, in order of time."""
    longest = sorted(sorted(uncertain, key=lambda one: one[0] - one[1])[:_MOST_UNCERTAIN])
    if not longest:
        return ()
    params, rate = workspace.params.render, workspace.params.render.video_sample_rate
    clips = _Clips(rate, [(start - _BESIDE_SECONDS, end + _BESIDE_SECONDS) for start, end in longest])
    blocks = decode_blocks(video, params.block_seconds, rate, workspace.audio)
    for _ in clips.listen(block.samples for block in blocks):
        pass
    return tuple(
        ReportCard(
            title=f"Perhaps speech, {clock(start)} to {clock(end)}",
            text="A whisper, a far voice, talk under music, or singing: whether it is speech is not clear, and "
            "nothing is lowered for it. The video's own sound, raised where it is quiet:",
            picture=None,
            sounds=(ReportSound("the video's own sound", mp3(_raised(clip))),),
            video_s=start,
        )
        for (start, end), clip in zip(longest, clips.recordings(), strict=True)
    )


def _raised(sound: Recording) -> Recording:
    """The sound, louder where it is quiet."""
    peak = float(np.abs(sound.samples).max(initial=0.0))
    if not 0.0 < peak < _RAISED_TO:
        return sound
    return Recording.from_samples(sound.samples * np.float32(_RAISED_TO / peak), sound.sample_rate)


def _depth_in_words(duck: Duck, params: RenderParams) -> str:
    """How far the music goes down under speech at most, and where it goes down less."""
    ducked = duck_bands(duck.envelope_points, duck.speech_ranges, params)
    deepest = deepest_under(duck.envelope_points, duck.speech_ranges)
    if not ducked.differ:
        return f"{deepest:.1f} dB"
    inside, outside = ducked.depths(duck.speech_ranges)
    return (
        f"in bands: {inside:.1f} dB in the band of speech, {outside:.1f} dB below and above it; {deepest:.1f} dB "
        "in exports, which lower all of the music"
    )


def _passages(
    workspace: Workspace, loop: Planned, recording: Recording, speech: Sequence[Sequence[float]]
) -> tuple[Passage, ...]:
    """How far speech is above the music, as the plan and its mix play."""
    assert isinstance(loop.answer, LoopPlan), "a refusal has no mix"
    assert loop.video is not None, "a bare length has no soundtrack"
    soundtrack = measure_soundtrack(workspace, loop.video).levels
    if soundtrack is None or not speech:
        return ()
    gains, params = gains_of(loop.mix), workspace.params.render
    ducked = duck_bands(gains.duck_points, gains.speech_ranges, params)
    if ducked.differ:
        blocks = duck_blocks(render_blocks(loop.answer, recording, params), recording.sample_rate, ducked)
        music = level_curve_of_blocks(blocks, recording.sample_rate).raised(gains.music_db)
    else:
        played = level_curve_of_blocks(render_blocks(loop.answer, recording, params), recording.sample_rate)
        music = played_music(played, gains.music_db, ducked.inside)
    return speech_over_music(soundtrack.raised(gains.soundtrack_db), music, speech)


class _Clips:
    """Cuts stretches out of a stream while it passes; `spans` are pairs of seconds, in any order, which may overlap."""

    def __init__(self, rate: int, spans: Sequence[tuple[float, float]]) -> None:
        self._rate = rate
        self._spans = [(max(0, round(first * rate)), round(last * rate)) for first, last in spans]
        self._pieces: list[list[FloatArray]] = [[] for _ in spans]

    def listen(self, blocks: Iterable[FloatArray]) -> Iterator[FloatArray]:
        """Pass blocks of shape (channels, n) on."""
        done = 0
        for block in blocks:
            for (first, stop), pieces in zip(self._spans, self._pieces, strict=True):
                piece = block[:, max(0, first - done) : max(0, stop - done)]
                if piece.shape[1]:
                    pieces.append(piece.copy())
            done += block.shape[1]
            yield block

    def recordings(self) -> list[Recording]:
        """The stretches, in the order of the spans; silent where the stream did not reach."""
        silence = np.zeros((2, self._rate), dtype=np.float32)
        return [
            Recording.from_samples(np.concatenate(pieces or [silence], axis=1), self._rate) for pieces in self._pieces
        ]


def _loudness_facts(levels: SoundLevels) -> list[tuple[str, str]]:
    """What the meters of EBU mode say, and the dialogue."""
    spread, spoken = levels.loudness_range_lu, levels.dialogue_lufs
    share = f"{100 * levels.dialogue_share:.0f} % of the time"
    return [
        ("loudness range", "none: silent, or shorter than 3 s" if spread is None else f"{spread:.1f} LU"),
        ("loudest 400 ms, 3 s", f"{levels.max_momentary_lufs:.1f}, {levels.max_short_term_lufs:.1f} LUFS"),
        ("dialogue", "no speech was found" if spoken is None else f"{spoken:.1f} LUFS, {share}"),
    ]


def _delivery_table(levels: SoundLevels, workspace: Workspace) -> Table:
    """The requirement of each delivery target, and the gain that meets it."""
    rows = []
    for name, target in DELIVERY_TARGETS.items():
        found = gain_for(levels, target, workspace.params.render)
        asked, measured, dialogue = asked_loudness(levels, target)
        what = "of the speech" if dialogue else "of the whole"
        reached = "reached" if found.missing_lu == 0.0 else f"{found.missing_lu:.1f} LU are missing"
        loudest = levels.max_short_term_lufs + found.gain_db
        if target.max_short_term_lufs is not None and loudest > target.max_short_term_lufs:
            reached = f"the loudest 3 s have {loudest:.1f} LUFS, more than {target.max_short_term_lufs:g}"
        if not np.isfinite(measured):
            reached = "silent"
        rows.append(
            (
                name, f"{asked:g} LUFS {what}, {target.ceiling_dbtp:g} dBTP", f"{found.gain_db:+.1f} dB",
                f"{found.limiting_db:.1f} dB", reached,
            )
        )  # fmt: skip
    head = ("delivery as", "asks for", "gain", "off the highest peak", "target")
    return Table(head, tuple(rows))


def _numbers(plan: LoopPlan, view: SeamView) -> tuple[int, ...]:
    """Numbers, from 1, of the seams of the plan that leave and enter where the seam of the view does."""
    pairs = zip(plan.segments[:-1], plan.segments[1:], strict=True)
    place = (view.leave_s, view.enter_s)
    return tuple(n for n, (left, entered) in enumerate(pairs, start=1) if (left.song_to, entered.song_from) == place)


def _few(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers[:_MOST_TIMES]) + (" …" if len(numbers) > _MOST_TIMES else "")


def _times(plan: LoopPlan, shown: ShownSeam) -> str:
    """All times at which a seam plays."""
    times = [clock(plan.seam_times[number - 1]) for number in shown.numbers]
    return ", ".join(times[:_MOST_TIMES]) + (
        f" and {len(times) - _MOST_TIMES} more" if len(times) > _MOST_TIMES else ""
    )


def mp3(sound: Recording) -> bytes:
    """Encode a short recording as MP3, in the quality of the page."""
    return encode_mp3([sound.samples], sound.sample_rate, sound.channels, _MP3_BIT_RATE)


def write_page(page: ReportPage, out: Path) -> Path:
    """Write a page, whole or not at all."""
    write_text(out, page_html(page), StoreError)
    return out


def loops_table(loops: Sequence[Planned], reports: Sequence[tuple[str, str]]) -> str:
    """An HTML table with a row for each loop, with all text escaped.

    `reports` holds for each loop the address of its own report, empty without one, and the reason why there is none.
    """
    rows = ["".join(f"<th style='text-align: left'>{name}</th>" for name in _CATALOG_HEAD)]
    for loop, (link, fault) in zip(loops, reports, strict=True):
        cells = [
            _linked_title(loop, link, fault),
            *(escape(cell) for cell in (*_of_track(loop), *_of_answer(loop.answer))),
        ]
        rows.append("".join(f"<td style='text-align: left'>{cell}</td>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _linked_title(loop: Planned, link: str, fault: str) -> str:
    title = loop.track.title
    return f'<a href="{escape(link)}">{escape(title)}</a>' if link else escape(f"{title} {fault}".strip())


def _of_track(loop: Planned) -> tuple[str, str, str, str]:
    """Length, tempo, metre and confidence; empty where the track was not analysed."""
    if loop.analysis is None:
        return "", "", "", ""
    grid = loop.analysis.grid
    return clock(loop.analysis.duration), f"{grid.tempo_bpm:.0f}", str(grid.beats_per_bar), f"{grid.confidence:.2f}"


def _of_answer(answer: LoopPlan | Refusal) -> tuple[str, str, str, str]:
    """Seams, worst seam, plan score and ending; of a refusal, the reason alone."""
    if isinstance(answer, Refusal):
        return "", "", "", f"{answer.reason}: {answer.hint}"
    return str(len(answer.seam_times)), f"{answer.seam_score:.2f}", f"{answer.plan_score:.2f}", answer.end_label
