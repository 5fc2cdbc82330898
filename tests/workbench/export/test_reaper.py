"""REAPER projects are read back by a small reader of their format, played, and compared with the renderer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.workbench.played import make_plan
from workbench.analysis.workspace import Workspace
from workbench.beats.grid import BeatGrid
from workbench.errors import ParameterError
from workbench.export.reaper import quoted, write_reaper
from workbench.plans.plan import LoopPlan
from workbench.recording import FloatArray
from workbench.render.schedule import PlacedTrack
from workbench.results.mix import MixBody
from workbench.workflows.export import export_plan, timeline_of

Exported = Callable[..., Path]

# By the number of the shape: linear; slow at its start and its end, as users of REAPER measured it.
FADE_SHAPES: dict[str, Callable[[FloatArray], FloatArray]] = {"0": lambda x: x, "5": lambda x: 3 * x**2 - 2 * x**3}
WORD = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|(\S+))""")


@dataclass
class Block:
    """A block of a project: its first line, its settings, the blocks in it."""

    head: list[str]
    lines: list[list[str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def one(self, name: str) -> list[str]:
        """The only setting of a name, without the name."""
        (found,) = [line[1:] for line in self.lines if line[0] == name]
        return found

    def inside(self, name: str) -> list[Block]:
        """Blocks of a name."""
        return [block for block in self.blocks if block.head[0] == name]


def words(line: str) -> list[str]:
    return [next(group for group in match.groups() if group is not None) for match in WORD.finditer(line)]


def read(path: Path) -> Block:
    """The project, block by block."""
    top = Block(["top"])
    open_blocks = [top]
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text == ">":
            open_blocks.pop()
        elif text.startswith("<"):
            block = Block(words(text[1:]))
            open_blocks[-1].blocks.append(block)
            open_blocks.append(block)
        else:
            open_blocks[-1].lines.append(words(text))
    assert open_blocks == [top]
    return top.blocks[0]


def points(block: Block) -> FloatArray:
    rows = [[float(word) for word in line[1:3]] for line in block.lines if line[0] == "PT"]
    assert all(line[3] == "0" for line in block.lines if line[0] == "PT")
    return np.array(rows)


def play(project: Block, folder: Path) -> FloatArray:
    """Play the music track as REAPER does: source, item fades, take envelope, fader, track envelope."""
    rate = int(project.one("SAMPLERATE")[0])
    lane = project.inside("TRACK")[-1]
    items = [(item, *place(item, rate)) for item in lane.inside("ITEM")]
    sound = np.zeros((2, max(first + length for _, first, length, _ in items)))
    for item, first, length, offset in items:
        source, source_rate = soundfile.read(folder / item.inside("SOURCE")[0].one("FILE")[0], always_2d=True)
        assert source_rate == rate
        assert item.one("LOOP") == ["0"]
        heard = np.zeros((length, 2))
        taken = source[offset : offset + length]
        heard[: len(taken)] = taken
        times = np.arange(length) / rate
        gain = np.interp(times, *points(item.inside("VOLENV")[0]).T)
        for name, distance in (("FADEIN", times), ("FADEOUT", (length - np.arange(length)) / rate)):
            shape, seconds = item.one(name)[0], float(item.one(name)[1])
            assert item.one(name)[2:] == ["0", shape, "0", "0", "0"]
            if seconds:
                gain = gain * FADE_SHAPES[shape](np.minimum(1.0, distance / seconds))
        sound[:, first : first + length] += (heard * gain[:, None]).T
    sound *= float(lane.one("VOLPAN")[0])
    for envelope in lane.inside("VOLENV2"):
        sound *= np.interp(np.arange(sound.shape[1]) / rate, *points(envelope).T)
    return sound


def place(item: Block, rate: int) -> tuple[int, int, int]:
    """Position, length and offset in whole samples."""
    times = [Fraction(item.one(name)[0]) * rate for name in ("POSITION", "LENGTH", "SOFFS")]
    assert all(abs(time - round(time)) < Fraction(1, 10**8) for time in times)
    first, length, offset = (round(time) for time in times)
    return first, length, offset


def test_the_project_plays_what_the_renderer_plays(
    exported: Exported,
    plan: LoopPlan,
    video: Path,
    any_mix: MixBody | None,
    residue_db: Callable[..., float],
    envelope_db: float,
) -> None:
    out = exported("rpp", plan, video=video, mix=any_mix)
    made = play(read(out), out.parent)
    assert residue_db(made, plan, any_mix) < envelope_db
    assert residue_db(made, plan, any_mix, matched=True, beside_seams=0.001) < -55.0


def test_a_placed_track_is_one_item(
    exported: Exported,
    placed: PlacedTrack,
    video: Path,
    mix: MixBody,
    residue_db: Callable[..., float],
    envelope_db: float,
) -> None:
    out = exported("rpp", placed, video=video, mix=mix)
    project = read(out)
    (item,) = project.inside("TRACK")[1].inside("ITEM")
    first, _, offset = place(item, 44_100)
    assert first - offset == round(placed.offset_seconds * 44_100)
    made = play(project, out.parent)
    assert residue_db(made, placed, mix, padded=True) < envelope_db
    # Without the 10 ms by which a cut head or end is faded: their levels are an envelope's.
    begins, ends = (round(time * 44_100) for time in (max(0.0, placed.offset_seconds), placed.music_end))
    judged = {"skip": begins + 441, "until": ends - 441}
    assert residue_db(made, placed, mix, padded=True, matched=True, **judged) < -55.0


def test_a_late_start_and_the_tracks_own_end(
    workspace: Workspace, late_plan: LoopPlan, track: Path, tmp_path: Path, residue_db: Callable[..., float]
) -> None:
    out = export_plan(workspace, late_plan, "rpp", tmp_path / "late.rpp", track=track)
    project = read(out)
    assert [block.one("NAME") for block in project.inside("TRACK")] == [["Music"]]
    assert residue_db(play(project, Path("/")), late_plan, padded=True) < -45.0


def test_fades_at_the_ends_are_the_items_own(exported: Exported, plan: LoopPlan) -> None:
    items = read(exported("rpp", plan)).inside("TRACK")[0]
    rises, falls = ([item.one(name)[:2] for item in items.inside("ITEM")] for name in ("FADEIN", "FADEOUT"))
    assert rises == [["5", "0.25"], ["0", "0.05"], ["0", "0"], ["0", "0"]]
    assert falls == [["0", "0.05"], ["0", "0"], ["0", "0"], ["5", "1.75"]]
    # What is left for the envelope of the last item: its crossfade and its level, which then stays.
    envelope = points(items.inside("ITEM")[-1].inside("VOLENV")[0])
    assert np.all(envelope[envelope[:, 0] > 2.0, 1] == envelope[-1, 1])


def test_the_video_track_and_the_markers(exported: Exported, plan: LoopPlan, video: Path, mix: MixBody) -> None:
    out = exported("rpp", plan, video=video, mix=mix)
    project = read(out)
    picture = project.inside("TRACK")[0]
    (item,) = picture.inside("ITEM")
    assert (out.parent / item.inside("SOURCE")[0].one("FILE")[0]).samefile(video)
    assert item.inside("SOURCE")[0].head == ["SOURCE", "VIDEO"]
    assert float(picture.one("VOLPAN")[0]) == pytest.approx(10 ** (2.0 / 20))
    assert float(item.one("LENGTH")[0]) == pytest.approx(510 * 1001 / 30000)
    marks = [float(line[2]) for line in project.lines if line[0] == "MARKER"]
    assert marks == pytest.approx([plan.music_in, *plan.seam_times, plan.music_end])


def test_the_tempo_is_that_of_the_grid(workspace: Workspace, track: Path, tmp_path: Path) -> None:
    """76 beats a minute, the first bar line at 0.4 s of the track."""
    bar = 240.0 / 76.0
    rows = [(0.0, 0.4 + 3 * bar, 0.0, 0.0)] + [(0.4 + bar, 0.4 + 3 * bar, 0.0, 0.0)] * 4
    looped = make_plan(rows, [0.01] * 4, [0.5] * 4, song_duration=12.0)
    beats = 0.4 + np.arange(15) * bar / 4
    grid = BeatGrid(beats, np.arange(15) % 4 + 1, 4, 0.9)
    out = tmp_path / "tempo.rpp"
    write_reaper(timeline_of(workspace, looped, track=track, grid=grid), out)
    project = read(out)
    assert float(project.one("TEMPO")[0]) == pytest.approx(76.0, abs=0.01)
    assert project.one("TEMPO")[1:] == ["4", "4"]
    (envelope,) = project.inside("TEMPOENVEX")
    marks = [line[1:] for line in envelope.lines if line[0] == "PT"]
    # A bar of one beat leads to the first bar of the music; 4 << 16 with the beats of a bar is a metre.
    assert [mark[0] for mark in marks] == ["0", "0.4"]
    assert [float(mark[1]) for mark in marks] == pytest.approx([150.0, 76.0], abs=0.01)
    assert [mark[2:] for mark in marks] == [["1", str(4 << 16 | 1)], ["1", str(4 << 16 | 4)]]


def test_where_the_grid_is_another_the_tempo_is_the_plans(exported: Exported, plan: LoopPlan, track: Path) -> None:
    """The track is noise; the plan's splices lie on no bar lines of it, and it calls its body one bar of four beats."""
    project = read(exported("rpp", plan))
    assert plan.body is not None
    bpm = 60.0 * plan.body.bars * plan.beats_per_bar / (plan.body.song_to - plan.body.song_from)
    assert float(project.one("TEMPO")[0]) == pytest.approx(bpm)
    assert project.one("TEMPO")[1:] == ["4", "4"]


def test_names_are_quoted_by_what_they_hold() -> None:
    assert quoted("a b") == '"a b"'
    assert quoted('5" disc') == "'5\" disc'"
    assert quoted("it's 5\"") == "`it's 5\"`"
    assert quoted("`it's 5\"\n") == "`'it's 5\"`"


def test_a_project_needs_the_track(workspace: Workspace, plan: LoopPlan, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="give track"):
        export_plan(workspace, plan, "rpp", tmp_path / "plan.rpp")
    assert list(tmp_path.iterdir()) == []
