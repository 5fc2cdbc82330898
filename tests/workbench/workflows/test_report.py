"""The report of a loop or a fit: what the plan does in words, and one page with every seam."""

from __future__ import annotations

import base64
import io
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.videos import grey, write_video
from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.export.page import ReportCard
from workbench.files import bundled_path
from workbench.media.audio import decode, resample
from workbench.params import DELIVERY_TARGETS, RenderParams, VoiceParams, WorkbenchParams
from workbench.plans import refusals
from workbench.plans.plan import PlanKind
from workbench.plans.request import LOOP_ALONE
from workbench.recording import Recording
from workbench.store.home import Home
from workbench.workflows.mix import mix_under
from workbench.workflows.plan import plan_lengths, plan_track
from workbench.workflows.report import (
    _whole_music,
    answer_markdown,
    mix_section,
    mp3,
    plan_sentence,
    write_lengths_report,
    write_plan_report,
)


def test_a_sentence_counts_seams_and_names_the_worst() -> None:
    one = make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    assert plan_sentence(one).startswith(
        "0:12 of track cover 0:20 of video with 1 seam, the worst of which scores 1.00"
    )
    rows = [(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)]
    assert "with 2 seams" in plan_sentence(make_plan(rows, [0.02, 0.02], [1.0, 1.0], song_duration=12.0))


def test_an_answer_in_words_is_the_plan_or_the_reason() -> None:
    plan = make_plan([(0.0, 10.0, 0.0, 0.0), (1.0, 11.0, 0.0, 0.0)], [0.02], [1.0], song_duration=12.0)
    assert plan_sentence(plan) in answer_markdown(plan)
    refusal = refusals.no_viable_loop("nothing repeats")
    assert refusal.hint in answer_markdown(refusal)


def test_excerpts_are_mp3_of_the_same_length() -> None:
    sound = Recording.from_samples(0.1 * np.sin(np.arange(2 * 44_100) / 20.0), 44_100)
    samples, rate = soundfile.read(io.BytesIO(mp3(sound)))
    assert len(samples) / rate == pytest.approx(2.0, abs=0.06)


def test_the_page_of_a_refusal_holds_the_reason(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    refused = plan_track(workspace, track, 10.0, LOOP_ALONE)
    reason = write_plan_report(workspace, refused, tmp_path / "refused.html").read_text()
    assert "clicks cannot be looped under a video of 0:10" in reason
    assert "Play the track straight" in reason
    assert "video_not_longer" in reason


@pytest.fixture(scope="module")
def spoken_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty-five seconds of shots of five seconds under the bundled narration."""
    seconds, rate = 65, 48_000
    narration = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    voice = resample(narration.mono(), narration.sample_rate, rate)[: seconds * rate].astype(np.float32)
    shots = (grey(40 * (k // 50 % 6)) for k in range(10 * seconds))
    path = tmp_path_factory.mktemp("video") / "spoken.mp4"
    return write_video(path, shots, 10, sound=voice[None, :], sample_rate=rate)


@pytest.mark.slow
def test_the_page_plays_the_ten_least_clear_passages_and_says_what_delivery_takes(
    track: Path, spoken_video: Path, tmp_path: Path
) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    ducked = plan_track(workspace, track, spoken_video, LOOP_ALONE, auto_mix=True)
    page = write_plan_report(workspace, ducked, tmp_path / "ducked.html").read_text()
    levels = page[page.index("<h2>Levels</h2>") :]
    over = [float(lu) for lu in re.findall(r"<h3>Speech over music, \d+ of the \d+ least clear: (-?[\d.]+) LU", levels)]
    assert 5 <= len(over) <= 10
    assert over == sorted(over)
    assert over[0] > 10.0
    assert levels.count("<audio controls") == len(over)
    assert all(f"<td>{name}</td>" in levels for name in DELIVERY_TARGETS)
    assert re.search(r"<td>dialogue</td><td>-[\d.]+ LUFS, \d+ % of the time</td>", levels)
    assert "loudness range" in levels
    assert "listeners ask for" not in levels

    params = WorkbenchParams(render=RenderParams(ducking="bands", speech_band_depth=1.0, other_bands_depth=0.0))
    section = mix_section(workspace.with_params(params), ducked, workspace.load_recording(track), None)
    facts = {name: fact for name, fact, *_ in section.tables[0].rows}
    assert facts["deepest attenuation under speech"].startswith("in bands: ")
    assert float(section.cards[0].title.split(": ")[1].split()[0]) < over[0], "more of the music is heard"

    assert "perhaps speech too" not in facts

    plain = plan_track(workspace, track, spoken_video, LOOP_ALONE)
    page = write_plan_report(workspace, plain, tmp_path / "plain.html").read_text()
    levels = page[page.index("<h2>Levels</h2>") :]
    loud = [float(lu) for lu in re.findall(r"least clear: (-?[\d.]+) LU", levels)]
    assert loud[0] < min(over)
    assert "listeners ask for 10 LU at least" in levels


def test_where_somebody_may_speak_is_said_and_played(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    narration = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    voice = narration.samples[:, round(26 * narration.sample_rate) : round(36 * narration.sample_rate)]
    pictures = (grey(40 * (k % 6)) for k in range(20))
    video = write_video(tmp_path / "spoken.mp4", pictures, 2, sound=voice, sample_rate=narration.sample_rate)
    fitted = plan_track(workspace, track, 10.0)
    under, recording = replace(fitted, video=video), workspace.load_recording(track)

    def section(voice: VoiceParams) -> tuple[dict[str, str], list[ReportCard]]:
        found = mix_section(workspace.with_params(WorkbenchParams(voice=voice)), under, recording)
        facts = {name: fact for name, fact, *_ in found.tables[0].rows}
        return facts, [card for card in found.cards if card.title.startswith("Perhaps speech, ")]

    facts, cards = section(VoiceParams())
    assert "perhaps speech too" not in facts
    assert cards == []
    facts, cards = section(VoiceParams(min_spoken_odds=5.0))
    assert facts["perhaps speech too"].endswith("; nothing is lowered for it")
    assert all(card.title.removeprefix("Perhaps speech, ") in facts["perhaps speech too"] for card in cards)
    assert 1 <= len(cards) <= 5
    starts = [card.video_s for card in cards if card.video_s is not None]
    assert len(starts) == len(cards)
    assert starts == sorted(starts)
    assert all(card.sounds[0].name == "the video's own sound" for card in cards)
    assert len(cards[0].sounds[0].mp3) > 10_000


def test_a_few_words_and_own_music_are_said_as_they_are_heard(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    fitted = plan_track(workspace, track, 20.0)
    narration = decode(bundled_path("data", "bundled", "voice", "narration.ogg"))
    rate = narration.sample_rate
    few = np.zeros((1, 20 * rate), dtype=np.float32)
    few[0, rate : 3 * rate] = narration.mono()[26 * rate : 28 * rate]
    played = decode(bundled_path("data", "bundled", "music", "corner_store.ogg"))
    music = resample(played.mono(), played.sample_rate, rate)[None, 20 * rate : 40 * rate].astype(np.float32)

    def levels(name: str, sound: np.ndarray | None, own_music: str) -> tuple[str, dict[str, str]]:
        there = workspace.with_params(WorkbenchParams.model_validate({"mix": {"own_music": own_music}}))
        shots = (grey(40 * (k % 6)) for k in range(40))
        video = write_video(tmp_path / f"{name}.mp4", shots, 2, sound=sound, sample_rate=rate)
        mix = mix_under(there, fitted.plan, track, video)
        found = mix_section(there, replace(fitted, video=video, mix=mix), there.load_recording(track))
        return str(found.text[0]), {name: fact for name, fact, *_ in found.tables[0].rows}

    text, facts = levels("few-words", few, "ignore")
    assert facts["the soundtrack"] == "voice"
    assert "too little for a voice-over" in text
    assert "their own levels" in text
    text, facts = levels("words-over-music", few + 0.1 * music, "yield")
    assert (facts["the soundtrack"], "deepest attenuation under it" in facts) == ("voice", True)
    assert "too little for a voice-over" in text
    assert "music of its own" in text
    text, facts = levels("music", 0.3 * music, "ignore")
    assert "It has no speech" in text
    assert "their own levels" in text
    text, facts = levels("soundless", None, "ignore")
    assert "no sound" in text


def test_the_page_of_a_straight_plan_says_that_it_has_no_seam(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    fit = plan_track(workspace, track, 30.0)
    assert fit.plan.kind is PlanKind.STRAIGHT
    text = write_plan_report(workspace, fit, tmp_path / "straight.html").read_text()
    assert re.search(r"0:30 of video [^<]* 0:32 of track, [^<]*straight", text)
    assert "<td>played as</td><td>a straight plan</td>" in text
    assert re.search(r"<h2>The seams</h2>\n<p>[^<]*no seam[^<]*</p>\n</section>", text)
    heard = re.findall(r'src="data:audio/mpeg;base64,([^"]+)"', text)[0]
    samples, rate = soundfile.read(io.BytesIO(base64.b64decode(heard)))
    assert len(samples) / rate == pytest.approx(30.0, abs=0.06)
    assert '<button type=button data-save="clicks-30s.mp3">save clicks-30s.mp3</button>' in text


@pytest.mark.slow
def test_a_page_holds_the_plans_of_several_lengths(
    track: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.workflows.report._MOST_HEARD_SECONDS", 60.0)
    workspace = Workspace(Home(tmp_path / "home"))
    several = plan_lengths(workspace, track, (10.0, 65.0))
    assert [one.plan.kind for one in several] == [PlanKind.STRAIGHT, PlanKind.LOOP]
    text = write_lengths_report(workspace, several, tmp_path / "both.html").read_text()
    assert "<h1>clicks in 2 lengths</h1>" in text
    short, long = (text.index(f"<h2>{seconds} s: the plan</h2>") for seconds in (10, 65))
    # Each command names its plan: `render` asks which of several it is to play.
    assert "<code>workbench render PLAN.json --length 65</code> writes it." in text
    commands = re.findall(r"workbench render PLAN.json[^<]*", text)
    assert all(re.match(r"workbench render PLAN.json --length (10|65)\b", command) for command in commands)
    assert "no seam: it plays the track straight" in text[short:long]
    assert "data:audio/mpeg" in text[long:]


def test_the_whole_music_is_encoded_without_being_whole_in_memory(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home")).with_params(WorkbenchParams(render=RenderParams(block_seconds=1.0)))
    loop = plan_track(workspace, track, 60.0)
    recording = workspace.load_recording(track)
    mp3(recording)  # what is imported for it takes memory once
    tracemalloc.start()
    (sound,) = _whole_music(workspace, loop, loop.plan, recording).sounds
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert soundfile.info(io.BytesIO(sound.mp3)).duration == pytest.approx(60.0, abs=0.06)
    assert peak < 0.7 * 60.0 * recording.sample_rate * recording.samples.itemsize


@pytest.mark.slow
def test_music_too_long_for_a_page_is_named_with_the_command_that_writes_it(track: Path, tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    text = write_plan_report(workspace, plan_track(workspace, track, 601.0), tmp_path / "long.html").read_text()
    assert re.search(r"10:01, too long [^<]*<code>workbench render PLAN.json</code>", text)
    assert "data-save=" not in text


def test_music_without_bars_has_a_page_too(tmp_path: Path) -> None:
    workspace = Workspace(Home(tmp_path / "home"))
    fit = plan_track(workspace, bundled_path("data", "bundled", "music", "silence.ogg"), 10.0)
    text = write_plan_report(workspace, fit, tmp_path / "silence.html").read_text()
    assert "played straight, with no seam" in text
