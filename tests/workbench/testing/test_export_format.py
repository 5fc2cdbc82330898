"""Our own formats and one of a stranger pass one suite; the stranger's is on the command line and on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from workbench import extensions
from workbench.cli.export import command
from workbench.errors import ParameterError
from workbench.export.formats import FORMATS, Format, all_formats, format_named
from workbench.export.timeline import Timeline
from workbench.testing.beat_tracker import click_track
from workbench.testing.export_format import ExportFormatSuite
from workbench.workflows.splice import plan_of


def write_markdown(timeline: Timeline, out: Path) -> None:
    """A table of what is played."""
    rows = [f"| {item.number} | {item.song_from:.3f} | {item.song_to:.3f} |" for item in timeline.items]
    out.write_text("\n".join(["| segment | from, s | to, s |", "|---|---|---|", *rows]) + "\n", encoding="utf-8")


MARKDOWN = Format("markdown", "Markdown", "What is played, as a table.", ".md", write_markdown)


@pytest.fixture(scope="module", autouse=True)
def markdown() -> Iterator[None]:
    extensions.register(extensions.EXPORT_FORMATS, "markdown", MARKDOWN)
    yield
    extensions.unregister(extensions.EXPORT_FORMATS, "markdown")


class TestMarkdown(ExportFormatSuite):
    format = "markdown"


class TestOwn(ExportFormatSuite):
    """Ours, one after another."""

    @pytest.fixture(autouse=True, params=list(FORMATS))
    def each(self, request: pytest.FixtureRequest) -> None:
        self.format = request.param


def test_it_stands_beside_ours() -> None:
    assert list(all_formats())[-1] == "markdown"
    with pytest.raises(ParameterError, match=r"no format word; known are otio, .*, markdown"):
        format_named("word")
    with pytest.raises(ParameterError, match="is no export format"):
        format_named("workbench.beats.grid:SAME_BEAT_SECONDS")


def test_the_command_takes_it(tmp_path: Path) -> None:
    recording, _ = click_track(120.0)
    from workbench.media.audio import write_audio
    from workbench.results.plan import plan_result

    track = write_audio(tmp_path / "track.wav", [recording.samples], recording.sample_rate, 1)
    plan = plan_of([(0.25, 16.25), (8.25, 24.25)], recording).plan
    body = plan_result(plan, video_id="32s", track_id="track.wav", track=None, mix=None).to_json()
    (tmp_path / "plan.json").write_text(json.dumps(body))
    arguments = [str(tmp_path / "plan.json"), "--format", "markdown", "-o", str(tmp_path / "plan.md")]
    arguments += ["--track", str(track), "--home", str(tmp_path / "home")]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "| 2 | 8.250 | 24.250 |" in (tmp_path / "plan.md").read_text()
    wrong = CliRunner().invoke(command, [*arguments[:2], "word", *arguments[3:]])
    assert wrong.exit_code == 2
    assert "'word' is not one of" in wrong.output
